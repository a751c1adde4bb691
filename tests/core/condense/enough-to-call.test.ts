/** Whoever makes up arguments from what is shown of a tool makes up some that its server takes: held for a hundred and fifty schemas, and for five hundred in `npm run test:long`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { compactSignature } from '../../../src-main/core/compat/mcpproxy/tool-entry.ts';
import { leanSchema } from '../../../src-main/core/condense/lean-schema.ts';
import { shapeSchema } from '../../../src-main/core/condense/shape-schema.ts';
import { leavesOut, signature } from '../../../src-main/core/condense/signature.ts';
import { helperTools } from '../../../src-main/core/mode-list.ts';
import { toolTexts } from '../../../src-main/core/modes/run-code.ts';
import { serverWith } from '../catalog/catalog-of.ts';
import { helperContext } from '../modes/helper-context.ts';
import { allCases } from '../../support/all-cases.ts';
import { argumentsFor, madeUpSchema, validatorOf } from './arbitrary-arguments.ts';
import { readCompact, readDetail, readSignature } from './read-signature.ts';

const count = allCases ? 10 : 1;

const schemas = fc.sample(madeUpSchema, { numRuns: count * 50, seed: 20_261_122 });

const batches = Array.from(
  { length: count },
  (_, index) => [index, schemas.slice(index * 50, index * 50 + 50)] as const,
);

interface Tried {
  readonly tried: number;
  /** Made up from what was shown, and not taken. */
  readonly refused: readonly unknown[];
}

function tryOut(shown: JsonObject, whole: JsonObject): Tried {
  const fits = validatorOf(whole);
  const made = argumentsFor(shown, 4);
  return { tried: made.length, refused: made.filter((args) => !fits(args)) };
}

describe.each([
  ['shape', false],
  ['lean', true],
])('at level %s', (_, lean) => {
  test.each(batches)('what is shown is enough (%i)', (_batch, some) => {
    const tried = some.map((schema) => {
      const shown = lean ? leanSchema(shapeSchema(schema, true)) : shapeSchema(schema, false);
      const { refused, ...rest } = tryOut(shown, schema);
      expect({ shown, refused }).toEqual({ shown, refused: [] });
      return rest.tried;
    });
    expect(tried.filter((count) => count > 0).length).toBeGreaterThan(40);
  });
});

test.each(batches)('what fits the whole schema fits the lean one (%i)', (_batch, some) => {
  let tried = 0;
  for (const schema of some) {
    const shown = leanSchema(shapeSchema(schema, true));
    const { tried: count, refused } = tryOut(schema, shown);
    tried += count;
    expect({ shown, refused }).toEqual({ shown, refused: [] });
  }
  expect(tried).toBeGreaterThan(some.length);
});

test.each(batches)('a signature is enough, or says that it leaves something out (%i)', (_batch, some) => {
  let told = 0;
  for (const schema of some) {
    const line = signature({ name: 'call_it', inputSchema: schema });
    const shown = readSignature(line);
    expect([line, shown === undefined]).toEqual([line, leavesOut(line)]);
    if (shown === undefined) continue;
    told += 1;
    const { refused } = tryOut(shown, schema);
    expect({ line, refused }).toEqual({ line, refused: [] });
  }
  expect(told).toBeGreaterThan(some.length / 3);
});

/** The made-up schemas as tools of one server, told by their place. */
function toolsOf(some: readonly JsonObject[]): ReturnType<typeof helperContext> {
  const tools = some.map((inputSchema, index) => ({ name: `find_${index}`, inputSchema }));
  return helperContext([serverWith('made', { tools })]);
}

test.each(batches)(
  "retrieve_tools' line is enough, or it is marked and its schema follows or is offered (%i)",
  async (_batch, some) => {
    // MCPProxy's notation; what is shown otherwise is ours, as everywhere.
    const context = Object.create(toolsOf(some), {
      retrieve: { value: { limit: undefined, detail: undefined, fields: 'all' } },
    }) as ReturnType<typeof toolsOf>;
    const input = { query: 'find', limit: 100 };
    const result = (await helperTools.get('retrieve_tools')?.run(input, context)) as { content: { text: string }[] };
    const answer = JSON.parse(result.content[0]?.text ?? '') as JsonObject;
    const tools = answer['tools'] as { name: string; sig: string; lossy: boolean; inputSchema?: unknown }[];
    expect(tools.length).toBe(some.length);
    expect(answer['usage_instructions']).toMatch(/lossy, describe_tool shows the schema/);
    expect(tools.filter(({ inputSchema }) => inputSchema !== undefined).length).toBe(2);
    expect(tools.filter(({ lossy }) => !lossy).length).toBeGreaterThan(5);
    for (const { name, sig, lossy } of tools) {
      if (sig.includes('~')) expect([sig, lossy]).toEqual([sig, true]);
      if (lossy) continue;
      const schema = some[Number(name.replace('made:find_', ''))] as JsonObject;
      const { refused } = tryOut(readCompact(sig), schema);
      expect({ sig, schema, refused }).toEqual({ sig, schema, refused: [] });
    }
  },
);

test('most lines of ordinary tools are not marked', () => {
  const plain = { type: 'object', properties: { path: { type: 'string', minLength: 1 }, head: { type: 'integer' } } };
  expect(compactSignature(plain)).toEqual({ sig: '(head:int, path:str)', lossy: false });
});

test.each(batches)(
  'the types of get_schema in mode code are enough, or it says that they leave something out (%i)',
  (_batch, some) => {
    const { catalog } = toolsOf(some);
    let told = 0;
    for (const tool of catalog.tools) {
      const text = toolTexts([tool], 'detailed');
      const shown = readDetail(text);
      if (shown === undefined) continue;
      told += 1;
      const { refused } = tryOut(shown, tool.definition['inputSchema'] as JsonObject);
      expect({ text, refused }).toEqual({ text, refused: [] });
    }
    expect(told).toBeGreaterThan(some.length / 3);
  },
);

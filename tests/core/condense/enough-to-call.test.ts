/**
 * Arguments derived from what is shown of a tool are accepted by its server: for 50 schemas, and for 500 in `npm run
 * test:long`.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { leanSchema } from '../../../src-main/core/condense/lean-schema.ts';
import { shapeSchema } from '../../../src-main/core/condense/shape-schema.ts';
import { isLossy, signature } from '../../../src-main/core/condense/signature.ts';
import { toolTexts } from '../../../src-main/core/modes/run-code.ts';
import { serverWith } from '../catalog/catalog-of.ts';
import { helperContext } from '../modes/helper-context.ts';
import { allCases } from '../../support/all-cases.ts';
import { argumentsFor, madeUpSchema, validatorOf } from './arbitrary-arguments.ts';
import { readDetail, readSignature } from './read-signature.ts';

const count = allCases ? 10 : 1;

const schemas = fc.sample(madeUpSchema, { numRuns: count * 50, seed: 20_261_122 });

const batches = Array.from(
  { length: count },
  (_, index) => [index, schemas.slice(index * 50, index * 50 + 50)] as const,
);

interface Tried {
  readonly tried: number;
  /** Rejected arguments that match what was shown. */
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
])('level %s', (_, lean) => {
  test.each(batches)('shows enough to call a tool (%i)', (_batch, some) => {
    const tried = some.map((schema) => {
      const shown = lean ? leanSchema(shapeSchema(schema, true)) : shapeSchema(schema, false);
      const { refused, ...rest } = tryOut(shown, schema);
      expect({ shown, refused }).toEqual({ shown, refused: [] });
      return rest.tried;
    });
    expect(tried.filter((count) => count > 0).length).toBeGreaterThan(40);
  });
});

test.each(batches)('accepts in the lean schema what fits the whole one (%i)', (_batch, some) => {
  let tried = 0;
  for (const schema of some) {
    const shown = leanSchema(shapeSchema(schema, true));
    const { tried: count, refused } = tryOut(schema, shown);
    tried += count;
    expect({ shown, refused }).toEqual({ shown, refused: [] });
  }
  expect(tried).toBeGreaterThan(some.length);
});

test.each(batches)('is enough as a signature, or marked as lossy (%i)', (_batch, some) => {
  let told = 0;
  for (const schema of some) {
    const line = signature({ name: 'call_it', inputSchema: schema });
    const shown = readSignature(line);
    expect([line, shown === undefined]).toEqual([line, isLossy(line)]);
    if (shown === undefined) continue;
    told += 1;
    const { refused } = tryOut(shown, schema);
    expect({ line, refused }).toEqual({ line, refused: [] });
  }
  expect(told).toBeGreaterThan(some.length / 3);
});

/** The generated schemas as tools of one server, named by their index. */
function toolsOf(some: readonly JsonObject[]): ReturnType<typeof helperContext> {
  const tools = some.map((inputSchema, index) => ({ name: `find_${index}`, inputSchema }));
  return helperContext([serverWith('made', { tools })]);
}

test.each(batches)('is enough as types of get_schema in mode code, or marked as lossy (%i)', (_batch, some) => {
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
});

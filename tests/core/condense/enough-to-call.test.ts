/** Whoever makes up arguments from what is shown of a tool makes up some that its server takes: held for five hundred schemas. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { shapeSchema } from '../../../src-main/core/condense/shape-schema.ts';
import { leavesOut, signature } from '../../../src-main/core/condense/signature.ts';
import { argumentsFor, madeUpSchema, validatorOf } from './arbitrary-arguments.ts';
import { readSignature } from './read-signature.ts';

const schemas = fc.sample(madeUpSchema, { numRuns: 500, seed: 20_261_122 });

const batches = Array.from({ length: 10 }, (_, index) => [index, schemas.slice(index * 50, index * 50 + 50)] as const);

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
      const shown = shapeSchema(schema, lean);
      const { refused, ...rest } = tryOut(shown, schema);
      expect({ shown, refused }).toEqual({ shown, refused: [] });
      return rest.tried;
    });
    expect(tried.filter((count) => count > 0).length).toBeGreaterThan(40);
  });
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

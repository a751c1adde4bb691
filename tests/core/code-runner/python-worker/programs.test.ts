/** Programs as models write them run as in CPython: the same value, output and errors. */
import { expect, test } from 'vitest';
import { askPython, programs, programTools, recorded } from './programs.ts';
import { Harness } from '../sandbox-harness.ts';

const harness = new Harness(programTools);

test.each(programs.map(({ name, code }, at) => [name, code, recorded[at]] as const))(
  '%s',
  async (_name, code, expected) => {
    // Without a given language.
    const outcome = await harness.run(code);
    const told = outcome.ok ? { json: JSON.stringify(outcome.value ?? null) } : { error: outcome.error.message };
    expect({ ...told, printed: outcome.console }).toEqual(expected);
  },
);

const asked = askPython();

test.runIf(asked !== undefined)('records what the local CPython returns for the programs', () => {
  expect(programs.length).toBeGreaterThanOrEqual(60);
  expect(asked).toEqual(recorded);
});

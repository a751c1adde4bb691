/** Programs as models write them run in the sandbox as they run in CPython: the same value, output and errors. */
import { expect, test } from 'vitest';
import { askPython, programs, programTools, recorded } from './programs.ts';
import { Harness } from '../sandbox-harness.ts';

const harness = new Harness(programTools);

test.each(programs.map(({ name, code }, at) => [name, code, recorded[at]] as const))(
  '%s',
  async (_name, code, expected) => {
    // Nobody names the language.
    const outcome = await harness.run(code);
    const told = outcome.ok ? { json: JSON.stringify(outcome.value ?? null) } : { error: outcome.error.message };
    expect({ ...told, printed: outcome.console }).toEqual(expected);
  },
);

const asked = askPython();

test.runIf(asked !== undefined)('what is recorded is what the CPython of this computer makes of them', () => {
  expect(programs.length).toBeGreaterThanOrEqual(60);
  expect(asked).toEqual(recorded);
});

/** The official conformance suite against a fixture server, seen through the built core. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { type BuiltCore, startBuiltCore } from './built-core.ts';
import { PrivateHome } from './private-home.ts';
import { runProgram } from './run-program.ts';

const suite = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'));
const home = new PrivateHome();
let core: BuiltCore;

beforeAll(async () => {
  core = await startBuiltCore({ conformance: fixtureCommand('conformance') }, home);
});

afterAll(async () => {
  await core?.[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

interface Verdict {
  readonly passed: number;
  readonly failed: readonly string[];
}

/** Counts the required scenarios of the summary; those that it says are not scored stand in a list of their own. */
function requiredScenarios(output: string): Verdict {
  const summary = output.slice(output.indexOf('=== SUMMARY ==='));
  const unscored = new Set([...summary.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name));
  const all = [...summary.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed/gm)];
  const required = all.filter(([, , name]) => !unscored.has(name));
  const failed = required.filter(([, mark]) => mark !== '✓').map(([line]) => line);
  return { passed: required.length - failed.length, failed };
}

test.each([
  { revision: '2025-11-25', scenarios: 30 },
  { revision: '2026-07-28', scenarios: 37 },
])(
  'all $scenarios scenarios that $revision requires of a server pass',
  async ({ revision, scenarios }) => {
    const target = ['server', '--url', `${core.url}/server/conformance`, '--requirements', revision];
    const program = join(suite, 'dist', 'index.js');
    const outcome = await runProgram(process.execPath, [program, ...target], { env: home.env, cwd: home.workFolder });
    expect(requiredScenarios(outcome.stdout)).toEqual({ passed: scenarios, failed: [] });
    expect(outcome.code).toBe(0);
  },
  60_000,
);

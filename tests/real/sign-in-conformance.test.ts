/** The conformance suite as an authorization server and a server behind it, met by the built core and a person at its command line. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allCases } from '../support/all-cases.ts';
import { PrivateHome } from './private-home.ts';
import { runProgram } from './run-program.ts';

const suite = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'));
const program = join(suite, 'dist', 'index.js');
const client = `"${process.execPath}" "${join(import.meta.dirname, 'sign-in-client.ts')}"`;
/** One of each kind that other clients are known to fail; what both revisions have is tried in the newer one. */
const essentials: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': ['auth/basic-cimd'],
  '2026-07-28': [
    ...['auth/basic-cimd', 'auth/pre-registration', 'auth/scope-step-up'],
    ...['auth/iss-wrong-issuer', 'auth/authorization-server-migration'],
  ],
};

/** Those about signing in that the revision requires of a client, as the suite says. */
function requiredScenarios(revision: string): readonly string[] {
  const listed = execFileSync(process.execPath, [program, 'list', '--client', '--requirements', revision], {
    encoding: 'utf8',
  });
  const required = listed.slice(0, listed.indexOf('never scored'));
  return [...required.matchAll(/^ {2}- (auth\/\S+)$/gm)].map(([, name]) => String(name));
}

describe.each([
  { revision: '2025-11-25', count: 14 },
  { revision: '2026-07-28', count: 25 },
])('$revision', ({ revision, count }) => {
  const scenarios = requiredScenarios(revision);

  test(`it requires ${count} scenarios of signing in`, () => expect(scenarios).toHaveLength(count));

  // Extensions (client credentials, DPoP) are none of them.
  test.concurrent.each(scenarios.filter((name) => allCases || essentials[revision]?.includes(name)))(
    '%s passes',
    async (scenario) => {
      using home = new PrivateHome();
      const scope = ['--scenario', scenario, '--spec-version', revision, '--timeout', '100000'];
      const args = [program, 'client', '--command', client, ...scope];
      const ran = await runProgram(process.execPath, args, { env: home.env, cwd: home.workFolder });
      expect(ran.stdout + ran.stderr).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
      expect(ran.code).toBe(0);
    },
    120_000,
  );
});

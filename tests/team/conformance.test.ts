/** The official conformance suite through two replicas, each request at the other one. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startHttpFixture } from '../fixtures/servers/http-fixture.ts';
import { PrivateHome } from '../real/private-home.ts';
import { runProgram } from '../real/run-program.ts';
import { requiredScenarios } from '../support/conformance-verdict.ts';
import { startReplica } from '../support/start-replica.ts';
import { withToken } from '../support/with-token.ts';
import { teamDatabase } from '../support/team-database.ts';

const suite = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'));

test.each([
  { revision: '2025-11-25', scenarios: 30 },
  { revision: '2026-07-28', scenarios: 37 },
])(
  'passes all $scenarios scenarios that $revision requires',
  async ({ revision, scenarios }) => {
    const fixture = await startHttpFixture('conformance');
    onTestFinished(() => fixture.close());
    using home = new PrivateHome();
    const database = await teamDatabase();
    const config = { servers: { conformance: { url: fixture.url } } };
    await using a = await startReplica(database, config, { name: 'a' });
    const target = ['server', '--url', `${await withToken(a.url)}/server/conformance`, '--requirements', revision];
    const program = [join(suite, 'dist', 'index.js'), ...target];
    const outcome = await runProgram(process.execPath, program, { env: home.env, cwd: home.workFolder });
    expect(requiredScenarios(outcome.stdout)).toEqual({ passed: scenarios, failed: [] });
    expect(outcome.code).toBe(0);
  },
  120_000,
);

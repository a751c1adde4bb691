/**
 * The conformance suite as authorization server and MCP server, with cores in this process; end to end with the built
 * core and a user at its command line.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { allCases } from '../support/all-cases.ts';
import { PrivateHome } from './private-home.ts';
import { runProgram } from './run-program.ts';
import { cameThrough } from './sign-in-facts.ts';
import { openDoor } from './signing-in.ts';

const suite = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'));
const program = join(suite, 'dist', 'index.js');
/** Scenarios in which the client may give up: the authorization server has a wrong identity, or never grants enough. */
const mayRefuse = [
  ...['scope-retry-limit', 'resource-mismatch', 'iss-supported-missing', 'iss-wrong-issuer', 'iss-unexpected'],
  ...['iss-normalized', 'metadata-issuer-mismatch'],
].map((name) => `auth/${name}`);

/** Sign-in scenarios that the revision requires of a client, according to the suite. */
function requiredScenarios(revision: string): readonly string[] {
  const listed = execFileSync(process.execPath, [program, 'list', '--client', '--requirements', revision], {
    encoding: 'utf8',
  });
  const required = listed.slice(0, listed.indexOf('never scored'));
  return [...required.matchAll(/^ {2}- (auth\/\S+)$/gm)].map(([, name]) => String(name));
}

describe.each([...(allCases ? [{ revision: '2025-11-25', count: 14 }] : []), { revision: '2026-07-28', count: 25 }])(
  '$revision',
  ({ revision, count }) => {
    const scenarios = requiredScenarios(revision);
    let verdicts: Verdicts = {};

    // Loading the suite costs more than a scenario, so all required ones run in one start.
    beforeAll(async () => {
      verdicts = await runRequired(revision, scenarios);
    }, 240_000);

    test(`requires ${count} authorization scenarios`, () => expect(scenarios).toHaveLength(count));

    // Extensions (client credentials, DPoP) are not included.
    test.each(scenarios)('%s passes', (scenario) => {
      const { statuses = [], said = 'It was not run.' } = verdicts[scenario] ?? {};
      expect(
        statuses.filter((status) => ['FAILURE', 'WARNING'].includes(status)),
        said,
      ).toEqual([]);
      expect(statuses).toContain('SUCCESS');
      if (!mayRefuse.includes(scenario)) expect(said).toBe(cameThrough);
    });

    // The command by itself: tests/core/servers/oauth/command.
    test.runIf(allCases).concurrent.each(scenarios)(
      '%s passes from the command line',
      async (scenario) => {
        using home = new PrivateHome();
        const scope = ['--scenario', scenario, '--spec-version', revision, '--timeout', '100000'];
        const args = [program, 'client', '--command', scriptCommand('sign-in-client.ts'), ...scope];
        const ran = await runProgram(process.execPath, args, { env: home.env, cwd: home.workFolder });
        expect(ran.stdout + ran.stderr).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
        expect(ran.code).toBe(0);
      },
      120_000,
    );
  },
);

interface Verdict {
  /** Status of each check. */
  readonly statuses: readonly string[];
  /** Outcome of our client. */
  readonly said: string;
}

type Verdicts = Readonly<Record<string, Verdict>>;

/** By name. Other scenarios of the revision end immediately. */
async function runRequired(revision: string, scenarios: readonly string[]): Promise<Verdicts> {
  await using door = await openDoor(scenarios);
  using home = new PrivateHome();
  const client = `${scriptCommand('sign-in-agent.ts')} ${door.url}`;
  const scope = ['--requirements', revision, '--timeout', '200000', '--output-dir', home.folder('results')];
  const args = [program, 'client', '--command', client, ...scope];
  await runProgram(process.execPath, args, { env: home.env, cwd: home.workFolder });
  const folder = home.folder('results/auth');
  return Object.fromEntries(readdirSync(folder).map((name) => verdictIn(folder, name)));
}

/** `name`: the scenario's, and when it ran. */
function verdictIn(folder: string, name: string): [string, Verdict] {
  const text = (file: string): string => readFileSync(join(folder, name, file), 'utf8');
  const checks = JSON.parse(text('checks.json')) as { status: string }[];
  const scenario = `auth/${name.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')}`;
  return [scenario, { statuses: checks.map(({ status }) => status), said: text('stderr.txt').trim() }];
}

function scriptCommand(name: string): string {
  return `"${process.execPath}" "${join(import.meta.dirname, name)}"`;
}

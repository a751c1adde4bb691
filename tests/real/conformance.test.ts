/** The official conformance suite against a fixture server of both protocols, directly and through the built core. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture } from '../fixtures/servers/http-fixture.ts';
import type { HttpFixture } from '../fixtures/servers/shared/serve-over-http.ts';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { allCases } from '../support/all-cases.ts';
import { requiredScenarios } from '../support/conformance-verdict.ts';
import { type BuiltCore, startBuiltCore } from './built-core.ts';
import { PrivateHome } from './private-home.ts';
import { runProgram } from './run-program.ts';

const suite = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'));
const program = join(suite, 'dist', 'index.js');
const [home, second] = [new PrivateHome(), new PrivateHome()];
let fixture: HttpFixture;
/** One server each, so that the merged endpoint lists its tools by their own names. */
let [core, overHttp]: (BuiltCore | undefined)[] = [];

const skillText = join(home.workFolder, 'refunds.md');

beforeAll(async () => {
  writeFileSync(
    skillText,
    '---\nname: refunds\ndescription: Process customer refund requests per company policy\n---\nAsk first.\n',
  );
  fixture = await startHttpFixture('conformance');
  [core, overHttp] = await Promise.all([
    startBuiltCore(
      { conformance: fixtureCommand('conformance'), skills: fixtureCommand('skills', 'shop', skillText) },
      home,
    ),
    startBuiltCore({ conformance: { url: fixture.url } }, second),
  ]);
});

afterAll(async () => {
  await Promise.all([core?.[Symbol.asyncDispose](), overHttp?.[Symbol.asyncDispose]()]);
  await fixture?.close();
  for (const one of [home, second]) one[Symbol.dispose]();
});

test.each([
  { revision: '2025-11-25', line: 'HTTP', scenarios: 30 },
  { revision: '2026-07-28', line: 'HTTP', scenarios: 37 },
  // Over stdio as well.
  ...(allCases
    ? [
        { revision: '2025-11-25', line: 'stdio', scenarios: 30 },
        { revision: '2026-07-28', line: 'stdio', scenarios: 37 },
      ]
    : []),
])(
  'all $scenarios scenarios that $revision requires of a server pass, from one over $line',
  async ({ revision, line, scenarios }) => {
    const { url } = (line === 'HTTP' ? overHttp : core) as BuiltCore;
    const target = ['server', '--url', `${url}/server/conformance`, '--requirements', revision];
    const outcome = await runProgram(process.execPath, [program, ...target], { env: home.env, cwd: home.workFolder });
    expect(requiredScenarios(outcome.stdout)).toEqual({ passed: scenarios, failed: [] });
    expect(outcome.code).toBe(0);
  },
  // Over stdio each session that may receive requests has its own process.
  120_000,
);

/** Every scenario of the revision, and whether it passes. Some measure milliseconds: failures are repeated once. */
async function allScenarios(url: string, revision: string): Promise<Readonly<Record<string, boolean>>> {
  const first = await runScenarios(url, revision);
  if (Object.values(first).every(Boolean)) return first;
  const again = await runScenarios(url, revision);
  return Object.fromEntries(Object.entries(first).map(([name, passed]) => [name, passed || again[name] === true]));
}

async function runScenarios(url: string, revision: string): Promise<Readonly<Record<string, boolean>>> {
  const target = ['server', '--url', url, '--suite', 'all', '--spec-version', revision];
  const { stdout } = await runProgram(process.execPath, [program, ...target], { env: home.env, cwd: home.workFolder });
  const summary = stdout.slice(stdout.indexOf('=== SUMMARY ==='));
  const lines = [...summary.matchAll(/^([✓✗]) (\S+):/gm)];
  return Object.fromEntries(lines.map(([, mark, name]): [string, boolean] => [String(name), mark === '✓']));
}

// The suite's further scenarios.
test.runIf(allCases).each([
  { revision: '2025-11-25', scenarios: 33 },
  { revision: '2026-07-28', scenarios: 40 },
])(
  'every scenario of $revision that passes directly passes through Tooltray, for one server and merged',
  async ({ revision, scenarios }) => {
    const direct = await allScenarios(fixture.url, revision);
    expect(Object.values(direct)).toEqual(Array(scenarios).fill(true));
    for (const endpoint of ['server/conformance', 'mode/proxy']) {
      const url = `${overHttp?.url}/${endpoint}`;
      expect({ url, ...(await allScenarios(url, revision)) }).toEqual({ url, ...direct });
    }
  },
  240_000,
);

// Each start loads the suite again; forms of every kind are tested over HTTP above, and over stdio in the long run.
test.each([
  'tools-call-sampling',
  ...(allCases ? ['tools-call-elicitation', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums'] : []),
])("%s passes from a server over stdio, on a connection of the app's protocol", async (scenario) => {
  const target = ['server', '--url', `${core?.url}/server/conformance`, '--scenario', scenario];
  const args = [program, ...target, '--spec-version', '2025-11-25'];
  const outcome = await runProgram(process.execPath, args, { env: home.env, cwd: home.workFolder });
  expect(outcome.stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
  expect(outcome.code).toBe(0);
});

test.each([...(allCases ? ['server/conformance'] : []), 'mode/proxy'])(
  'a stream at %s can be resumed: it begins with an ID and a retry time',
  async (endpoint) => {
    const target = ['server', '--url', `${overHttp?.url}/${endpoint}`, '--scenario', 'server-sse-polling'];
    const args = [program, ...target, '--spec-version', '2025-11-25'];
    const outcome = await runProgram(process.execPath, args, { env: home.env, cwd: home.workFolder });
    // A third less directly: this server interrupts its call's stream. Ours stays open regardless.
    expect(outcome.stdout).toMatch(/Passed: [23]\/[23], 0 failed, 0 warnings/);
  },
);

test.each(['enumeration', 'manifest', 'directory'])(
  'the scenario of skills about %s passes, for one server and merged',
  async (about) => {
    for (const endpoint of ['server/skills', 'mode/search']) {
      const target = ['server', '--url', `${core?.url}/${endpoint}`, '--scenario', `sep-2640-skills-${about}`];
      const args = [program, ...target, '--spec-version', '2026-07-28', '--force'];
      const outcome = await runProgram(process.execPath, args, { env: home.env, cwd: home.workFolder });
      expect(outcome.stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
      expect(outcome.code).toBe(0);
    }
  },
);

test('as a client, Tooltray retries with a version that the server names in its rejection', async () => {
  const command = `"${process.execPath}" "${join(import.meta.dirname, 'meet-server.ts')}"`;
  const scenario = ['client', '--command', command, '--scenario', 'request-metadata', '--spec-version', '2026-07-28'];
  const outcome = await runProgram(process.execPath, [program, ...scenario], { env: home.env, cwd: home.workFolder });
  expect(outcome.stdout + outcome.stderr).toContain('Passed: 5/5, 0 failed, 0 warnings');
  expect(outcome.code).toBe(0);
});

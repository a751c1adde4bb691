/**
 * A team's config in a folder of layers: what each user is shown at every replica, and how open sessions follow a
 * change.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Emitter } from '../../../src-main/core/base/emitter.ts';
import { ConfigProblems } from '../../../src-main/team/config/config-problems.ts';
import { bearer } from '../../support/callers.ts';
import { HttpClient } from '../../support/http-client.ts';
import { ModernClient } from '../../support/modern-client.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplica, type TestReplica } from '../../support/start-replica.ts';
import { listenAt } from '../../support/team-caller.ts';
import { TeamPeople } from '../../support/team-callers.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { objectsEnv, teamObjectsAddress } from '../../support/team-objects.ts';

const servers = { echo: fixture('echo'), more: fixture('echo'), other: fixture('echo') };
const organisation = { servers, mode: 'proxy', reviews: { onChange: 'warn' } };

async function folderOf(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tooltray-team-config-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) await write(join(folder, name), content);
  return folder;
}

async function write(file: string, content: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(content));
}

async function start(database: string, folder: string, name: string): Promise<TestReplica> {
  const operations = { address: '127.0.0.1', port: 0 };
  const objects = await teamObjectsAddress();
  const replica = await startReplica(
    database,
    { servers: {} },
    { configFile: folder, operations, name, objects, env: objectsEnv },
  );
  onTestFinished(() => replica[Symbol.asyncDispose]());
  return replica;
}

async function measures({ replica }: TestReplica): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${replica.operationsPort}/metrics`);
  const lines = (await response.text()).split('\n');
  return lines.filter((line) => line.startsWith('tooltray_config_')).join('\n');
}

function namesIn(result: unknown): string[] {
  return (result as { tools: { name: string }[] }).tools.map(({ name }) => name).sort();
}

test('applies a user’s layer on every replica to open sessions of that user only', async () => {
  const folder = await folderOf({
    'organization.jsonc': organisation,
    'groups/guests.jsonc': { profile: { servers: ['more', 'other'] } },
  });
  const database = await teamDatabase();
  const [a, b] = [await start(database, folder, 'a'), await start(database, folder, 'b')];
  const all = new TeamPeople(a);
  await all.people.add({ name: 'ana' });
  await all.people.add({ name: 'ben' });
  await all.people.add({ name: 'gus', groups: ['guests'] });
  const [ana, ben, gus] = [await all.give('ana'), await all.give('ben'), await all.give('gus')];

  const session = new HttpClient(a.url, false, bearer(ana));
  await session.initialize();
  const told: unknown[] = [];
  const leave = new AbortController();
  void session.listen(({ method }) => told.push(method), leave.signal).catch(() => undefined);
  await expect.poll(() => told).toEqual(['listening']);
  await using stream = await listenAt(b.url, { toolsListChanged: true }, ana);
  const toolsOf = async (on: TestReplica, token: string): Promise<string[]> =>
    namesIn((await new ModernClient(new HttpClient(on.url, true, bearer(token))).once('tools/list')).result);
  const inSession = async (): Promise<string[]> => namesIn((await session.exchange('tools/list')).message.result);
  const both = ['echo_echo', 'more_echo', 'other_echo'];
  const fewer = ['echo_echo', 'more_echo'];
  const guests = ['more_echo', 'other_echo'];
  expect([await inSession(), await toolsOf(b, ana), await toolsOf(b, ben)]).toEqual([both, both, both]);
  expect([await toolsOf(a, gus), await toolsOf(b, gus)]).toEqual([guests, guests]);
  const hash = /hash="(\w+)"/.exec(await measures(a))?.[1];
  expect([hash?.length, (await measures(b)).includes(`hash="${hash}"`)]).toEqual([16, true]);

  const own = join(folder, 'users/ana.jsonc');
  await write(own, { servers: { other: false }, policy: { agentChanges: 'allow' } });
  await expect.poll(() => told).toContain('notifications/tools/list_changed');
  await expect.poll(() => stream.told.map(({ method }) => method)).toContain('notifications/tools/list_changed');
  await expect.poll(inSession).toEqual(fewer);
  // Each replica watches the files by itself.
  await expect.poll(() => toolsOf(b, ana)).toEqual(fewer);
  expect(await toolsOf(b, ben)).toEqual(both);
  const { message } = await session.exchange('tools/call', { name: 'other_echo', arguments: { message: 'x' } });
  expect(JSON.stringify(message)).toMatch(/other_echo/);
  expect(message.result?.['isError'] === true || message.error !== undefined).toBe(true);
  expect(await measures(b)).toMatch(/tooltray_config_problems 1\ntooltray_config_refused_overrides 1$/);
  expect(await measures(b)).not.toContain(hash);

  // A setting of one user: the long result is spilled for her, and returned whole to ben.
  await write(own, { results: { threshold: 100 }, servers: { other: false } });
  const long = 'many words '.repeat(50);
  const said = async (token: string): Promise<string> => {
    const client = new ModernClient(new HttpClient(b.url, true, bearer(token)));
    return JSON.stringify((await client.call('echo_echo', { message: long })).result);
  };
  await expect.poll(() => said(ana)).toContain('is stored in full on disk');
  expect(await said(ben)).toContain(long);
  await rm(own);
  await expect.poll(inSession).toEqual(both);
  await expect.poll(() => said(ana)).toContain(long);
  leave.abort();
});

test('logs a new problem once', () => {
  const lines: string[] = [];
  const problem = { severity: 'error', file: '/f', line: 2, column: 3, path: 'mode', reason: 'No.' } as const;
  const config = { version: 'one', problems: [], problemsChanged: new Emitter<readonly never[]>() };
  const problems = new ConfigProblems(config as never, { warn: (line) => void lines.push(line) });
  for (const found of [[problem], [problem, { ...problem, suggestion: 'Do.' }]])
    config.problemsChanged.emit(found as never);
  problems.stop();
  config.problemsChanged.emit([{ ...problem, line: 4 }] as never);
  expect(lines).toEqual(['/f:2:3: mode: No.', '/f:2:3: mode: No. Do.']);
});

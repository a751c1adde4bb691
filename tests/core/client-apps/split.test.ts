/** One entry per server in an app's file: written, updated, repaired, removed, and undone. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { knownApp } from '../../../src-main/core/client-apps/app-files.ts';
import { connectionStateOf, readAppServers, splitServers } from '../../../src-main/core/client-apps/app-servers.ts';
import { ChangeJournal } from '../../../src-main/core/client-apps/change-journal.ts';
import {
  installEntry,
  planInstall,
  repairEntry,
  uninstallEntries,
} from '../../../src-main/core/client-apps/install.ts';
import type { FoundApp } from '../../../src-main/core/client-apps/find-apps.ts';
import { loadAppStatus } from '../../../src-main/core/client-apps/app-status.ts';
import { knownApps } from '../../../src-main/core/client-apps/known-apps.ts';
import { snippetFor } from '../../../src-main/core/client-apps/tooltray-entry.ts';
import { undoChange } from '../../../src-main/core/client-apps/undo-app-change.ts';

const launch = { command: '/opt/bin/tooltray', args: ['stdio', '--app', 'cursor'] };
const alone = (name: string) => ({ ...launch, args: [...launch.args, '--server', name] });

let home = '';
let file = '';
let journal = new ChangeJournal('');
const place = () => ({ app: knownApp('cursor'), file });

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tooltray-split-'));
  file = join(home, '.cursor', 'mcp.json');
  journal = new ChangeJournal(join(home, 'journal'));
  await mkdir(dirname(file), { recursive: true });
});

afterEach(() => rm(home, { recursive: true, force: true }));

async function entries(): Promise<Record<string, unknown>> {
  return (JSON.parse(await readFile(file, 'utf8')) as { mcpServers: Record<string, unknown> }).mcpServers;
}

async function state(servers: readonly string[]): Promise<string> {
  return connectionStateOf((await readAppServers(place())).ours, [launch], servers);
}

test('replaces the entry for all servers, and undo restores it byte for byte', async () => {
  await writeFile(file, '{"mcpServers": {"own": {"command": "x"}}}');
  await installEntry(place(), launch, { journal });
  const merged = await readFile(file, 'utf8');
  const plan = await planInstall(place(), launch, journal, ['files', 'git']);
  const change = await installEntry(place(), launch, { journal }, plan.revision, ['files', 'git']);
  expect(await entries()).toEqual({ own: { command: 'x' }, files: alone('files'), git: alone('git') });
  expect(splitServers((await readAppServers(place())).ours)).toEqual(['files', 'git']);
  await undoChange(change?.id ?? '', journal);
  expect(await readFile(file, 'utf8')).toBe(merged);
});

test('is stale once a server was added, removed or renamed, and the next install brings it in step', async () => {
  await installEntry(place(), launch, { journal }, undefined, ['files', 'git']);
  expect([await state(['files', 'git']), await state(['files']), await state(['files', 'git', 'x'])]).toEqual([
    'yes',
    'stale',
    'stale',
  ]);
  await installEntry(place(), launch, { journal }, undefined, ['files', 'x']);
  expect([Object.keys(await entries()), await state(['files', 'x'])]).toEqual([['files', 'x'], 'yes']);
  await installEntry(place(), launch, { journal });
  expect([Object.keys(await entries()), await state(['files', 'x'])]).toEqual([['tooltray'], 'yes']);
});

test('keeps an entry of the user with the same name, and all settings of ours', async () => {
  await writeFile(file, '{"mcpServers": {"files": {"command": "own-files"}}}');
  await installEntry(place(), launch, { journal }, undefined, ['files', 'git']);
  expect(await entries()).toEqual({
    files: { command: 'own-files' },
    'tooltray-files': alone('files'),
    git: alone('git'),
  });
  expect(await state(['files', 'git'])).toBe('yes');
});

test('repairs moved entries one by one', async () => {
  const old = { command: '/gone/tooltray', args: ['stdio', '--app', 'cursor', '--server', 'files'], timeout: 5 };
  await writeFile(file, JSON.stringify({ mcpServers: { files: old } }));
  await repairEntry(place(), launch, journal);
  expect(await entries()).toEqual({ files: { ...alone('files'), timeout: 5 } });
});

test('uninstalls every entry', async () => {
  await writeFile(file, '{"mcpServers": {}}');
  await installEntry(place(), launch, { journal }, undefined, ['files', 'git']);
  await uninstallEntries(place(), journal);
  expect(await readFile(file, 'utf8')).toBe('{"mcpServers": {}}');
});

test('tries the command once, however many servers there are', async () => {
  const tried: unknown[] = [];
  const tryLaunch = (one: unknown) => Promise.resolve(void tried.push(one));
  await installEntry(place(), launch, { journal, tryLaunch }, undefined, ['files', 'git']);
  expect(tried).toEqual([launch]);
});

test.each(knownApps.map((app) => [app.id, app] as const))('writes both entries for %s', (_, app) => {
  const text = snippetFor(app, launch, ['files', 'git']);
  expect([text.includes('files'), text.includes('git'), text.includes('--server')]).toEqual([true, true, true]);
});

test('the status names the servers without an entry, and the entries without a server', async () => {
  await installEntry(place(), launch, { journal }, undefined, ['files', 'git']);
  const found = { ...place(), files: [file], installed: true, running: false } as unknown as FoundApp;
  const status = async (own: readonly string[]): Promise<string | undefined> =>
    (await loadAppStatus(found, [launch], own)).outOfStep;
  expect(await status(['files', 'git'])).toBeUndefined();
  const renamed = await status(['files', 'hub']);
  expect([renamed?.includes('hub'), renamed?.includes('git'), renamed?.includes('files')]).toEqual([true, true, false]);
});

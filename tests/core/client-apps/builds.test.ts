/** An app with two installed builds, each with its own config file, is one row, and every file is written. */
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { knownApp, resolvePaths, userFiles } from '../../../src-main/core/client-apps/app-files.ts';
import { loadAppStatus } from '../../../src-main/core/client-apps/app-status.ts';
import { ChangeJournal } from '../../../src-main/core/client-apps/change-journal.ts';
import { inspectApp } from '../../../src-main/core/client-apps/find-apps.ts';
import {
  installEntry,
  planInstall,
  restoreFiles,
  uninstallEntries,
} from '../../../src-main/core/client-apps/install.ts';
import type { KnownApp } from '../../../src-main/core/client-apps/known-app.ts';
import { undoChange } from '../../../src-main/core/client-apps/undo-app-change.ts';
import { type AppConfigFile, placesOf } from '../../../src-main/core/client-apps/update-app-file.ts';

const launch = { command: '/opt/launch', args: ['stdio', '--app', 'claude-desktop'] };
/** Claude Desktop on Windows, with the paths of this system. */
const app: KnownApp = {
  ...knownApp('claude-desktop'),
  files: ['$HOME/Roaming/Claude/config.json', '$HOME/Packages/Claude_x/LocalCache/config.json'],
  traces: ['$HOME/Roaming/Claude', '$HOME/Packages/Claude_x'],
};
let home: string;
let journal: ChangeJournal;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tooltray-builds-'));
  journal = new ChangeJournal(join(home, 'journal'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const machine = () => ({ platform: 'linux', home, env: {} }) as const;
const classic = (): string => join(home, 'Roaming/Claude/config.json');
const store = (): string => join(home, 'Packages/Claude_x/LocalCache/config.json');

async function put(file: string, text: string, usedAt: number): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  for (const one of [file, dirname(file)]) await utimes(one, usedAt, usedAt);
}

async function place(): Promise<AppConfigFile> {
  const [file = '', ...also] = await userFiles(machine(), app);
  return { app, file, also };
}

const texts = (): Promise<string[]> => Promise.all([classic(), store()].map((file) => readFile(file, 'utf8')));

test('knows the file of the Microsoft Store build beside the usual one on Windows', () => {
  const windows = { platform: 'win32', home: 'C:\\Users\\me', env: {} } as const;
  const claude = knownApp('claude-desktop');
  expect(resolvePaths(windows, claude.files)).toEqual([
    'C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    'C:\\Users\\me\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json',
  ]);
  expect(resolvePaths(windows, claude.traces)).toHaveLength(2);
});

test('uses the file of the installed build, of two the one that was used last', async () => {
  expect(await userFiles(machine(), app)).toEqual([classic()]);
  await mkdir(join(home, 'Packages/Claude_x'), { recursive: true });
  expect(await userFiles(machine(), app)).toEqual([store()]);
  await put(classic(), '{}', 1000);
  expect(await userFiles(machine(), app)).toEqual([classic(), store()]);
  await put(store(), '{}', 2000);
  expect(await userFiles(machine(), app)).toEqual([store(), classic()]);
});

test('installs into every file, and restores every file at undo and uninstall', async () => {
  await put(classic(), '{ "a":1}', 1000);
  await put(store(), '{\t}', 2000);
  const before = await texts();
  const change = await installEntry(await place(), launch, { journal });
  for (const text of await texts()) expect(text).toContain('/opt/launch');
  await undoChange(change?.id ?? '', journal);
  expect(await texts()).toEqual(before);
  expect(await journal.changes()).toEqual([]);
  await installEntry(await place(), launch, { journal });
  await uninstallEntries(await place(), journal);
  for (const text of await texts()) expect(text).not.toContain('/opt/launch');
  await installEntry(await place(), launch, { journal });
  await restoreFiles(placesOf(await place()), journal);
  expect(await texts()).toEqual(before);
});

test('shows a build that was added later as stale, and connects it at the next install', async () => {
  await put(classic(), '{}', 1000);
  await installEntry(await place(), launch, { journal });
  await put(store(), '{}', 500);
  const found = await inspectApp(await place(), machine(), new Set());
  expect((await loadAppStatus(found, [launch])).connected).toBe('stale');
  const plan = await planInstall(await place(), launch, journal);
  expect(plan.file).toBe(store());
  await installEntry(await place(), launch, { journal }, plan.revision);
  expect((await loadAppStatus(found, [launch])).connected).toBe('yes');
});

test('writes no file if one of them cannot be written', async () => {
  await put(classic(), '{ "broken": ', 1000);
  await put(store(), '{}', 2000);
  const before = await texts();
  await expect(installEntry(await place(), launch, { journal })).rejects.toMatchObject({ code: 'config_invalid' });
  expect(await texts()).toEqual(before);
});

/** Connects and disconnects client apps: preserved settings, rejected changes, connection tests, and warnings. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { knownApp, type Machine } from '../../../src-main/core/client-apps/app-files.ts';
import { readAppServers } from '../../../src-main/core/client-apps/app-servers.ts';
import { loadAppStatus, appWarning } from '../../../src-main/core/client-apps/app-status.ts';
import { ChangeJournal } from '../../../src-main/core/client-apps/change-journal.ts';
import { findApps } from '../../../src-main/core/client-apps/find-apps.ts';
import { insertEntry } from '../../../src-main/core/client-apps/tooltray-entry.ts';
import {
  installEntry,
  planInstall,
  planUninstall,
  repairEntry,
  uninstallEntries,
} from '../../../src-main/core/client-apps/install.ts';
import { undoableChanges, undoChange } from '../../../src-main/core/client-apps/undo-app-change.ts';
import { readAppFile, revisionOf } from '../../../src-main/core/client-apps/update-app-file.ts';

const launch = { command: '/opt/tooltray', args: ['stdio', '--app', 'kiro'] };

let home = '';
let file = '';
let journal = new ChangeJournal('');
let machine: Machine = { platform: 'linux', home: '', env: {} };
const kiro = () => ({ app: knownApp('kiro'), file });

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tooltray-connect-'));
  file = join(home, '.kiro', 'settings', 'mcp.json');
  machine = { platform: 'linux', home, env: {} };
  journal = new ChangeJournal(join(home, 'data', 'app-changes'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

async function write(value: unknown): Promise<void> {
  await mkdir(join(home, '.kiro', 'settings'), { recursive: true });
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value));
}

async function entries(): Promise<Record<string, unknown>> {
  return (JSON.parse(await readFile(file, 'utf8')) as { mcpServers: Record<string, unknown> }).mcpServers;
}

test('keeps what the user set in the entry, but enables it', async () => {
  await write({
    mcpServers: { tooltray: { command: '/old', args: ['stdio'], disabled: true, autoApprove: ['a'], timeout: 5 } },
  });
  await installEntry(kiro(), launch, { journal });
  expect(await entries()).toEqual({ tooltray: { ...launch, disabled: false, autoApprove: ['a'], timeout: 5 } });
});

test('repairs a moved launcher and keeps the entry disabled', async () => {
  await write({ mcpServers: { tooltray: { command: '/gone/tooltray', args: ['stdio'], disabled: true } } });
  expect((await repairEntry(kiro(), launch, journal))?.action).toBe('repair');
  expect(await entries()).toEqual({ tooltray: { ...launch, disabled: true, autoApprove: [] } });
  expect(await repairEntry(kiro(), launch, journal)).toBeUndefined();
});

test('does not connect an unconnected app at a repair', async () => {
  await write({ mcpServers: {} });
  expect(await repairEntry(kiro(), launch, journal)).toBeUndefined();
  await rm(file);
  expect(await repairEntry(kiro(), launch, journal)).toBeUndefined();
});

test('restores the exact file if the new entry does not work, and reports the reason', async () => {
  const text = '{"mcpServers":{"mine":{"command":"x"}}}';
  await write(text);
  const tryLaunch = async (): Promise<string> => '"/opt/tooltray" was not found.';
  await expect(installEntry(kiro(), launch, { journal, tryLaunch })).rejects.toMatchObject({
    code: 'server_not_started',
    message: 'The entry for Kiro did not work: "/opt/tooltray" was not found.',
  });
  expect([await readFile(file, 'utf8'), await journal.changes()]).toEqual([text, []]);
});

test('tries the launch that the file contains', async () => {
  const tried: unknown[] = [];
  const tryLaunch = async (found: unknown): Promise<undefined> => void tried.push(found);
  await installEntry(kiro(), launch, { journal, tryLaunch });
  expect(tried).toEqual([{ ...launch, env: undefined, cwd: undefined }]);
});

test('rejects an undo if the file has changed since, and leaves it unchanged', async () => {
  await write({ mcpServers: {} });
  const change = await installEntry(kiro(), launch, { journal });
  await write({ mcpServers: {}, theirs: 1 });
  await expect(undoChange(change?.id ?? '', journal)).rejects.toMatchObject({
    code: 'config_conflict',
    message: `${file} was changed by another program since then, so nothing was undone.`,
  });
  expect(await readFile(file, 'utf8')).toBe('{"mcpServers":{},"theirs":1}');
});

test('removes only the Tooltray entries at uninstall if the file has changed since', async () => {
  await installEntry(kiro(), launch, { journal });
  const { tooltray } = await entries();
  await write({ mcpServers: { tooltray, other: { command: 'x' }, byHand: { command: 'tooltray', args: ['stdio'] } } });
  expect((await planUninstall(kiro(), journal)).diff.filter(({ kind }) => kind !== 'same')).toHaveLength(2);
  await uninstallEntries(kiro(), journal);
  expect(await entries()).toEqual({ other: { command: 'x' } });
});

test('keeps backups for the owner only, and only while a change needs them', async () => {
  await write({ mcpServers: {}, token: 'secret' });
  const copies = async (): Promise<string[]> => readdir(join(home, 'data', 'app-changes', 'backups', 'kiro'));
  const change = await installEntry(kiro(), launch, { journal });
  expect([(await copies()).length, (await stat(change?.backup ?? '')).mode & 0o777]).toEqual([1, 0o600]);
  await undoChange(change?.id ?? '', journal);
  expect(await copies()).toEqual([]);
});

test('undoes a change once and rejects an unknown change', async () => {
  const { id = '' } = (await installEntry(kiro(), launch, { journal })) ?? {};
  await undoChange(id, journal);
  expect(await undoableChanges(journal)).toEqual([]);
  for (const gone of [id, '../../etc/passwd'])
    await expect(undoChange(gone, journal)).rejects.toMatchObject({ code: 'not_found' });
});

test('does not offer to undo a change that was recorded but never written', async () => {
  await write({ mcpServers: {} });
  const before = await readFile(file, 'utf8');
  const states = { before: revisionOf(before), after: revisionOf(insertEntry(before, kiro().app, { launch })) };
  const noted = { app: 'kiro', file, action: 'install', madeFolder: undefined } as const;
  const killed = await journal.record({ ...noted, ...states }, before);
  expect(await undoableChanges(journal)).toEqual([]);
  const made = await installEntry(kiro(), launch, { journal });
  expect([(await undoableChanges(journal)).map(({ id }) => id), killed.after]).toEqual([[made?.id], made?.after]);
  await undoChange(made?.id ?? '', journal);
  expect([await undoableChanges(journal), await readFile(file, 'utf8')]).toEqual([[], before]);
});

test('shows the changed lines in the preview, with secrets masked', async () => {
  await write(
    '{\n  "mcpServers": {\n    "mine": { "command": "x", "env": { "API_TOKEN": "s3cr3t-value-1234567890" } }\n  }\n}\n',
  );
  const { diff, backup, snippet } = await planInstall(kiro(), launch, journal);
  expect(diff.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'same {',
    'same   "mcpServers": {',
    'removed     "mine": { "command": "x", "env": { "API_TOKEN": "***" } }',
    'added     "mine": { "command": "x", "env": { "API_TOKEN": "***" } },',
    ...[
      '"tooltray": {',
      '  "command": "/opt/tooltray",',
      '  "args": ["stdio", "--app", "kiro"],',
      '  "disabled": false,',
      '  "autoApprove": []',
      '}',
    ].map((line) => `added     ${line}`),
    'same   }',
    'same }',
  ]);
  expect([backup.startsWith(join(home, 'data')), JSON.parse(snippet)]).toEqual([
    true,
    { mcpServers: { tooltray: { ...launch, disabled: false, autoApprove: [] } } },
  ]);
});

test('shows only the changed part of a file with one long line', async () => {
  await write(JSON.stringify({ mcpServers: { mine: { command: 'x' } }, pad: 'y'.repeat(100_000) }));
  const { diff } = await planInstall(kiro(), launch, journal);
  expect(diff.every(({ text }) => text.length < 301)).toBe(true);
  expect(diff.find(({ kind }) => kind === 'added')?.text).toContain('"tooltray": { "command": "/opt/tooltray"');
});

test('finds apps by their file or folder, and running ones by their process', async () => {
  await write({ mcpServers: { a: { command: 'x' }, old: { command: '/old/tooltray', args: ['stdio'] } } });
  await mkdir(join(home, '.cursor'));
  const found = await findApps(machine, new Set(['kiro', 'something']));
  const here = found.filter(({ installed }) => installed);
  expect(here.map(({ app, running }) => [app.id, running])).toEqual([
    ['cursor', false],
    ['kiro', true],
  ]);
  const status = await Promise.all(here.map((one) => loadAppStatus(one, [launch])));
  expect(status.map(({ id, connected, servers, problem }) => [id, connected, servers, problem])).toEqual([
    ['cursor', 'no', 0, ''],
    ['kiro', 'stale', 1, ''],
  ]);
});

test('uses the config file that exists of several', async () => {
  await mkdir(join(home, '.config', 'opencode'), { recursive: true });
  await writeFile(join(home, '.config', 'opencode', 'opencode.json'), '{}');
  const found = (await findApps(machine, new Set())).find(({ app }) => app.id === 'opencode');
  expect(found?.file).toBe(join(home, '.config', 'opencode', 'opencode.json'));
});

test('reports an unreadable file as the reason why the app cannot be changed', async () => {
  await write('{ "mcpServers": ');
  const [status] = await Promise.all(
    (await findApps(machine, new Set()))
      .filter(({ app }) => app.id === 'kiro')
      .map((one) => loadAppStatus(one, [launch])),
  );
  expect(status?.problem).toContain('cannot be read (line 1');
});

test('reports a folder in place of a file in words, not by the name of the system error', async () => {
  const file = join(home, '.claude.json');
  await mkdir(file);
  await expect(readAppFile(file)).rejects.toMatchObject({
    code: 'not_allowed',
    text: expect.not.stringContaining('EISDIR') as string,
  });
});

test('reads the project servers of Claude Code', async () => {
  const claude = { app: knownApp('claude-code'), file: join(home, '.claude.json') };
  await writeFile(
    claude.file,
    JSON.stringify({
      projects: { '/p': { mcpServers: { local: { command: 'x', args: ['y'] } } } },
      mcpServers: { user: { type: 'http', url: 'https://a.b/mcp' } },
    }),
  );
  const { servers } = await readAppServers(claude);
  expect(servers.map(({ path, launch: found }) => [path, found])).toEqual([
    [['mcpServers', 'user'], { url: 'https://a.b/mcp', headers: undefined }],
    [['projects', '/p', 'mcpServers', 'local'], { command: 'x', args: ['y'], env: undefined, cwd: undefined }],
  ]);
});

test('warns about a running app that overwrites its settings', () => {
  const found = { app: knownApp('claude-desktop'), file: '', installed: true };
  expect(appWarning({ ...found, running: true })).toContain('Quit it first');
  expect(appWarning({ ...found, running: false })).toBeUndefined();
});

/** ConfigStore: hot reload, concurrent edits and invalid edits. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AppConfig } from '../../../src-main/core/config/app-config.ts';
import { ConfigStore } from '../../../src-main/core/config/config-store.ts';
import { addServer, removeServer, setTopLevel } from '../../../src-main/core/config/edit-config.ts';
import { updateConfigFile } from '../../../src-main/core/config/update-config-file.ts';

const isPosix = process.platform !== 'win32';
const one = '{\n  // mine\n  "servers": { "a": { "command": "x" } }\n}\n';
let folder = '';
let path = '';
let store: ConfigStore | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-config-'));
  path = join(folder, 'config.json');
});

afterEach(async () => {
  await store?.stop();
  store = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function open(text: string, env: Record<string, string> = {}): Promise<ConfigStore> {
  await writeFile(path, text);
  return (store = await ConfigStore.open(path, env));
}

async function watched(text: string): Promise<{ store: ConfigStore; changes: AppConfig[] }> {
  const opened = await open(text);
  await opened.start();
  const changes: AppConfig[] = [];
  opened.changed.on((config) => changes.push(config));
  return { store: opened, changes };
}

const names = (config: AppConfig): string[] => config.servers.map(({ name }) => name);
const until = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 30_000, interval: 20 });

test('rejects a missing file with a code, and opens an invalid one without servers', async () => {
  await expect(ConfigStore.open(path)).rejects.toMatchObject({ code: 'config_not_found' });
  const bad = await open('{ "servers": ');
  expect(names(bad.current)).toEqual([]);
  expect(bad.problems).toMatchObject([{ severity: 'error', file: path, line: 1, column: 14 }]);
});

test('leaves no file watcher if it is stopped while it starts', async () => {
  const opened = await open(one);
  const watching = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'FSEventWrap').length;
  const before = watching();
  const started = opened.start();
  await opened.stop();
  await started;
  await until(() => expect(watching()).toBe(before));
});

test('reports a file that is not UTF-8 and never overwrites it', async () => {
  await writeFile(path, Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]));
  store = await ConfigStore.open(path);
  expect(store.problems).toMatchObject([{ severity: 'error', reason: `${path} is not UTF-8 text.` }]);
  await expect(store.update((text) => addServer(text, 'n', {}))).rejects.toMatchObject({ code: 'config_invalid' });
  expect((await readFile(path)).length).toBe(6);
});

test('reports each change by an editor once, whether written in place or by rename', async () => {
  const { changes } = await watched(one);
  await writeFile(path, one.replace('"a"', '"b"'));
  await until(() => expect(changes.map(names)).toEqual([['b']]));
  await writeFile(`${path}.new`, one.replace('"a"', '"c"'));
  await rename(`${path}.new`, path);
  await until(() => expect(changes.map(names)).toEqual([['b'], ['c']]));
  await rename(path, `${path}~`);
  await writeFile(path, one.replace('"a"', '"d"'));
  await until(() => expect(changes.map(names)).toEqual([['b'], ['c'], ['d']]));
});

test('does not report a change of comments only', async () => {
  const { store: opened, changes } = await watched(one);
  await writeFile(path, one.replace('mine', 'yours'));
  await opened.reload();
  await writeFile(path, one.replace('"a"', '"b"'));
  await until(() => expect(changes.map(names)).toEqual([['b']]));
});

test('keeps the last good state after a bad edit, with file, line and reason, until it is fixed', async () => {
  const { store: opened, changes } = await watched(one);
  await writeFile(path, '{\n  "servers": { "a": { "command": "x" }\n');
  const reason = 'An object is not closed. The last valid configuration stays in use.';
  await until(() => expect(opened.problems).toMatchObject([{ file: path, line: 3, column: 1, reason }]));
  expect([names(opened.current), changes]).toEqual([['a'], []]);
  await writeFile(path, one);
  await until(() => expect(opened.problems).toEqual([]));
  expect(changes).toEqual([]);
});

test('keeps the last good version of a bad entry and updates the others', async () => {
  const opened = await open('{ "servers": { "a": { "command": "x" }, "b": { "command": "x" } } }');
  const good = opened.current.servers[0];
  await writeFile(path, '{ "servers": { "a": { "command": 5 }, "b": { "command": "y" }, "c": {} } }');
  await opened.reload();
  expect(opened.current.servers).toMatchObject([good, { name: 'b', command: 'y' }]);
  expect(opened.problems.map(({ path: at }) => at)).toEqual(['servers.a.command', 'servers.c']);
});

test('keeps the last good state of a deleted file, and reads it again once it is back', async () => {
  const { store: opened, changes } = await watched(one);
  await rm(path);
  await until(() => expect(opened.problems).toMatchObject([{ severity: 'error', file: path }]));
  expect(names(opened.current)).toEqual(['a']);
  await writeFile(path, one.replace('"a"', '"b"'));
  await until(() => expect(changes.map(names)).toEqual([['b']]));
  expect(opened.problems).toEqual([]);
});

test('applies its own edit before it resolves, and reports it once', async () => {
  const { store: opened, changes } = await watched(one);
  await opened.update((text) => addServer(text, 'b', { command: 'y' }));
  expect([names(opened.current), changes.map(names)]).toEqual([['a', 'b'], [['a', 'b']]]);
  // The next external change shows that the watcher has processed the first.
  await writeFile(path, one);
  await until(() => expect(changes.map(names)).toEqual([['a', 'b'], ['a']]));
});

test('keeps comments, makes five backups and leaves no other files', async () => {
  const opened = await open(one);
  await opened.update((text) => setTopLevel(text, 'mode', 'search'));
  expect(await readFile(path, 'utf8')).toContain('// mine');
  expect(await readFile(`${path}.bak`, 'utf8')).toBe(one);
  for (let port = 1; port <= 7; port++) await opened.update((text) => setTopLevel(text, 'port', port));
  expect((await readdir(folder)).sort()).toEqual([
    'config.json',
    ...['', '.1', '.2', '.3', '.4'].map((n) => `config.json.bak${n}`),
  ]);
});

test('writes nothing for an edit without a change', async () => {
  const opened = await open(one);
  await opened.update((text) => text);
  expect(await readdir(folder)).toEqual(['config.json']);
});

test('leaves the file unchanged if an edit throws or would break it', async () => {
  const opened = await open(one);
  await expect(opened.update(() => '{')).rejects.toMatchObject({ code: 'config_invalid' });
  await expect(opened.update((text) => removeServer(text, 'zz'))).rejects.toMatchObject({ code: 'server_not_found' });
  expect([await readFile(path, 'utf8'), await readdir(folder)]).toEqual([one, ['config.json']]);
});

test('repeats an edit on the new text if an editor saves in between', async () => {
  const opened = await open(one);
  let tries = 0;
  await opened.update((text) => {
    if (tries++ === 0) writeFileSync(path, one.replace('"a"', '"theirs"'));
    return addServer(text, 'ours', { command: 'y' });
  });
  expect([tries, names(opened.current)]).toEqual([2, ['theirs', 'ours']]);
});

test('rejects with config_conflict if the file never stops changing', async () => {
  await writeFile(path, one);
  let count = 0;
  const edit = (text: string): string => {
    writeFileSync(path, one.replace('mine', `theirs ${count++}`));
    return addServer(text, 'ours', { command: 'y' });
  };
  await expect(updateConfigFile(path, edit)).rejects.toMatchObject({ code: 'config_conflict' });
});

test('loses no edit of two processes that edit at the same time', async () => {
  await writeFile(path, one);
  const script = join(import.meta.dirname, 'update-many.fixture.ts');
  const run = async (prefix: string): Promise<unknown> => {
    const child = spawn(process.execPath, [script, path, prefix, '50'], { stdio: ['ignore', 'ignore', 'inherit'] });
    return (await once(child, 'exit'))[0] as unknown;
  };
  expect(await Promise.all([run('p'), run('q')])).toEqual([0, 0]);
  const found = names((await ConfigStore.open(path)).current);
  const all = ['p', 'q'].flatMap((prefix) => Array.from({ length: 50 }, (_, index) => `${prefix}${index}`));
  expect(found.sort()).toEqual(['a', ...all].sort());
});

test('applies many concurrent edits in one process', async () => {
  const opened = await open(one);
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => opened.update((text) => addServer(text, `s${n}`, { command: 'y' }))),
  );
  expect(opened.current.servers).toHaveLength(21);
});

test.runIf(isPosix)('writes through a link to its target and detects changes of the target', async () => {
  const target = join(folder, 'dotfiles', 'tooltray.json');
  await mkdir(join(folder, 'dotfiles'));
  await writeFile(target, one, { mode: 0o640 });
  await symlink(target, path);
  store = await ConfigStore.open(path);
  await store.start();
  await store.update((text) => addServer(text, 'b', { command: 'y' }));
  expect([(await lstat(path)).isSymbolicLink(), ((await stat(target)).mode & 0o777).toString(8)]).toEqual([
    true,
    '640',
  ]);
  expect(await readFile(target, 'utf8')).toContain('"b"');
  await writeFile(target, one);
  await until(() => expect(names(store?.current ?? expect.fail())).toEqual(['a']));
});

test.runIf(isPosix)('creates a config file that only its owner can read', async () => {
  const fresh = join(folder, 'deep', 'config.json');
  await updateConfigFile(fresh, (text) => addServer(text, 'a', { command: 'x' }));
  expect(((await stat(fresh)).mode & 0o777).toString(8)).toBe('600');
});

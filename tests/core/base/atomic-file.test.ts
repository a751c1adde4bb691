/** Files are replaced atomically. */
import { chmod, lstat, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rotateBackups, writeFileAtomic } from '../../../src-main/core/base/atomic-file.ts';

const isPosix = process.platform !== 'win32';
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-atomic-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function mode(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

test('creates a new file with its folders, and leaves no temporary file', async () => {
  const path = join(folder, 'deep', 'er', 'file');
  expect(await writeFileAtomic(path, 'héllo')).toBe(true);
  expect(await readFile(path, 'utf8')).toBe('héllo');
  expect(await readdir(join(folder, 'deep', 'er'))).toEqual(['file']);
});

test.runIf(isPosix)('makes a new file private, and keeps the permissions of an existing one', async () => {
  const [fresh, old] = [join(folder, 'fresh'), join(folder, 'old')];
  await writeFile(old, 'x');
  await chmod(old, 0o644);
  await writeFileAtomic(fresh, 'y');
  await writeFileAtomic(old, 'y', { mode: 0o600 });
  expect([await mode(fresh), await mode(old)]).toEqual(['600', '644']);
});

test.runIf(isPosix)('keeps a symbolic link, and writes its target', async () => {
  const [target, alias] = [join(folder, 'target'), join(folder, 'alias')];
  await writeFile(target, 'old');
  await symlink('target', alias);
  await writeFileAtomic(alias, 'new');
  expect((await lstat(alias)).isSymbolicLink()).toBe(true);
  expect([await readlink(alias), await readFile(target, 'utf8')]).toEqual(['target', 'new']);
});

test('keeps the old file and leaves no temporary file if a write is refused or fails', async () => {
  const path = join(folder, 'file');
  await writeFile(path, 'old');
  expect(await writeFileAtomic(path, 'new', { beforeReplace: async () => false })).toBe(false);
  await expect(writeFileAtomic(path, 'new', { beforeReplace: () => Promise.reject(new Error('no')) })).rejects.toThrow(
    'no',
  );
  expect([await readFile(path, 'utf8'), await readdir(folder)]).toEqual(['old', ['file']]);
});

test('shows readers one whole content while many writers write', async () => {
  const path = join(folder, 'file');
  const contents = ['a', 'b', 'c'].map((letter) => letter.repeat(200_000));
  await writeFileAtomic(path, contents[0] ?? '');
  let writing = true;
  const writers = Promise.all(
    Array.from({ length: 12 }, (_, index) => writeFileAtomic(path, contents[index % 3] ?? '')),
  ).then(() => {
    writing = false;
  });
  const seen = new Set<string>();
  while (writing) seen.add(await readFile(path, 'utf8'));
  await writers;
  expect([...seen].filter((content) => !contents.includes(content))).toEqual([]);
});

test('rotates backups and deletes the oldest', async () => {
  const path = join(folder, 'file');
  await rotateBackups(path, 3);
  for (const content of ['1', '2', '3', '4']) {
    await writeFile(path, content);
    await rotateBackups(path, 3);
  }
  expect((await readdir(folder)).sort()).toEqual(['file', 'file.bak', 'file.bak.1', 'file.bak.2']);
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  expect(await Promise.all(['file.bak', 'file.bak.1', 'file.bak.2'].map(read))).toEqual(['4', '3', '2']);
});

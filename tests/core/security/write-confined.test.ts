/** Files are written atomically, and keep their attributes. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeConfined } from '../../../src-main/core/security/write-confined.ts';
import { makeFolders, refusal } from './confined-folders.ts';

const onWindows = process.platform === 'win32';

let base: string;
let root: string;

beforeAll(async () => {
  ({ base, root } = await makeFolders());
});

afterAll(() => rm(base, { recursive: true, force: true }));

test('keeps the permissions of an overwritten file, and leaves no temporary file', async () => {
  const path = join(root, 'script.sh');
  await writeFile(path, 'old', { mode: 0o750 });
  await writeConfined([root], 'script.sh', 'new', 'overwrite');
  const left = (await readdir(root)).filter((name) => name.endsWith('.tmp'));
  expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777, left]).toEqual([
    'new',
    onWindows ? 0o666 : 0o750,
    [],
  ]);
});

test('does not overwrite a read-only file', async () => {
  await writeFile(join(root, 'locked.txt'), 'old', { mode: 0o444 });
  expect([
    await refusal(writeConfined([root], 'locked.txt', 'new', 'overwrite')),
    await readFile(join(root, 'locked.txt'), 'utf8'),
  ]).toEqual(['not_allowed', 'old']);
});

test('lets exactly one of many concurrent creations of a file succeed', async () => {
  const writes = Array.from({ length: 20 }, (_, index) => writeConfined([root], 'contested', String(index), 'create'));
  const done = await Promise.allSettled(writes);
  expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

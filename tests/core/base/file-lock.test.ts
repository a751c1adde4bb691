/** Exclusive, and never held forever. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LockFile, withSqliteLock } from '../../../src-main/core/base/file-lock.ts';

let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-lock-'));
  path = join(folder, 'config.json');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

test('runs work under the lock one at a time, and removes the lock file', async () => {
  let inside = 0;
  const seen: number[] = [];
  const work = async (): Promise<void> => {
    seen.push(++inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
  };
  await Promise.all(Array.from({ length: 10 }, () => withSqliteLock(path, work)));
  expect(seen).toEqual(Array.from({ length: 10 }, () => 1));
  expect(await readdir(folder)).toEqual([]);
});

test('releases the lock when the work fails', async () => {
  await expect(withSqliteLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withSqliteLock(path, async () => 'yes')).toBe('yes');
});

test('takes over the lock of a dead process', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  await writeFile(`${path}.lock`, `${pid} x\n`);
  expect(await withSqliteLock(path, async () => 'mine', { waitMs: 0 })).toBe('mine');
});

test('takes over an expired lock, one holder at a time', async () => {
  await writeFile(`${path}.lock`, `${process.pid} x\n`);
  await utimes(`${path}.lock`, new Date(0), new Date(0));
  let inside = 0;
  const most = await Promise.all(
    Array.from({ length: 10 }, () =>
      withSqliteLock(path, async () => {
        const now = ++inside;
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
        return now;
      }),
    ),
  );
  expect(Math.max(...most)).toBe(1);
});

test('fails with the pid of the process that holds the lock', async () => {
  await writeFile(`${path}.lock`, `${process.pid} x\n`);
  await expect(withSqliteLock(path, async () => 'mine', { waitMs: 50 })).rejects.toMatchObject({
    code: 'config_conflict',
    message: `Another process (pid ${process.pid}) keeps the config file locked.`,
  });
});

test('names the lock in an error of the file system, not the draft beside it', () => {
  const file = join(folder, 'missing', 'config.json.lock');
  using lock = new LockFile(file, 1000);
  expect(() => lock.tryAcquire()).toThrow(expect.objectContaining({ code: 'ENOENT', path: file }));
});

test('never shows a lock file without the pid of its holder', async () => {
  const file = join(folder, 'taken.lock');
  const taker = spawn(process.execPath, [join(import.meta.dirname, 'lock-taker.fixture.ts'), file], {
    stdio: 'ignore',
  });
  const seen = new Set<string>();
  try {
    for (let found = 0; found < 5000;) {
      try {
        seen.add(readFileSync(file, 'utf8').replace(/ .*/s, ''));
        found++;
      } catch {
        // The lock is free, or the other process has not started.
        if (found === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
  } finally {
    taker.kill('SIGKILL');
    await once(taker, 'close');
  }
  expect([...seen]).toEqual([String(taker.pid)]);
});

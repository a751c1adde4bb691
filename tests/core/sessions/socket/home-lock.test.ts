/** The lock of a core on its home is exclusive, ends with its holder, and is recreated if damaged. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HomeLock } from '../../../../src-main/core/sessions/socket/home-lock.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooltray-lock-'));
  file = join(folder, 'core.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('is held by one process at a time and free after its release', async () => {
  const first = await HomeLock.take(file, 0);
  expect([HomeLock.isHeld(file), HomeLock.tryTake(file)]).toEqual([true, undefined]);
  const second = HomeLock.take(file, 60_000);
  first[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  expect(HomeLock.isHeld(file)).toBe(false);
});

test('rejects at once while the holder responds, otherwise after the timeout', async () => {
  using _held = await HomeLock.take(file, 0);
  const refused = { code: 'already_running' };
  await expect(HomeLock.take(file, 60_000, () => Promise.resolve(true))).rejects.toMatchObject(refused);
  await expect(HomeLock.take(file, 20)).rejects.toMatchObject(refused);
});

test('is free after its holder was killed', async () => {
  const module = pathToFileURL(
    join(import.meta.dirname, '../../../../src-main/core/sessions/socket/home-lock.ts'),
  ).href;
  const script = `import { HomeLock } from '${module}';
    globalThis.lock = await HomeLock.take(${JSON.stringify(file)}, 0); console.log('held'); setInterval(() => undefined, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script]);
  await once(holder.stdout, 'data');
  expect(HomeLock.isHeld(file)).toBe(true);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  using _mine = await HomeLock.take(file, 0);
});

test.each([
  ['garbage', () => writeFileSync(file, Buffer.alloc(4096, 7))],
  ['half a page', () => writeFileSync(file, 'SQLite format 3\0cut')],
])('recreates a lock file that is %s, and holds it', async (_what, damage) => {
  damage();
  using _held = await HomeLock.take(file, 0);
  expect(HomeLock.isHeld(file)).toBe(true);
});

test('names the file that cannot be locked', async () => {
  mkdirSync(file);
  await expect(HomeLock.take(file, 0)).rejects.toMatchObject({ path: file });
});

test('is released only once', async () => {
  const lock = await HomeLock.take(file, 0);
  lock[Symbol.dispose]();
  lock[Symbol.dispose]();
  expect(HomeLock.isHeld(file)).toBe(false);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withFileLock } from '../../../../src-main/core/sessions/socket/socket-listener.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooltray-lock-'));
  file = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('what is done under the lock is done one at a time, and its value comes back', async () => {
  const events: string[] = [];
  const work = (name: number) => async () => {
    events.push('in');
    await new Promise((resolve) => setTimeout(resolve, 5));
    events.push('out');
    return name;
  };
  expect(await Promise.all([1, 2, 3].map((name) => withFileLock(file, 5000, work(name))))).toEqual([1, 2, 3]);
  expect(events).toEqual(['in', 'out', 'in', 'out', 'in', 'out']);
});

test('the lock of a killed process is free; while it lives, who waits is told', async () => {
  const module = pathToFileURL(
    join(import.meta.dirname, '../../../../src-main/core/sessions/socket/socket-listener.ts'),
  ).href;
  const script = `import { withFileLock } from '${module}';
    await withFileLock(${JSON.stringify(file)}, 0, () => new Promise((resolve) => { console.log('held'); setInterval(() => resolve.length, 1000); }));`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script]);
  await once(holder.stdout, 'data');
  await expect(withFileLock(file, 20, async () => 'mine')).rejects.toMatchObject({ code: 'already_running' });
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  expect(await withFileLock(file, 0, async () => 'mine')).toBe('mine');
});

test('an error under the lock rises and frees it', async () => {
  const failing = withFileLock(file, 0, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(await withFileLock(file, 0, async () => 1)).toBe(1);
});

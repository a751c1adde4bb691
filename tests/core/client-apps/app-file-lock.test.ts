/** The lock for files of other programs is exclusive and creates no file next to them. */
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { appLockFolder, withAppFileLock } from '../../../src-main/core/client-apps/app-file-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooltray-app-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('runs one task at a time and creates no file beside the locked one', async () => {
  const file = join(folder, 'mcp.json');
  const events: string[] = [];
  const work = async (): Promise<void> => {
    events.push('in', String(readdirSync(folder).length));
    await new Promise((resolve) => setImmediate(resolve));
    events.push('out');
  };
  await Promise.all([withAppFileLock(file, work), withAppFileLock(file, work)]);
  expect(events).toEqual(['in', '0', 'out', 'in', '0', 'out']);
});

test('removes locks of killed processes, whichever file they locked', async () => {
  await withAppFileLock(join(folder, 'a'), () => Promise.resolve());
  const left = join(appLockFolder(), 'of-another-file.lock');
  writeFileSync(left, '999999999 x\n');
  utimesSync(left, 0, 0);
  await withAppFileLock(join(folder, 'b'), () => Promise.resolve());
  expect(existsSync(left)).toBe(false);
});

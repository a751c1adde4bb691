/** Stores that cannot write: reported once, probed, and cleared when writing works again. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { StoreHealth } from '../../../src-main/core/health/store-health.ts';

const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
const readOnly = Object.assign(new Error('read-only'), { code: 'EROFS', syscall: 'open' });

test('reports a failing store once, with the time of its first failure and the reason of its last', async () => {
  let now = 1000;
  const health = new StoreHealth({ now: () => now });
  let changes = 0;
  health.changed.on(() => changes++);
  health.failed('audit', full, '/data/audit');
  now = 2000;
  health.failed('audit', full, '/data/audit');
  expect(changes).toBe(1);
  health.failed('audit', readOnly, '/data/audit');
  health.failed('activity', full, '/data');
  expect(changes).toBe(3);
  expect(health.problems).toEqual([
    expect.objectContaining({ store: 'activity', since: 2000 }),
    expect.objectContaining({ store: 'audit', since: 1000, summary: expect.stringContaining('read-only') as string }),
  ]);
  health.wrote('audit');
  health.wrote('audit');
  expect(changes).toBe(4);
  expect(health.problems.map(({ store }) => store)).toEqual(['activity']);
  await health.close();
});

test('clears a store by itself when its folder can be written again, and leaves no file there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tooltray-health-'));
  const health = new StoreHealth({ retryMs: 5 });
  health.failed('log', full, join(folder, 'missing'));
  health.failed('spills', full, folder);
  await until(() => health.problems.length < 2);
  expect(health.problems.map(({ store }) => store)).toEqual(['log']);
  await health.close();
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as quiet } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IncrementalTransaction } from '../../../src-main/core/activity/incremental-transaction.ts';
import { RecoveringDatabase } from '../../../src-main/core/base/recovering-database.ts';
import { runInTransaction } from '../../../src-main/core/base/private-database.ts';
import { call, openActivity } from './fixture.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'open-batch-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const kind = { name: 'The test', steps: ['CREATE TABLE rows (n INTEGER NOT NULL) STRICT'] };
const store = (): RecoveringDatabase => new RecoveringDatabase(join(folder, 'rows.db'), kind, () => undefined);
const insert =
  (...rows: number[]) =>
  (database: DatabaseSync): void =>
    runInTransaction(database, () => {
      for (const n of rows) database.prepare('INSERT INTO rows VALUES (?)').run(n);
    });
const rowsOf = (file: string): unknown[] => {
  using database = new DatabaseSync(join(folder, file));
  const rows = database.prepare('SELECT n FROM rows ORDER BY n').all();
  return rows.map(({ n }) => n);
};

test('hides its parts from other connections until it commits', () => {
  const batch = new IncrementalTransaction(store());
  expect(batch.add(insert(1, 2))).toBe(true);
  expect(batch.add(insert(3))).toBe(true);
  expect([batch.isOpen, rowsOf('rows.db')]).toEqual([true, []]);
  batch.commit();
  expect([batch.isOpen, rowsOf('rows.db')]).toEqual([false, [1, 2, 3]]);
});

test('keeps the other parts when one fails, and nothing after a rollback', () => {
  const batch = new IncrementalTransaction(store());
  batch.add(insert(1));
  expect(() => batch.add((database) => insert(2, 'three' as unknown as number)(database))).toThrow(/store TEXT value/);
  batch.commit();
  expect(rowsOf('rows.db')).toEqual([1]);
  batch.add(insert(4));
  batch.rollback();
  expect([batch.isOpen, rowsOf('rows.db')]).toEqual([false, [1]]);
});

test('recreates a broken file with the current part, and reports that earlier parts are lost', () => {
  const batch = new IncrementalTransaction(store());
  batch.add(insert(1));
  let isBroken = true;
  const isWhole = batch.add((database) => {
    if (isBroken) {
      isBroken = false;
      throw Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
    }
    insert(2)(database);
  });
  batch.commit();
  expect([isWhole, rowsOf('rows.db')]).toEqual([false, [2]]);
});

test('writes the calls of a failed batch once with the next batch, and reports their ids then', async () => {
  await using open = openActivity(folder);
  const [told, written] = [vi.fn(), vi.fn()];
  const write = vi.fn(() => {
    if (write.mock.calls.length === 2) throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
  });
  open.activity.joinBatches({ waiting: 1, write, written });
  const slow = (): void => {
    for (const until = performance.now() + 0.1; performance.now() < until;);
    open.activity.record(call(), undefined, told);
  };
  // The batch is not committed between its parts, however busy the machine is.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  for (let n = 0; n < 100; n++) open.activity.deferRecord(slow);
  await quiet(20);
  vi.advanceTimersByTime(200);
  while (write.mock.calls.length < 2) await new Promise((resolve) => setImmediate(resolve));
  vi.useRealTimers();
  expect([told.mock.calls, written.mock.calls]).toEqual([[], [[false]]]);
  open.activity.flush();
  expect(written.mock.calls).toEqual([[false], [true]]);
  expect(new Set(told.mock.calls.flat()).size).toBe(100);
  expect(open.activity.stats().calls).toBe(100);
});

test('recreates a file that breaks during a write, with its calls and the rows of other writers', async () => {
  await using open = openActivity(folder);
  const told = vi.fn();
  const rows = { waiting: 1, given: 0, onDisk: 0 };
  let isBroken = true;
  open.activity.joinBatches({
    get waiting() {
      return rows.waiting;
    },
    write() {
      rows.given += rows.waiting;
      rows.waiting = 0;
      if (!isBroken) return;
      isBroken = false;
      throw Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
    },
    written(isOnDisk) {
      if (isOnDisk) rows.onDisk += rows.given;
      else rows.waiting += rows.given;
      rows.given = 0;
    },
  });
  for (let n = 0; n < 3; n++) open.activity.record(call(), undefined, told);
  open.activity.flush();
  // By itself, in the moment.
  await expect.poll(() => told.mock.calls.length).toBe(3);
  expect(open.activity.stats().calls).toBe(3);
  expect(rows).toEqual({ waiting: 0, given: 0, onDisk: 1 });
});

test('loses no call while the folder cannot be created', async () => {
  const file = join(folder, 'not', 'yet', 'activity.db');
  writeFileSync(join(folder, 'not'), '');
  await using open = openActivity(folder, { file });
  const told = vi.fn();
  for (let n = 0; n < 100; n++) open.activity.deferRecord(() => open.activity.record(call(), undefined, told));
  open.activity.flush();
  expect(told).not.toHaveBeenCalled();
  rmSync(join(folder, 'not'));
  open.activity.flush();
  expect(told).toHaveBeenCalledTimes(100);
  expect(open.activity.stats().calls).toBe(100);
});

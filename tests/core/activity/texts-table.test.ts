/** The payload table after a failed write. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type MaskedPayload, PayloadTable } from '../../../src-main/core/activity/payloads/payload-table.ts';
import { textLimits } from './texts-fixture.ts';

function called(id: number, startedAt = id): MaskedPayload {
  return { id, startedAt, texts: { asked: { text: `hello ${id}` }, sent: { text: 'world' }, given: { none: 'same' } } };
}

test('removes the index entries of a failed write, and goes on with the same file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'texts-table-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'texts.db');
  const onAside = vi.fn();
  const table = new PayloadTable(file, onAside, () => undefined);
  const put = (...calls: MaskedPayload[]): void => table.insert(calls, textLimits, 10);
  // The first row starts a word index; the second cannot be written.
  expect(() => put(called(1), called(2, 2.5))).toThrow(/REAL value/);
  put(called(3));
  // The next range: its index starts with the first of these.
  const most = 4096;
  put(...Array.from({ length: most - 2 }, (_one, at) => called(10 + at)));
  expect(() => put(called(10_000), called(10_001, 0.5))).toThrow(/REAL value/);
  put(called(10_002));
  expect(table.search('hello', 5, textLimits, 10).ids).toEqual([10_002, 4103, 4102, 4101, 4100]);
  expect(table.find(3, 3, textLimits, 10)?.asked).toEqual({ text: 'hello 3' });
  expect([onAside.mock.calls, existsSync(`${file}.corrupt`)]).toEqual([[], false]);
  table.close();
});

test('does not delete by age a payload that was written after a younger one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'texts-table-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const table = new PayloadTable(join(folder, 'texts.db'), vi.fn(), () => undefined);
  const day = 86_400_000;
  const now = 1000 * day;
  const limits = { ...textLimits, keepDays: 7 };
  table.insert([called(1, now - 30 * day), called(2, now - day), called(3, day), called(4, now)], limits, now);
  table.prune(limits, now);
  const isThere = (id: number, at: number): boolean =>
    table.find(id, at, { ...limits, keepDays: 10_000 }, now) !== undefined;
  expect([isThere(1, now - 30 * day), isThere(2, now - day), isThere(3, day), isThere(4, now)]).toEqual([
    false,
    true,
    true,
    true,
  ]);
  table.close();
});

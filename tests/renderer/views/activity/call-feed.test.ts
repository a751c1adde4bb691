/** The feed of calls as it grows, with a fake activity log. */
import { expect, test } from 'vitest';
import type { ActivityPage, ActivityQuery, CallSummary } from '../../../../src-main/rpc/contract.ts';
import { CallFeed, emptyFeed, type Feed } from '../../../../src-renderer/views/activity/call-feed.ts';
import { everything } from '../../../../src-renderer/views/activity/call-filter.ts';

const now = 1_000_000;

function call(id: number, more: Partial<CallSummary> = {}): CallSummary {
  const texts = {
    app: 'cursor',
    appName: 'Cursor',
    mode: 'search',
    server: 'github',
    tool: 'list',
    via: undefined,
    preview: '',
    declared: { reason: undefined, sensitivity: undefined },
  };
  const sizes = {
    durationMs: 5,
    bytes: { request: 2, serverResult: 2, modelResult: 2 },
    tokens: counted(1),
  };
  const rest = {
    outcome: 'ok',
    error: undefined,
    spillId: undefined,
    unspilled: undefined,
    repeats: undefined,
    labels: [],
  } as const;
  return { id, at: now - 1000, ...texts, ...sizes, ...rest, ...more };
}

function counted(modelResult: number | undefined): CallSummary['tokens'] {
  return { request: 1, serverResult: undefined, modelResult, estimated: false };
}

/** Responds like the core, with calls 1 to `last`. */
class Record {
  last: number;
  readonly asked: ActivityQuery[] = [];
  readonly changed = new Map<number, Partial<CallSummary>>();
  /** Calls that do not match. */
  readonly hidden = new Set<number>();

  constructor(last: number) {
    this.last = last;
  }

  readonly ask = async (query: ActivityQuery): Promise<ActivityPage> => {
    this.asked.push(query);
    const { beforeId = Infinity, afterId = 0, limit = 200 } = query;
    const ids = Array.from({ length: this.last }, (_, index) => this.last - index);
    const fitting = ids.filter((id) => id < beforeId && id > afterId && !this.hidden.has(id));
    const calls = fitting.slice(0, limit).map((id) => call(id, this.changed.get(id)));
    const newer = query.afterId !== undefined && { newer: { calls: fitting.length, problems: 0 } };
    const totals = { total: this.last, failed: 0, tokens: { request: 0, modelResult: 0 }, lastId: this.last };
    return { calls, ...totals, ...newer, more: fitting.length > limit };
  };
}

function feedOf(record: Record): { feed: CallFeed; current: () => Feed } {
  let current = emptyFeed;
  const toFailure = (error: unknown) => ({ code: 'internal', message: String(error), fix: '' });
  const feed = new CallFeed({ ask: record.ask, toFailure, onchange: (next) => (current = next), now: () => now });
  return { feed, current: () => current };
}

test('has the record’s length from the start, and reads rows when they are reached', async () => {
  const { feed, current } = feedOf(new Record(2500));
  await feed.show(everything);
  expect([current().calls.length, current().rows]).toEqual([40, 2500]);
  await feed.reach(2500);
  expect([current().calls.length, current().calls.at(-1)?.id]).toEqual([2500, 1]);
});

test('prepends a new call while the list is live', async () => {
  const record = new Record(3);
  const { feed, current } = feedOf(record);
  await feed.show(everything);
  record.last = 5;
  await feed.refresh();
  expect(current().calls.map(({ id }) => id)).toEqual([5, 4, 3, 2, 1]);
});

test('counts new calls while the list is paused, and shows them on request', async () => {
  const record = new Record(3);
  const { feed, current } = feedOf(record);
  await feed.show(everything);
  feed.live = false;
  for (record.last = 5; record.last <= 7; record.last += 2) await feed.refresh();
  record.last = 7;
  expect([current().rows, current().waiting.calls, record.asked.at(-1)?.limit]).toEqual([3, 4, 0]);
  await feed.showWaiting();
  expect([current().calls.map(({ id }) => id), current().waiting.calls]).toEqual([[7, 6, 5, 4, 3, 2, 1], 0]);
});

test('leaves no gap after many calls: reads those in between on scrolling down', async () => {
  const record = new Record(10);
  const { feed, current } = feedOf(record);
  await feed.show(everything);
  feed.live = false;
  record.last = 3000;
  await feed.refresh();
  await feed.showWaiting();
  await feed.reach(3000);
  expect(current().calls.map(({ id }) => id)).toEqual(Array.from({ length: 3000 }, (_, index) => 3000 - index));
});

test('limits the rows in memory of a live list, and reads the rest on scrolling down', async () => {
  const record = new Record(10);
  const { feed, current } = feedOf(record);
  await feed.show(everything);
  for (record.last = 40; record.last <= 3000; record.last += 30) await feed.refresh();
  record.last -= 30;
  expect([current().calls.length, current().rows]).toEqual([1000, record.last]);
  await feed.reach(record.last);
  expect(current().calls.map(({ id }) => id)).toEqual(Array.from({ length: record.last }, (_, at) => record.last - at));
});

test('reloads the list after a burst larger than the first page, without a gap', async () => {
  const record = new Record(10);
  const { feed, current } = feedOf(record);
  await feed.show(everything);
  record.last = 1000;
  await feed.refresh();
  await feed.reach(1000);
  expect(current().calls.map(({ id }) => id)).toEqual(Array.from({ length: 1000 }, (_, index) => 1000 - index));
});

test('reads only visible rows of a burst, and refreshes later the more rows arrived', async () => {
  const record = new Record(100);
  const { feed, current } = feedOf(record);
  await feed.show(everything);
  await feed.reach(25);
  record.last = 5000;
  await feed.refresh();
  expect([current().calls.length, record.asked.at(-1)?.limit, feed.pause]).toEqual([25, 25, 500]);
  record.last = 5001;
  await feed.refresh();
  expect([current().calls.length, feed.pause]).toEqual([26, 20]);
});

test('a row keeps its key when others are prepended; rows of a burst reuse the keys', async () => {
  const record = new Record(100);
  const { feed, current } = feedOf(record);
  await feed.show(everything);
  record.last = 103;
  await feed.refresh();
  expect([current().moved, current().calls[3]?.id]).toEqual([3, 100]);
  record.last = 5000;
  await feed.refresh();
  expect(current().moved).toBe(3);
});

test('does not request the same calls again if none match the filter', async () => {
  const record = new Record(10);
  const { feed } = feedOf(record);
  await feed.show(everything);
  record.hidden.add(11);
  record.last = 11;
  await feed.refresh();
  record.last = 12;
  await feed.refresh();
  expect(record.asked.map(({ afterId }) => afterId)).toEqual([undefined, 10, 11]);
});

test('shows tokens that were counted after the call was shown', async () => {
  const record = new Record(3);
  record.changed.set(2, { tokens: counted(undefined) });
  const { feed, current } = feedOf(record);
  await feed.show(everything);
  record.changed.set(2, { tokens: counted(77) });
  await feed.refresh();
  expect(current().calls.map(({ tokens }) => tokens.modelResult)).toEqual([1, 77, 1]);
});

test('ignores a response for an earlier filter', async () => {
  const record = new Record(3);
  const { feed, current } = feedOf(record);
  await Promise.all([feed.show({ ...everything, text: 'a' }), feed.show({ ...everything, text: 'ab' })]);
  await feed.refresh();
  expect([current().failure, record.asked.at(-1)?.text]).toEqual([undefined, 'ab']);
});

test('prepends new calls to the list of the new filter, not to the previous one', async () => {
  const record = new Record(3);
  const { feed, current } = feedOf(record);
  await feed.show(everything);
  record.hidden.add(3);
  await Promise.all([feed.show({ ...everything, text: 'a' }), feed.refresh()]);
  expect(current().calls.map(({ id }) => id)).toEqual([2, 1]);
});

test('reports a failed request and keeps the list', async () => {
  const record = new Record(3);
  let isBroken = false;
  let current = emptyFeed;
  const feed = new CallFeed({
    ask: (query) => (isBroken ? Promise.reject(new Error('gone')) : record.ask(query)),
    toFailure: (error) => ({ code: 'core_gone', message: String(error), fix: '' }),
    onchange: (next) => (current = next),
    now: () => now,
  });
  await feed.show(everything);
  isBroken = true;
  await feed.refresh();
  expect([current.failure?.code, current.calls.length]).toEqual(['core_gone', 3]);
});

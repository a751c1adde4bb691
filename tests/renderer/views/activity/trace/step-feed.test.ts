/** The feed of steps, with a fake activity log. */
import { expect, test } from 'vitest';
import type { StepQuery, StepSummary } from '../../../../../src-main/rpc/contract.ts';
import { noSteps, StepFeed, type Steps } from '../../../../../src-renderer/views/activity/trace/step-feed.ts';

function step(id: number): StepSummary {
  const words = { sessionId: 's', app: 'cursor', appName: 'Cursor', mode: 'search', name: 'tools/list', what: '' };
  const sizes = { durationMs: 1, requestBytes: 2, modelBytes: 2, given: 1, raw: 0, baseline: 0, loaded: 1 };
  return { id, at: id, kind: 'list', ...words, ...sizes, outcome: 'ok', error: undefined, callCount: 0, calls: [] };
}

/** Responds like the core. */
class Record {
  ids: number[];
  readonly asked: StepQuery[] = [];

  constructor(count: number) {
    this.ids = Array.from({ length: count }, (_, index) => (index + 1) * 10);
  }

  readonly ask = (query: StepQuery): Promise<{ steps: StepSummary[]; sums: never; all: number; more: boolean }> => {
    this.asked.push(query);
    const { beforeId = Infinity, afterId = 0, limit = 100 } = query;
    const fitting = this.ids.filter((id) => id < beforeId && id > afterId).sort((a, b) => b - a);
    const sums = { steps: this.ids.length, problems: 0, given: 0, raw: 0, baseline: 0 } as never;
    return Promise.resolve({
      steps: fitting.slice(0, limit).map(step),
      sums,
      all: this.ids.length,
      more: fitting.length > limit,
    });
  };
}

function feedOf(record: Record): { feed: StepFeed; ids: () => number[]; now: () => Steps } {
  let now = noSteps;
  const toFailure = (error: unknown) => ({ code: 'internal', message: String(error), fix: '' });
  const feed = new StepFeed({ ask: record.ask, toFailure, onchange: (next) => (now = next), now: () => 0 });
  return { feed, ids: () => now.steps.map(({ id }) => id), now: () => now };
}

test('prepends new steps, and appends older ones near the end', async () => {
  const record = new Record(150);
  const { feed, ids, now } = feedOf(record);
  await feed.show({});
  expect([ids().length, ids()[0], now().more]).toEqual([100, 1500, true]);
  record.ids.push(1510, 1520);
  await feed.refresh([]);
  expect(ids().slice(0, 3)).toEqual([1520, 1510, 1500]);
  await feed.readOlder();
  expect([ids().length, ids().at(-1), now().more]).toEqual([152, 10, false]);
});

test('inserts a long step where it started once it has ended', async () => {
  const record = new Record(3);
  const { feed, ids } = feedOf(record);
  await feed.show({});
  await feed.refresh([25]);
  // More started than one page contains.
  record.ids.push(25, ...Array.from({ length: 60 }, (_, index) => 100 + index));
  await feed.refresh([]);
  expect(ids()).toContain(159);
  await feed.show({});
  expect(ids().slice(-4)).toEqual([30, 25, 20, 10]);
});

test('reloads the list after a burst, without a gap', async () => {
  const record = new Record(5);
  const { feed, ids, now } = feedOf(record);
  await feed.show({});
  record.ids.push(...Array.from({ length: 400 }, (_, index) => 1000 + index));
  await feed.refresh([]);
  expect([ids().length, ids()[0], now().more]).toEqual([50, 1399, true]);
  const lengths: number[] = [];
  for (; now().more; lengths.push(ids().length)) await feed.readOlder();
  expect([lengths, ids().at(-1)]).toEqual([[100, 200, 400, 405], 10]);
});

test('counts new steps while the list is paused, and keeps its rows', async () => {
  const record = new Record(5);
  const { feed, ids, now } = feedOf(record);
  await feed.show({});
  feed.held = true;
  record.ids.push(60, 70);
  await feed.refresh([]);
  expect([ids()[0], now().waiting]).toEqual([50, 2]);
  feed.held = false;
  await expect.poll(() => ids()[0]).toBe(70);
  expect(now().waiting).toBe(0);
});

test('prepends new steps to the list of the new filter, not to the previous one', async () => {
  const record = new Record(3);
  const { feed, ids } = feedOf(record);
  await feed.show({});
  record.ids = [10, 20];
  await Promise.all([feed.show({ text: 'a' }), feed.refresh([])]);
  expect(ids()).toEqual([20, 10]);
});

test('reports a failed request and keeps the list', async () => {
  const record = new Record(3);
  const { feed, ids, now } = feedOf(record);
  await feed.show({});
  Object.assign(record, { ask: undefined });
  const broken = new StepFeed({
    ask: () => Promise.reject(new Error('gone')),
    toFailure: (error) => ({ code: 'internal', message: String(error), fix: '' }),
    onchange: (next) => expect(next.failure?.message).toBe('Error: gone'),
    now: () => 0,
  });
  await broken.show({});
  expect([ids().length, now().failure]).toEqual([3, undefined]);
});

test('refreshes later the more rows arrived, and shows a single new step at once', async () => {
  const record = new Record(100);
  const { feed, ids } = feedOf(record);
  await feed.show({});
  expect(feed.pause).toBe(0);
  record.ids.push(...Array.from({ length: 300 }, (_, index) => 2000 + index));
  await feed.refresh([]);
  // Fifty of them were loaded.
  expect([feed.pause, ids()[0]]).toEqual([1000, 2299]);
  record.ids.push(3000);
  await feed.refresh([]);
  expect([feed.pause, ids()[0]]).toEqual([20, 3000]);
});

/** Tests the publisher: the full state first, then only changes, at a limited rate, and nothing without subscribers. */
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { AppState } from '../../src-main/rpc/contract.ts';
import {
  type Publication,
  type SliceBuilders,
  type SliceName,
  StatePublisher,
} from '../../src-main/rpc/state-publisher.ts';

interface Bench {
  readonly publisher: StatePublisher;
  readonly facts: Record<string, unknown>;
  readonly built: string[];
  readonly touch: (...slices: SliceName[]) => void;
  readonly listening: () => boolean;
}

/** Two slices are enough, because the publisher does not know their contents. */
function bench(): Bench {
  const facts: Record<string, unknown> = { servers: ['a'], sessions: [] };
  const built: string[] = [];
  let touch: ((...slices: SliceName[]) => void) | undefined;
  const build = (name: string) => () => {
    built.push(name);
    return facts[name];
  };
  const builders = { servers: build('servers'), sessions: build('sessions') } as unknown as SliceBuilders;
  const publisher = new StatePublisher(
    builders,
    (told) => {
      touch = told;
      return () => (touch = undefined);
    },
    (slice) => built.push(`failed ${slice}`),
  );
  return { publisher, facts, built, touch: (...slices) => touch?.(...slices), listening: () => touch !== undefined };
}

function follow(publisher: StatePublisher, lastId?: string): { heard: Publication[]; leave: () => void } {
  const heard: Publication[] = [];
  const leave = publisher.watch((publication) => heard.push(publication), lastId);
  onTestFinished(leave);
  return { heard, leave };
}

const changes = (heard: readonly Publication[]): Partial<AppState>[] => heard.map(({ change }) => change);
/** Longer than two intervals of the publisher. */
const settle = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(450));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('sends a watcher everything first, then only changed slices', async () => {
  const { publisher, facts, touch } = bench();
  const { heard } = follow(publisher);
  await settle();
  facts['servers'] = ['a', 'b'];
  touch('servers', 'sessions');
  await settle();
  expect(changes(heard)).toEqual([{ servers: ['a'], sessions: [] }, { servers: ['a', 'b'] }]);
});

test('merges a burst of changes into few messages, including the last change', async () => {
  const { publisher, facts, touch } = bench();
  const { heard } = follow(publisher);
  await settle();
  for (let count = 1; count <= 2000; count++) {
    facts['servers'] = [count];
    touch('servers');
    if (count % 100 === 0) await vi.advanceTimersByTimeAsync(20);
  }
  await settle();
  // The whole state, and one message per interval of 200 ms.
  expect(heard.length).toBeLessThanOrEqual(4);
  expect(heard.at(-1)?.change).toEqual({ servers: [2000] });
});

test('does not send a slice that is unchanged', async () => {
  const { publisher, touch } = bench();
  const { heard } = follow(publisher);
  await settle();
  touch('servers');
  await settle();
  expect(heard).toHaveLength(1);
});

test('builds nothing and listens to nothing before the first watcher and after the last', async () => {
  const { publisher, built, touch, listening } = bench();
  const before = [built.length, listening()];
  const { leave } = follow(publisher);
  await settle();
  leave();
  const { length } = built;
  touch('servers');
  await settle();
  expect([before, listening(), built.length - length]).toEqual([[0, false], false, 0]);
});

test('sends a returning watcher what changed since its ID, even if nobody watched meanwhile', async () => {
  const { publisher, facts } = bench();
  const first = follow(publisher);
  await settle();
  first.leave();
  facts['sessions'] = ['new'];
  const second = follow(publisher, first.heard[0]?.id);
  await settle();
  expect(changes(second.heard)).toEqual([{ sessions: ['new'] }]);
});

test('sends only the requested slices, and builds no others', async () => {
  const { publisher, facts, built, touch } = bench();
  const heard: Publication[] = [];
  onTestFinished(publisher.watch((publication) => heard.push(publication), undefined, ['sessions']));
  await settle();
  facts['servers'] = ['b'];
  facts['sessions'] = ['s'];
  touch('servers', 'sessions');
  await settle();
  expect([changes(heard), built.includes('servers')]).toEqual([[{ sessions: [] }, { sessions: ['s'] }], false]);
});

test('a slice that fails to build does not stop the others', async () => {
  const { publisher, facts, built } = bench();
  Object.defineProperty(facts, 'servers', { get: () => new BigInt64Array(1)[0] });
  const { heard } = follow(publisher);
  await settle();
  expect([changes(heard), built.includes('failed servers')]).toEqual([[{ sessions: [] }], true]);
});

test('sends everything for an ID of another core', async () => {
  const { publisher } = bench();
  const { heard } = follow(publisher, 'other.7');
  await settle();
  expect(changes(heard)).toEqual([{ servers: ['a'], sessions: [] }]);
});

test('a watcher that leaves before the first message does not stop the others', async () => {
  const { publisher, facts, touch } = bench();
  const early = follow(publisher);
  const { heard } = follow(publisher);
  early.leave();
  early.leave();
  await settle();
  facts['servers'] = ['a', 'b'];
  touch('servers');
  await settle();
  expect(changes(heard)).toEqual([{ servers: ['a'], sessions: [] }, { servers: ['a', 'b'] }]);
  expect(early.heard).toEqual([]);
});

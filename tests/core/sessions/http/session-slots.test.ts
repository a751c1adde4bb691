import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SessionSlots } from '../../../../src-main/core/sessions/http/session-slots.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const fiveMinutes = 5 * 60_000;
const own = (key: string) => ({ key, isShared: false });

/** Holds a slot until told to let go. */
async function hold(slots: SessionSlots, key: string): Promise<{ id: string; release: () => Promise<void> }> {
  const [held, release] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
  const over = slots.use(own(key), async (id) => {
    held.resolve(id);
    await release.promise;
  });
  const letGo = async (): Promise<void> => {
    release.resolve();
    await over;
  };
  return { id: await held.promise, release: letGo };
}

test('requests that run at the same time have ids of their own, those of other keys in any case', async () => {
  const slots = new SessionSlots(() => undefined);
  const held = [await hold(slots, 'a'), await hold(slots, 'a'), await hold(slots, 'b'), await hold(slots, 'a')];
  expect(held.map(({ id }) => id)).toEqual(['a#0', 'a#1', 'b#0', 'a#2']);
});

test('an id that is free is used again, the lowest first', async () => {
  const slots = new SessionSlots(() => undefined);
  const [, second, third] = [await hold(slots, 'a'), await hold(slots, 'a'), await hold(slots, 'a')];
  await third.release();
  await second.release();
  expect([(await hold(slots, 'a')).id, (await hold(slots, 'a')).id, (await hold(slots, 'a')).id]).toEqual([
    'a#1',
    'a#2',
    'a#3',
  ]);
});

test('the answer and the failure of a request pass through, and both free the id', async () => {
  const slots = new SessionSlots(() => undefined);
  expect(await slots.use(own('a'), async (id) => `answer of ${id}`)).toBe('answer of a#0');
  await expect(slots.use(own('a'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(
    slots.use(own('a'), () => {
      throw new Error('at once');
    }),
  ).rejects.toThrow('at once');
  expect(await slots.use(own('a'), async (id) => id)).toBe('a#0');
});

test('an id ends when it was not used for five minutes, and not while it is', async () => {
  const ended: string[] = [];
  const slots = new SessionSlots((id) => ended.push(id));
  await slots.use(own('a'), async () => undefined);
  await slots.use(own('b'), async () => undefined);
  vi.advanceTimersByTime(fiveMinutes - 1);
  const held = await hold(slots, 'a');
  vi.advanceTimersByTime(2 * fiveMinutes);
  expect(ended).toEqual(['b#0']);
  await held.release();
  vi.advanceTimersByTime(fiveMinutes - 1);
  expect(ended).toEqual(['b#0']);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(['b#0', 'a#0']);
});

test('one timer does for all ids, each of which ends in its own time', async () => {
  const ended: string[] = [];
  const slots = new SessionSlots((id) => ended.push(id));
  for (const key of ['a', 'b', 'c', 'a']) {
    await slots.use(own(key), async () => undefined);
    vi.advanceTimersByTime(1000);
  }
  expect(vi.getTimerCount()).toBe(1);
  // b was let go three seconds ago, c two, and a for the second time one.
  vi.advanceTimersByTime(fiveMinutes - 3001);
  const each = [1, 1000, 1000].map((ms) => {
    vi.advanceTimersByTime(ms);
    return [...ended];
  });
  expect(each).toEqual([['b#0'], ['b#0', 'c#0'], ['b#0', 'c#0', 'a#0']]);
  expect(vi.getTimerCount()).toBe(0);
});

test('after closing nothing ends any more', async () => {
  const ended: string[] = [];
  const slots = new SessionSlots((id) => ended.push(id));
  await slots.use(own('a'), async () => undefined);
  slots.close();
  vi.advanceTimersByTime(fiveMinutes);
  expect(ended).toEqual([]);
});

test('an id whose request left something that goes on is not given to another before that is over', async () => {
  const slots = new SessionSlots(() => undefined);
  const going = Promise.withResolvers<void>();
  const id = await slots.use(own('a'), async (one, keep) => {
    keep(going.promise);
    return one;
  });
  const other = await hold(slots, 'a');
  expect([id, other.id]).toEqual(['a#0', 'a#1']);
  going.reject(new Error('it failed'));
  await vi.waitUntil(async () => (await slots.use(own('a'), async (one) => one)) === 'a#0');
});

test('where the next request may be of anybody, an id ends with its request, or with what that left going on', async () => {
  const ended: string[] = [];
  const slots = new SessionSlots((id) => ended.push(id));
  const anyone = { key: 'a', isShared: true };
  await slots.use(anyone, async () => expect(ended).toEqual([]));
  expect(ended).toEqual(['a#0']);
  const going = Promise.withResolvers<void>();
  await slots.use(anyone, async (_id, keep) => keep(going.promise));
  expect(ended).toEqual(['a#0']);
  going.resolve();
  await vi.waitUntil(() => ended.length === 2);
  expect(await slots.use(anyone, async (id) => id)).toBe('a#0');
});

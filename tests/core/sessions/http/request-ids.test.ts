/** Session ids for requests that belong to no session. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RequestIds } from '../../../../src-main/core/sessions/http/request-ids.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const fiveMinutesMs = 5 * 60_000;
const own = (key: string) => ({ key, isShared: false });
const idOf = (ids: RequestIds, key: string): Promise<string> => ids.use(own(key), async (id) => id);

function start(): { ids: RequestIds; ended: string[] } {
  const ended: string[] = [];
  return { ids: new RequestIds((id) => ended.push(id)), ended };
}

test('gives concurrent requests different ids, and reuses the id of the client', async () => {
  const { ids, ended } = start();
  const release = Promise.withResolvers<void>();
  const used: string[] = [];
  const running = ['a', 'a', 'b', 'a'].map((key) =>
    ids.use(own(key), async (id) => {
      used.push(id);
      await release.promise;
    }),
  );
  expect(new Set(used).size).toBe(4);
  expect([used[0], used[2]]).toEqual(['a', 'b']);
  release.resolve();
  await Promise.all(running);
  expect(new Set(ended)).toEqual(new Set([used[1], used[3]]));
  expect(await idOf(ids, 'a')).toBe('a');
});

test('releases the id of a request that fails', async () => {
  const { ids } = start();
  await expect(ids.use(own('a'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await idOf(ids, 'a')).toBe('a');
});

test('ends an id that was idle for five minutes, but none in use', async () => {
  const { ids, ended } = start();
  await idOf(ids, 'a');
  vi.advanceTimersByTime(fiveMinutesMs - 1);
  await ids.use(own('a'), async () => void vi.advanceTimersByTime(2 * fiveMinutesMs));
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(fiveMinutesMs);
  expect(ended).toEqual(['a']);
});

test('keeps an id until work that the request left running has ended', async () => {
  const { ids } = start();
  const going = Promise.withResolvers<void>();
  const id = await ids.use(own('a'), async (one, hold) => {
    hold(going.promise);
    return one;
  });
  expect(await idOf(ids, 'a')).not.toBe(id);
  going.reject(new Error('it failed'));
  await vi.waitUntil(async () => (await idOf(ids, 'a')) === id);
});

test('gives each request a new id if other clients may share the key', async () => {
  const { ids, ended } = start();
  const anyone = { key: 'a', isShared: true };
  const first = await ids.use(anyone, async (id) => id);
  expect(ended).toEqual([first]);
  expect(await ids.use(anyone, async (id) => id)).not.toBe(first);
});

test('ends nothing after it is closed', async () => {
  const { ids, ended } = start();
  await idOf(ids, 'a');
  ids.close();
  vi.advanceTimersByTime(fiveMinutesMs);
  expect(ended).toEqual([]);
});

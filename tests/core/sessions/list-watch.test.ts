/** When a client app counts as one that does not listen for changes of its list. */
import { expect, test } from 'vitest';
import { ListWatch } from '../../../src-main/core/sessions/session.ts';

test('who was told nothing may call as often and as long as it likes', () => {
  const watch = new ListWatch();
  for (const now of [0, 1, 2, 60_000]) watch.called(now);
  expect([watch.waiting, watch.stale]).toEqual([false, false]);
});

test('calls that were on their way are no sign; the third one is', () => {
  const watch = new ListWatch();
  watch.told(0);
  watch.called(10);
  watch.called(20);
  expect([watch.waiting, watch.stale]).toEqual([true, false]);
  watch.called(30);
  expect(watch.stale).toBe(true);
});

test('one call ten seconds later is a sign, however often it was told meanwhile', () => {
  const watch = new ListWatch();
  watch.told(0);
  watch.told(9000);
  expect(watch.stale).toBe(false);
  watch.called(10_000);
  expect(watch.stale).toBe(true);
});

test('who lists knows all there is, until it is told again', () => {
  const watch = new ListWatch();
  watch.told(0);
  for (const now of [1, 2, 3]) watch.called(now);
  watch.listed();
  expect([watch.waiting, watch.stale]).toEqual([false, false]);
  watch.called(60_000);
  watch.told(60_000);
  watch.called(60_001);
  expect([watch.waiting, watch.stale]).toEqual([true, false]);
});

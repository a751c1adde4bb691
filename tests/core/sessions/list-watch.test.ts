/** When a client app counts as one that does not listen for changes of its list. */
import { expect, test } from 'vitest';
import { StaleListDetector } from '../../../src-main/core/sessions/session.ts';

test('who was told nothing may call as often and as long as it likes', () => {
  const watch = new StaleListDetector();
  for (const now of [0, 1, 2, 60_000]) watch.onCall(now);
  expect([watch.waiting, watch.stale]).toEqual([false, false]);
});

test('calls that were on their way are no sign; the third one is', () => {
  const watch = new StaleListDetector();
  watch.onListChanged(0);
  watch.onCall(10);
  watch.onCall(20);
  expect([watch.waiting, watch.stale]).toEqual([true, false]);
  watch.onCall(30);
  expect(watch.stale).toBe(true);
});

test('one call ten seconds later is a sign, however often it was told meanwhile', () => {
  const watch = new StaleListDetector();
  watch.onListChanged(0);
  watch.onListChanged(9000);
  expect(watch.stale).toBe(false);
  watch.onCall(10_000);
  expect(watch.stale).toBe(true);
});

test('who lists knows all there is, until it is told again', () => {
  const watch = new StaleListDetector();
  watch.onListChanged(0);
  for (const now of [1, 2, 3]) watch.onCall(now);
  watch.onListed();
  expect([watch.waiting, watch.stale]).toEqual([false, false]);
  watch.onCall(60_000);
  watch.onListChanged(60_000);
  watch.onCall(60_001);
  expect([watch.waiting, watch.stale]).toEqual([true, false]);
});

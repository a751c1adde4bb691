/** Detects client apps that ignore list change notifications. */
import { expect, test } from 'vitest';
import { StaleListDetector } from '../../../src-main/core/sessions/session.ts';

test('is not stale after any number of calls if no change was announced', () => {
  const watch = new StaleListDetector();
  for (const now of [0, 1, 2, 60_000]) watch.onCall(now);
  expect([watch.waiting, watch.stale]).toEqual([false, false]);
});

test('is stale at the third call after an announcement', () => {
  const watch = new StaleListDetector();
  watch.onListChanged(0);
  watch.onCall(10);
  watch.onCall(20);
  expect([watch.waiting, watch.stale]).toEqual([true, false]);
  watch.onCall(30);
  expect(watch.stale).toBe(true);
});

test('is stale at a call ten seconds after the first announcement', () => {
  const watch = new StaleListDetector();
  watch.onListChanged(0);
  watch.onListChanged(9000);
  expect(watch.stale).toBe(false);
  watch.onCall(10_000);
  expect(watch.stale).toBe(true);
});

test('is not stale after listing, until the next announcement', () => {
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

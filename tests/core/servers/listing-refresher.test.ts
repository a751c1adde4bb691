/** ListingRefresher runs one fetch at a time, coalesces bursts, and loses no notification. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { ListingRefresher } from '../../../src-main/core/servers/listing-refresher.ts';

interface Fetches {
  readonly refresher: ListingRefresher;
  started: number;
  /** Maximum number of concurrent fetches. */
  most: number;
  /** Completes the running fetch. */
  finish: () => void;
}

function fetches(): Fetches {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let running = 0;
  const account: Fetches = {
    started: 0,
    most: 0,
    finish: () => undefined,
    refresher: new ListingRefresher({
      fetch: async () => {
        account.started++;
        account.most = Math.max(account.most, ++running);
        await new Promise<void>((resolve) => (account.finish = resolve));
        running--;
        return { costMs: 0, changed: false };
      },
    }),
  };
  onTestFinished(() => account.refresher.stop());
  return account;
}

test('coalesces a burst of announcements into one fetch', async () => {
  const account = fetches();
  for (let times = 0; times < 500; times++) account.refresher.schedule();
  await vi.advanceTimersByTimeAsync(150);
  expect(account.started).toBe(1);
  account.finish();
  await vi.advanceTimersByTimeAsync(5000);
  expect(account.started).toBe(1);
});

test('fetches once more after announcements during a fetch', async () => {
  const account = fetches();
  const first = account.refresher.refresh();
  for (let times = 0; times < 500; times++) account.refresher.schedule();
  account.finish();
  await first;
  await vi.advanceTimersByTimeAsync(150);
  expect(account.started).toBe(2);
  account.finish();
  await vi.advanceTimersByTimeAsync(5000);
  expect([account.started, account.most]).toEqual([2, 1]);
});

test('joins the running fetch if several callers refresh at once', async () => {
  const account = fetches();
  const asked = [account.refresher.refresh(), account.refresher.refresh(), account.refresher.refresh()];
  account.finish();
  await Promise.all(asked);
  expect([account.started, account.most]).toEqual([1, 1]);
});

test('fetches even if a server never stops announcing changes', async () => {
  const account = fetches();
  const announcing = setInterval(() => account.refresher.schedule(), 20);
  onTestFinished(() => clearInterval(announcing));
  await vi.advanceTimersByTimeAsync(2100);
  expect(account.started).toBe(1);
});

test('drops pending announcements when it is stopped', async () => {
  const account = fetches();
  const first = account.refresher.refresh();
  account.refresher.schedule();
  account.refresher.stop();
  account.finish();
  await first;
  account.refresher.schedule();
  account.refresher.stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(account.started).toBe(1);
});

/** A refresher whose fetches complete immediately, with a fake clock. */
function timed(costMs: number, changed: boolean): { refresher: ListingRefresher; fetches: number; waits: number[] } {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const account = {
    fetches: 0,
    waits: [] as number[],
    refresher: new ListingRefresher({
      fetch: () => {
        account.fetches++;
        return Promise.resolve({ costMs, changed });
      },
      onTooMany: (waitMs) => account.waits.push(waitMs),
    }),
  };
  onTestFinished(() => account.refresher.stop());
  return account;
}

test('waits twenty times as long as the last refresh took, however often it is scheduled', async () => {
  const account = timed(100, false);
  await account.refresher.refresh();
  for (let ms = 0; ms < 1900; ms += 100) {
    account.refresher.schedule();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(account.fetches).toBe(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(account.fetches).toBe(2);
});

test('keeps the list for the rest of a minute after six changes, and reports it', async () => {
  const account = timed(0, true);
  for (let ms = 0; ms < 59_000; ms += 500) {
    account.refresher.schedule();
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(account.fetches).toBe(6);
  expect(account.waits).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2000);
  expect(account.fetches).toBe(7);
});

test('fetches at once when a refresh is requested, despite the limits', async () => {
  const account = timed(1000, true);
  for (let times = 0; times < 10; times++) await account.refresher.refresh();
  expect(account.fetches).toBe(10);
});

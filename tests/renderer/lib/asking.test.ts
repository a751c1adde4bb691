/** The request state of a view. */
import { expect, test } from 'vitest';
import { ApiError } from '../../../src-renderer/lib/api.ts';
import { RequestState } from '../../../src-renderer/lib/asking.svelte.ts';

const gone = new ApiError({ code: 'core_gone', message: 'Cannot reach Tooltray.', fix: 'Try again.' });

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void; readonly reject: () => void } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { promise, resolve, reject: () => reject(gone) };
}

test('names the request in progress until it ends, and keeps its failure for the page', async () => {
  const asking = new RequestState();
  const answer = deferred();
  const done = asking.run(() => answer.promise, 'saving');
  expect(asking.busy).toBe('saving');
  answer.reject();
  expect([await done, asking.busy, asking.failure]).toEqual([false, undefined, gone]);
});

test('clears the failure on a new request of the user; a refresh keeps it until it succeeds', async () => {
  const asking = new RequestState();
  await asking.run(() => Promise.reject(gone));
  const answer = deferred();
  const refreshed = asking.refresh(() => answer.promise);
  expect(asking.failure).toBe(gone);
  answer.resolve();
  expect([await refreshed, asking.failure]).toEqual([true, undefined]);

  await asking.run(() => Promise.reject(gone));
  void asking.run(() => deferred().promise);
  expect(asking.failure).toBeUndefined();
});

test('keeps the name of a newer request when an older one ends', async () => {
  const asking = new RequestState();
  const [older, newer] = [deferred(), deferred()];
  const first = asking.run(() => older.promise, 'first');
  const second = asking.run(() => newer.promise, 'second');
  older.resolve();
  await first;
  expect(asking.busy).toBe('second');
  newer.resolve();
  await second;
  expect(asking.busy).toBeUndefined();
});

test('a request without a name keeps the name of another one', async () => {
  const asking = new RequestState();
  const answer = deferred();
  const named = asking.run(() => answer.promise, 'looking');
  await asking.run(() => Promise.resolve());
  expect(asking.busy).toBe('looking');
  answer.resolve();
  await named;
  expect(asking.busy).toBeUndefined();
});

test('ignores the failure of an aborted request', async () => {
  const asking = new RequestState();
  const heeding = (signal: AbortSignal): Promise<void> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(gone)));
  const stopped = asking.run(heeding, 'finding');
  asking.stop();
  expect([await stopped, asking.busy, asking.failure]).toEqual([false, undefined, undefined]);

  const leave = asking.poll(heeding);
  leave();
  await Promise.resolve();
  expect(asking.failure).toBeUndefined();
});

test('reports success also for a stopped request that has completed', async () => {
  const asking = new RequestState();
  const answer = deferred();
  const done = asking.run(() => answer.promise, 'removing');
  asking.stop();
  answer.resolve();
  expect(await done).toBe(true);
});

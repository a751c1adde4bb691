import { expect, test } from 'vitest';
import { LazySignal } from '../../../src-main/core/wire/lazy-signal.ts';

const reason = new Error('given up');

test('a signal that was looked at hears of the abort', () => {
  const lazy = new LazySignal();
  const { signal } = lazy;
  lazy.abort(reason);
  expect([signal.aborted, signal.reason, lazy.signal === signal]).toEqual([true, reason, true]);
});

test('a signal that is looked at after the abort is aborted', () => {
  const lazy = new LazySignal();
  lazy.abort(reason);
  expect([lazy.signal.aborted, lazy.signal.reason]).toEqual([true, reason]);
});

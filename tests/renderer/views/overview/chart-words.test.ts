/** Texts of the charts. */
import { expect, test } from 'vitest';
import {
  axisOf,
  callsSentence,
  momentsReading,
  tokensReading,
  tokensSentence,
} from '../../../../src-renderer/views/overview/chart-words.ts';
import type { ChartStep } from '../../../../src-main/rpc/contract.ts';

const hour = 3_600_000;

function step(at: number, more: Partial<ChartStep> = {}): ChartStep {
  return {
    from: at * hour,
    until: (at + 1) * hour,
    withoutTooltray: 0,
    withTooltray: 0,
    uncapped: 0,
    ok: 0,
    tool_error: 0,
    failed: 0,
    cancelled: 0,
    blocked: 0,
    ...more,
  };
}

const busy = step(1, {
  ok: 90,
  tool_error: 3,
  failed: 2,
  blocked: 1,
  withoutTooltray: 12_300,
  uncapped: 12_300,
  withTooltray: 1,
});

test('describes a chart step with all its values', () => {
  expect([tokensReading(busy), tokensReading({ ...busy, uncapped: 2_400_000 }), tokensReading(step(2))]).toEqual([
    '12,300 tokens direct, 1 via Tooltray',
    '12,300 tokens direct (2.4M untruncated), 1 via Tooltray',
    'no tokens',
  ]);
});

test('describes the chart in a sentence', () => {
  expect(tokensSentence([busy, step(2)], 'week')).toBe('12.3k direct, 1 via Tooltray in the last 7 days.');
  expect(tokensSentence([step(1)], 'all')).toBe('No data in total.');
});

test('counts calls with their errors', () => {
  expect(callsSentence({ steps: [busy, step(2)] }, 'today')).toBe('96 calls today · 6 errors (6.3%)');
  expect(callsSentence({ steps: [step(1, { ok: 1 })] }, 'month')).toBe('1 call in the last 30 days · 0 errors');
  expect(callsSentence({ steps: [step(1)] }, 'all')).toBe('No calls in total');
});

test.each([
  [264_000, [300_000, 200_000, 100_000, 0]],
  [517_000, [600_000, 400_000, 200_000, 0]],
  [3, [4, 2, 0]],
  [0, [4, 2, 0]],
])('an axis up to %d has even steps', (max, ticks) => {
  expect(axisOf(max).ticks).toEqual(ticks);
  expect(axisOf(max).top).toBe(ticks[0]);
});

test('names starts and mode changes in their chart step', () => {
  const marks = [
    { at: hour + 1, kind: 'start', what: '1.0.0' },
    { at: hour + 2, kind: 'start', what: '1.0.1' },
    { at: 2 * hour, kind: 'mode', what: 'search' },
  ] as const;
  const steps = [busy, step(2), step(3)];
  expect(steps.map((one) => momentsReading(one, marks).replace(/at .+/, 'at …'))).toEqual([
    'Tooltray started 2 times',
    'mode changed to search at …',
    '',
  ]);
});

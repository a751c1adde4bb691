/** What the charts of the overview draw and say. */
import { expect, test } from 'vitest';
import type { ChartStep } from '../../../../src-main/rpc/contract.ts';
import {
  latencySentence,
  marksOf,
  momentsReading,
  outcomeBars,
  outcomesReading,
  outcomesSentence,
  tokensReading,
  tokensSentence,
} from '../../../../src-renderer/views/overview/chart-words.ts';

const hour = 3_600_000;

function step(at: number, more: Partial<ChartStep> = {}): ChartStep {
  const calls = { ok: 0, tool_error: 0, failed: 0, cancelled: 0, blocked: 0 };
  return { from: at * hour, until: (at + 1) * hour, without: 0, with: 0, uncapped: 0, ...calls, ...more };
}

const busy = step(1, { ok: 90, tool_error: 3, failed: 2, blocked: 1, without: 12_300, uncapped: 12_300, with: 1 });

test('outcomes are stacked on what was answered', () => {
  expect(outcomeBars([busy, step(2)]).map(({ token, values }) => [token, ...values])).toEqual([
    ['--ink-faint', 96, 0],
    ['--bad', 95, 0],
    ['--warning', 93, 0],
    ['--accent', 90, 0],
  ]);
});

test('a step is read out with all that it holds', () => {
  expect([outcomesReading(busy), outcomesReading(step(2))]).toEqual([
    '96 calls: 90 answered, 3 answered with an error, 2 failed and 1 blocked',
    'no calls',
  ]);
  expect([tokensReading(busy), tokensReading({ ...busy, uncapped: 2_400_000 }), tokensReading(step(2))]).toEqual([
    '12,300 tokens without us, 1 with us',
    '12,300 tokens without us (2.4M uncut), 1 with us',
    'no tokens',
  ]);
});

test('the line below a chart says what it comes to', () => {
  expect(tokensSentence([busy, step(2)], 'week')).toBe('12.3k without us and 1 with us in the last 7 days.');
  expect(outcomesSentence([busy, step(2)], 'today')).toBe('96 calls today, 6 not answered well.');
  expect(outcomesSentence([step(1, { ok: 1 })], 'month')).toBe('1 call in the last 30 days, all answered.');
  expect([tokensSentence([step(1)], 'all'), outcomesSentence([step(1)], 'all')]).toEqual([
    'Nothing was counted on record.',
    'No calls on record.',
  ]);
  expect(latencySentence({ measured: 20_000, isCut: true }, 'all')).toMatch(/^Of the newest 20,000 calls on record\./);
});

test('starts and changes of the mode are marked in the step in which they were', () => {
  const marks = [
    { at: hour + 1, kind: 'start', what: '1.0.0' },
    { at: hour + 2, kind: 'start', what: '1.0.1' },
    { at: 2 * hour, kind: 'mode', what: 'search' },
  ] as const;
  const steps = [busy, step(2), step(3)];
  expect(marksOf({ steps, marks })).toEqual([
    { step: 0, isMode: false },
    { step: 1, isMode: true },
  ]);
  expect(steps.map((one) => momentsReading(one, marks).replace(/from .+/, 'from …'))).toEqual([
    'Tooltray started 2 times',
    'mode search from …',
    '',
  ]);
});

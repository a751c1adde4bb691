/** What the figures of the overview say. */
import { describe, expect, test } from 'vitest';
import type { ActivityOverview } from '../../../../src-main/rpc/contract.ts';
import {
  callsSentence,
  estimateNote,
  isFirstUse,
  savingsMeaning,
  worth,
} from '../../../../src-renderer/views/overview/overview-words.ts';
import { toData } from '../../../../src-renderer/views/overview/hour-data.ts';
import { serverRow } from '../../rows.ts';

const savings = { without: 1_000, with: 80, net: 920, estimatedShare: 0, causes: [] };
const hour = (from: number, ok: number, failed: number): ActivityOverview['hours'][number] => ({ from, ok, failed });

describe('the big number', () => {
  test('is a share of what the apps would have read', () => {
    expect(savingsMeaning(savings)).toBe('tokens saved, 92 % of what your apps would have read');
  });

  test('owns up where Tooltray costs more than it saves', () => {
    expect(savingsMeaning({ ...savings, net: -40 })).toMatch(/^tokens more than without Tooltray/);
  });
});

test('an estimate is called one, however small', () => {
  const notes = [0, 0.001, 0.04].map((estimatedShare) => estimateNote({ ...savings, estimatedShare }));
  expect(notes).toEqual(['', 'less than 1 % estimated', '4 % estimated']);
});

test('money is named only where a price is set', () => {
  expect([worth(371_000, undefined, 'USD'), worth(371_000, 3, 'USD'), worth(1_000, 3, 'EUR')]).toEqual([
    '',
    '≈ 1.11 USD',
    '≈ 0.003 EUR',
  ]);
});

describe('the line below the chart', () => {
  test('says the same as the chart', () => {
    const sentence = callsSentence([hour(0, 3, 0), hour(3_600_000, 1_200, 4), hour(7_200_000, 5, 0)]);
    expect(sentence).toMatch(/^1,212 calls in the last 24 hours, 4 failed; most in the hour from .+ \(1,204\)\.$/);
  });

  test('says so where nothing was called', () => {
    expect([callsSentence([]), callsSentence([hour(0, 0, 0)])]).toEqual(
      Array(2).fill('No calls in the last 24 hours.'),
    );
  });
});

test('failures are stacked on what was answered', () => {
  expect(toData([hour(3_600_000, 5, 2), hour(7_200_000, 0, 0)])).toEqual([
    [3_600, 7_200],
    [7, 0],
    [5, 0],
  ]);
});

test('it is the first use until there is a server of the person’s own or a call', () => {
  const activity = { lastId: 0, hours: [], recent: [], costliest: [] };
  const builtin = serverRow('utils', { transport: 'builtin' });
  expect([
    isFirstUse({ servers: [builtin], activity }),
    isFirstUse({ servers: [builtin, serverRow('github')], activity }),
  ]).toEqual([true, false]);
});

/** What the figures of the overview say. */
import { describe, expect, test } from 'vitest';
import {
  estimateNote,
  isFirstUse,
  savingsMeaning,
  uncappedNote,
  worth,
} from '../../../../src-renderer/views/overview/overview-words.ts';
import { serverRow } from '../../rows.ts';

const savings = {
  since: undefined,
  without: 1_000,
  uncapped: 1_000,
  with: 80,
  net: 920,
  estimatedShare: 0,
  causes: [],
};

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

test('what servers sent is told where it is more than what counts', () => {
  expect([uncappedNote(savings), uncappedNote({ ...savings, uncapped: 2_400_000 })]).toEqual([
    '',
    '2.4M without us if apps let everything in that servers sent',
  ]);
});

test('it is the first use until there is a server of the person’s own or a call', () => {
  const activity = { lastId: 0, recent: [], costliest: [] };
  const builtin = serverRow('utils', { transport: 'builtin' });
  expect([
    isFirstUse({ servers: [builtin], activity }),
    isFirstUse({ servers: [builtin, serverRow('github')], activity }),
  ]).toEqual([true, false]);
});

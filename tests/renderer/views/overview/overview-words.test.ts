/** Texts of the overview's numbers. */
import { expect, test } from 'vitest';
import {
  appStates,
  causesOf,
  estimateNote,
  isFirstUse,
  savedShare,
  savingsMeaning,
  serverCounts,
  uncappedNote,
  worth,
} from '../../../../src-renderer/views/overview/overview-words.ts';
import { serverRow, session } from '../../rows.ts';

const savings = {
  since: undefined,
  withoutTooltray: 1_000,
  uncapped: 1_000,
  withTooltray: 80,
  net: 920,
  estimatedShare: 0,
  causes: [],
};

test('shows the saved tokens as a share of the tokens without Tooltray', () => {
  expect([savingsMeaning(savings), savedShare(savings)]).toEqual(['tokens saved', '92% less']);
});

test('reports where Tooltray costs more than it saves', () => {
  const costly = { ...savings, net: -40 };
  expect([savingsMeaning(costly), savedShare(costly)]).toEqual(['more tokens than without Tooltray so far', '']);
});

test('merges causes into two, less their cost', () => {
  const causes = [
    { cause: 'results', net: 1_000 },
    { cause: 'readback', net: -100 },
    { cause: 'lists', net: 50 },
    { cause: 'helpers', net: -80 },
  ];
  expect(causesOf(causes).map(({ net }) => net)).toEqual([900, -30]);
  expect(causesOf(causes)[0]?.title).toBe('Spilled and compacted results: 1k\nReading spilled results: −100');
  expect(causesOf([]).map(({ net }) => net)).toEqual([0, 0]);
});

test('lists active apps first, then the most recently seen', () => {
  const access = [
    { app: 'cursor', name: 'Cursor', via: 'stdio', since: 0, seen: 1_000, revoked: undefined },
    { app: 'zed', name: 'Zed', via: 'stdio', since: 0, seen: 3_600_000, revoked: undefined },
  ] as const;
  const app = {
    installed: true,
    running: false,
    via: 'stdio',
    split: false,
    revoked: false,
    configFile: '',
    servers: 0,
  } as const;
  const more = { problem: '', link: undefined } as const;
  const setup = {
    apps: [
      { id: 'cursor', name: 'Cursor', connected: 'yes', ...app, ...more },
      { id: 'zed', name: 'Zed', connected: 'yes', ...app, ...more },
      { id: 'vscode', name: 'VS Code', connected: 'no', ...app, ...more },
    ],
    offered: 0,
    firstCall: undefined,
    tests: [],
    open: 0,
  } as const;
  const rows = appStates({ setup, access, sessions: [session('claude', 'Claude Code')] }, 7_200_000);
  expect(rows.map(({ name, words }) => `${name}: ${words}`)).toEqual([
    'Claude Code: Live · 1 session',
    'Zed: Seen 1 h ago',
    'Cursor: Seen 1 h ago',
  ]);
});

test('counts servers by status', () => {
  const servers = [serverRow('a'), serverRow('b'), serverRow('c', { level: 'attention' })];
  expect(serverCounts(servers)).toEqual([
    { level: 'ok', words: '2 ready' },
    { level: 'attention', words: '1 to set up' },
  ]);
});

test('marks an estimate, however small', () => {
  const notes = [0, 0.001, 0.04].map((estimatedShare) => estimateNote({ ...savings, estimatedShare }));
  expect(notes).toEqual(['', '<1% estimated', '4% estimated']);
});

test('shows an amount of money only where a price is set', () => {
  expect([worth(371_000, undefined, 'USD'), worth(371_000, 3, 'USD'), worth(1_000, 3, 'EUR')]).toEqual([
    '',
    '≈ $1.11',
    '≈ €0.003',
  ]);
});

test('shows the untruncated tokens where they exceed the counted ones', () => {
  expect([uncappedNote(savings), uncappedNote({ ...savings, uncapped: 2_400_000 })]).toEqual([
    '',
    '2.4M without Tooltray if apps did not truncate results',
  ]);
});

test('counts as first use until there is a call or a server other than the built-in one', () => {
  const activity = { lastId: 0, recent: [], costliest: [] };
  const builtin = serverRow('utils', { transport: 'builtin' });
  expect([
    isFirstUse({ servers: [builtin], activity }),
    isFirstUse({ servers: [builtin, serverRow('github')], activity }),
  ]).toEqual([true, false]);
});

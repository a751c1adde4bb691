/** The subtitle of a view. */
import { describe, expect, test } from 'vitest';
import type { CoreFacts } from '../../../src-main/rpc/contract.ts';
import { formatServers, type SubtitleFacts, subtitleOf } from '../../../src-renderer/lib/subtitle.ts';
import { serverRow, session } from '../rows.ts';

const nothing: SubtitleFacts = {
  core: undefined,
  servers: undefined,
  sessions: undefined,
  modes: undefined,
  team: undefined,
  inbox: undefined,
  setup: undefined,
  spills: undefined,
};
const modes = { mode: 'search', modes: [] };

test('names the active apps and the mode in the overview', () => {
  const sessions = [session('1', 'Claude Desktop'), session('2', 'Cursor'), session('3', 'Cursor')];
  expect(subtitleOf('overview', { ...nothing, sessions, modes })).toBe(
    'Claude Desktop and Cursor active · Search mode',
  );
  expect(subtitleOf('activity', { ...nothing, sessions })).toBe('3 sessions live');
  expect(subtitleOf('activity', { ...nothing, sessions: [] })).toBe('No live session');
});

test('returns an empty text before the state is known', () => {
  for (const view of ['overview', 'activity', 'servers', 'setup', 'inbox', 'spills', 'settings'] as const) {
    expect(subtitleOf(view, nothing)).toBe('');
  }
});

test('counts the apps where there are more than three', () => {
  const sessions = ['a', 'b', 'c', 'd'].map((app) => session(app, app));
  expect(subtitleOf('overview', { ...nothing, sessions })).toBe('4 apps active');
});

test('omits apps on a team’s page, since only one replica knows them', () => {
  const team = { user: 'ana', role: 'admin' } as const;
  const sessions = [session('1', 'Cursor')];
  expect(subtitleOf('overview', { ...nothing, sessions, modes, team })).toBe('Search mode');
});

test('puts a pause first in every view', () => {
  const core = { paused: true } as CoreFacts;
  expect(subtitleOf('servers', { ...nothing, core, servers: [serverRow('a')] })).toBe('Paused · 1 ready');
  expect(subtitleOf('settings', { ...nothing, core })).toBe('Paused');
});

describe('servers in words', () => {
  const off = serverRow('off', { level: 'off', state: 'disabled' });
  const starting = serverRow('starting', { level: 'busy', state: 'connecting' });
  const ill = serverRow('ill', { level: 'error', state: 'error' });
  const unsigned = serverRow('unsigned', { level: 'attention', state: 'pending-sign-in' });
  const cases: [string, ReturnType<typeof serverRow>[]][] = [
    ['No servers yet', []],
    ['1 off', [off]],
    ['1 ready and 1 off', [serverRow('a'), off]],
    ['1 needs you and 1 stopped', [unsigned, ill]],
    ['1 ready, 1 starting and 2 need you', [serverRow('a'), starting, unsigned, unsigned]],
  ];
  test.each(cases)('%s', (words, servers) => {
    expect(formatServers(servers)).toBe(words);
  });
});

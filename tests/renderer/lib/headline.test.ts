/** The sentence on top of every view. */
import { describe, expect, test } from 'vitest';
import type { CoreFacts } from '../../../src-main/rpc/contract.ts';
import { headline, serversInWords } from '../../../src-renderer/lib/headline.ts';
import { serverRow, session } from '../rows.ts';

const nothing = { core: undefined, servers: undefined, sessions: undefined, modes: undefined, team: undefined };
const modes = { mode: 'search', modes: [] };

test('it names servers, apps and mode', () => {
  const sessions = [session('1', 'Claude Desktop'), session('2', 'Cursor'), session('3', 'Cursor')];
  expect(headline({ ...nothing, servers: [serverRow('a'), serverRow('b')], sessions, modes })).toBe(
    '2 servers healthy · Claude Desktop and Cursor in session · Search mode',
  );
});

test('it says nothing before anything is known', () => {
  expect(headline(nothing)).toBe('');
});

test('more than three apps are counted', () => {
  const sessions = ['a', 'b', 'c', 'd'].map((app) => session(app, app));
  expect(headline({ ...nothing, sessions })).toBe('4 apps in session');
});

test('a team’s page, which knows the apps of one replica, says nothing of them', () => {
  const team = { person: 'ana', role: 'admin' } as const;
  const sessions = [session('1', 'Cursor')];
  expect(headline({ ...nothing, servers: [serverRow('a')], sessions, modes, team })).toBe(
    '1 server healthy · Search mode',
  );
});

test('a pause goes before what the servers would say', () => {
  const core = { paused: true } as CoreFacts;
  expect(headline({ ...nothing, core, servers: [serverRow('a')] })).toBe('Paused: no server runs');
});

describe('servers in words', () => {
  const off = serverRow('off', { level: 'off', state: 'disabled' });
  const asleep = serverRow('asleep', { level: 'off', state: 'disconnected' });
  const starting = serverRow('starting', { level: 'busy', state: 'connecting' });
  const ill = serverRow('ill', { level: 'error', state: 'error' });
  const unsigned = serverRow('unsigned', { level: 'attention', state: 'pending-sign-in' });
  const cases: [string, ReturnType<typeof serverRow>[]][] = [
    ['No servers yet', []],
    ['All servers switched off', [off]],
    ['1 server healthy', [serverRow('a'), off]],
    ['1 of 2 servers needs attention', [serverRow('a'), ill]],
    ['2 of 2 servers need attention', [unsigned, ill]],
    ['1 server healthy, 1 starting and 1 asleep', [serverRow('a'), starting, asleep]],
    ['1 starting', [starting]],
  ];
  test.each(cases)('%s', (words, servers) => {
    expect(serversInWords(servers)).toBe(words);
  });
});

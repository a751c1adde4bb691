/** The words of the status page. */
import { describe, expect, test } from 'vitest';
import type { CoreState, ServerStatus } from '../../src-main/rpc/contract.ts';
import { count, headline, illFirst } from '../../src-renderer/lib/format.ts';

function server(name: string, level: ServerStatus['level'], state: ServerStatus['state'] = 'ready'): ServerStatus {
  return { name, level, state, summary: '', detail: '', tools: 1, transport: 'stdio', endpoint: '' };
}

function core(servers: readonly ServerStatus[], sessions = 0): CoreState {
  const session = { app: 'Cursor', era: '2025-11-25', mode: 'search', calls: 0 };
  return {
    version: '0.1.0',
    home: '/home/ada/.config/tooltray',
    socket: '/run/tooltray.sock',
    http: '',
    logDir: '',
    mode: 'search',
    sessions: Array.from({ length: sessions }, (_, id) => ({ id: String(id), ...session })),
    servers,
  };
}

describe('the sentence on top', () => {
  const off = server('off', 'off', 'disabled');
  const asleep = server('asleep', 'off', 'disconnected');
  const cases: [string, CoreState][] = [
    ['No servers yet · 0 sessions · mode search', core([])],
    ['1 server healthy · 1 session · mode search', core([server('a', 'ok')], 1)],
    ['2 servers healthy · 2 sessions · mode search', core([server('a', 'ok'), server('b', 'ok'), off], 2)],
    ['1 of 2 servers needs attention · 0 sessions · mode search', core([server('a', 'ok'), server('b', 'error')])],
    [
      '2 of 2 servers need attention · 0 sessions · mode search',
      core([server('a', 'attention'), server('b', 'error')]),
    ],
    [
      '1 server healthy, 1 starting, 1 asleep · 0 sessions · mode search',
      core([server('a', 'ok'), server('b', 'busy', 'connecting'), asleep]),
    ],
    ['All servers switched off · 0 sessions · mode search', core([off])],
  ];

  test.each(cases)('%s', (sentence, state) => {
    expect(headline(state)).toBe(sentence);
  });
});

test('servers that need a person come first, those switched off last, each kind by name', () => {
  const servers = [
    server('z', 'off'),
    server('b', 'ok'),
    server('a', 'ok'),
    server('y', 'error'),
    server('c', 'attention'),
  ];
  expect(illFirst(servers).map(({ name }) => name)).toEqual(['y', 'c', 'a', 'b', 'z']);
});

test('a count has the plural of English and groups its thousands', () => {
  expect([count(0, 'tool'), count(1, 'tool'), count(1204, 'tool')]).toEqual(['0 tools', '1 tool', '1,204 tools']);
});

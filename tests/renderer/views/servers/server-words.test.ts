/** What a server's row says. */
import { expect, test } from 'vitest';
import {
  byServer,
  callsInWords,
  filterServers,
  isRunning,
  listCost,
  loadInWords,
  matchesInWords,
  memoryInWords,
  processorInWords,
  shownTo,
  toolsInWords,
  waitsFor,
} from '../../../../src-renderer/views/servers/server-words.ts';
import { serverRow } from '../../rows.ts';

const shown = (tokens: number, mode = 'proxy', apps: readonly string[] = []) => ({ apps, mode, tokens });

test('tools that are switched off are told apart', () => {
  expect([toolsInWords({ tools: 1_204, toolsOff: 0 }), toolsInWords({ tools: 11, toolsOff: 2 })]).toEqual([
    '1,204',
    '9 of 11',
  ]);
});

test('the cost of a list is told as it is and as it is shown, once where that is the same', () => {
  const costs = [
    { tools: 51, listTokens: 18_400, listed: [shown(310)] },
    { tools: 51, listTokens: 18_400, listed: [shown(0, 'search', ['Codex']), shown(310)] },
    { tools: 2, listTokens: 42, listed: [shown(42)] },
    { tools: 0, listTokens: 1, listed: [] },
  ];
  expect(costs.map(listCost)).toEqual(['18.4k → 310', '18.4k → 0–310', '42', '–']);
  expect([shown(310), shown(0, 'search', ['Codex', 'Cursor'])].map(shownTo)).toEqual([
    'Any app: 310 tokens in proxy mode',
    'Codex, Cursor: not listed in search mode',
  ]);
});

test('only what takes its time says what it waits for', () => {
  expect(waitsFor({ level: 'busy', state: 'connecting' })).toMatch(/^Starting/);
  expect(waitsFor({ level: 'busy', state: 'authenticating' })).toMatch(/browser/);
  expect(waitsFor({ level: 'error', state: 'connecting' })).toBe('');
});

test('failures are told beside the calls', () => {
  expect(callsInWords({ calls24h: 96, failures24h: 2 })).toBe('96 calls in the last 24 h, 2 problems');
});

test('a filter finds every word, in name, state or address', () => {
  const servers = [
    serverRow('github', { endpoint: 'https://api.githubcopilot.com/mcp/', transport: 'http' }),
    serverRow('postgres', { summary: 'Stopped' }),
  ];
  const names = (text: string): string[] => filterServers(servers, text).map(({ name }) => name);
  expect([names(''), names('stopped'), names('HTTP copilot'), names('github stopped')]).toEqual([
    ['github', 'postgres'],
    ['postgres'],
    ['github'],
    [],
  ]);
});

test('a server stays in the filter for its tools, and says which', () => {
  const servers = [serverRow('github'), serverRow('postgres')];
  const matches = byServer([{ server: 'postgres', tools: ['run_sql', 'explain'], total: 5 }]);
  expect(filterServers(servers, 'sql', matches).map(({ name }) => name)).toEqual(['postgres']);
  expect([...matches.values(), { server: 'a', tools: ['one'], total: 1 }].map(matchesInWords)).toEqual([
    'Tools: run_sql, explain and 3 more',
    'Tool: one',
  ]);
});

test('what it takes of the computer is told with what it is a part of', () => {
  expect([0, 0.0004, 0.035, 0.2, 1.4].map(loadInWords)).toEqual(['0 %', '<0.1%', '3.5 %', '20 %', '140 %']);
  const taken = { server: 'a', load: 0.012, cpuMs: 12_400, memoryBytes: 84_000_000, processes: 3, inContainer: false };
  expect([memoryInWords(taken), processorInWords(taken)]).toEqual([
    '84 MB in 3 processes',
    '1.2 % of one core, 12 s CPU time',
  ]);
  const fresh = { ...taken, load: undefined, processes: 1, inContainer: true };
  expect([memoryInWords(fresh), processorInWords(fresh)]).toEqual([
    '84 MB in 1 process(container processes not included)',
    '12 s CPU time',
  ]);
});

test('what sleeps or is off has nothing to stop', () => {
  const states = ['ready', 'error', 'connecting', 'disconnected', 'disabled'] as const;
  expect(states.map((state) => isRunning({ state }))).toEqual([true, true, true, false, false]);
});

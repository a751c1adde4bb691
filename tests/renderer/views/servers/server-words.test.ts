/** Texts of a server's row. */
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

test('shows how many tools are enabled', () => {
  expect([toolsInWords({ tools: 1_204, toolsOff: 0 }), toolsInWords({ tools: 11, toolsOff: 2 })]).toEqual([
    '1,204',
    '9 of 11',
  ]);
});

test('shows a list’s tokens direct and as listed, or one number if both are equal', () => {
  const costs = [
    { tools: 51, listTokens: 18_400, listed: [shown(310)] },
    { tools: 51, listTokens: 18_400, listed: [shown(0, 'search', ['Codex']), shown(310)] },
    { tools: 2, listTokens: 42, listed: [shown(42)] },
    { tools: 0, listTokens: 1, listed: [] },
  ];
  expect(costs.map(listCost)).toEqual(['18.4k → 0.3k', '18.4k → 0–0.3k', '42', '–']);
  expect([shown(310), shown(0, 'search', ['Codex', 'Cursor'])].map(shownTo)).toEqual([
    'Any app: 310 tokens in proxy mode',
    'Codex, Cursor: not listed in search mode',
  ]);
});

test('names what a busy server waits for, and nothing for others', () => {
  expect(waitsFor({ level: 'busy', state: 'connecting' })).toMatch(/^Starting/);
  expect(waitsFor({ level: 'busy', state: 'authenticating' })).toMatch(/browser/);
  expect(waitsFor({ level: 'error', state: 'connecting' })).toBe('');
});

test('shows failures beside the calls', () => {
  expect(callsInWords({ calls24h: 96, failures24h: 2 })).toBe('96 calls in the last 24 h, 2 problems');
});

test('a filter matches every word in name, state or address', () => {
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

test('a filter keeps a server for its matching tools, and names them', () => {
  const servers = [serverRow('github'), serverRow('postgres')];
  const matches = byServer([{ server: 'postgres', tools: ['run_sql', 'explain'], total: 5 }]);
  expect(filterServers(servers, 'sql', matches).map(({ name }) => name)).toEqual(['postgres']);
  expect([...matches.values(), { server: 'a', tools: ['one'], total: 1 }].map(matchesInWords)).toEqual([
    'Tools: run_sql, explain and 3 more',
    'Tool: one',
  ]);
});

test('describes load and memory with their units', () => {
  expect([0, 0.0004, 0.035, 0.2, 1.4].map(loadInWords)).toEqual(['0%', '<0.1%', '3.5%', '20%', '140%']);
  const taken = { server: 'a', load: 0.012, cpuMs: 12_400, memoryBytes: 84_000_000, processes: 3, inContainer: false };
  expect([memoryInWords(taken), processorInWords(taken)]).toEqual([
    '84 MB in 3 processes',
    '1.2% of one core, 12 s CPU time',
  ]);
  const fresh = { ...taken, load: undefined, processes: 1, inContainer: true };
  expect([memoryInWords(fresh), processorInWords(fresh)]).toEqual([
    '84 MB in 1 process(container processes not included)',
    '12 s CPU time',
  ]);
});

test('a disconnected or disabled server is not running', () => {
  const states = ['ready', 'error', 'connecting', 'disconnected', 'disabled'] as const;
  expect(states.map((state) => isRunning({ state }))).toEqual([true, true, true, false, false]);
});

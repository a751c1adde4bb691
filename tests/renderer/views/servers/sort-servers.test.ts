/** The order of the servers. */
import { expect, test } from 'vitest';
import type { ServerUsage } from '../../../../src-main/rpc/contract.ts';
import {
  ariaSort,
  nextSort,
  readSort,
  type SortKey,
  sortKeys,
  sortServers,
  sortText,
  defaultSort,
} from '../../../../src-renderer/views/servers/sort-servers.ts';
import { serverRow } from '../../rows.ts';

/** Unhealthy first, in the core's order. */
const rows = [
  serverRow('ill', { level: 'error', tools: 0, calls24h: 3 }),
  serverRow('big', { tools: 40, toolsOff: 39, listTokens: 900, medianMs: 5 }),
  serverRow('all', { tools: 7, listTokens: 80, medianMs: 70, calls24h: 9 }),
];
const taken = (server: string, load: number | undefined, memoryBytes: number): [string, ServerUsage] => [
  server,
  { server, load, memoryBytes, cpuMs: 1, processes: 1, inContainer: false },
];
const usage = new Map([taken('ill', undefined, 5), taken('all', 0.5, 900)]);
const order = (key: SortKey, isReversed = false): string =>
  sortServers(rows, { key, isReversed }, usage)
    .map(({ name }) => name)
    .join(' ');

test('each column has its own order, numbers descending, with unknown values last both ways', () => {
  expect(sortKeys.map((key) => `${key}: ${order(key)}, ${order(key, true)}`)).toEqual([
    'state: ill big all, all big ill',
    'name: all big ill, ill big all',
    'tools: all big ill, ill big all',
    'calls: all ill big, big ill all',
    'median: all big ill, big all ill',
    'cost: big all ill, all big ill',
    'processor: all big ill, all big ill',
    'memory: all ill big, ill all big',
  ]);
});

test('a header pressed again reverses its order, another one starts with its own', () => {
  const once = nextSort(defaultSort, 'memory');
  const twice = nextSort(once, 'memory');
  expect([once, twice].map((sort) => ariaSort(sort, 'memory'))).toEqual(['descending', 'ascending']);
  expect([ariaSort(once, 'name'), ariaSort(nextSort(twice, 'name'), 'name')]).toEqual([undefined, 'ascending']);
});

test('stores the order as text, and reads unknown text as the default', () => {
  for (const key of sortKeys) {
    for (const isReversed of [false, true])
      expect(readSort(sortText({ key, isReversed }))).toEqual({ key, isReversed });
  }
  expect([readSort(null), readSort('-nothing')]).toEqual([defaultSort, defaultSort]);
});

test('sorts numbers in names numerically', () => {
  const many = ['tools-10', 'tools-2', 'tools-1'].map((name) => serverRow(name));
  const names = sortServers(many, { key: 'name', isReversed: false }, new Map()).map(({ name }) => name);
  expect(names).toEqual(['tools-1', 'tools-2', 'tools-10']);
});

/** In which order the servers stand. Pure. */
import type { ServerRow, ServerUsage } from '../../../src-main/rpc/contract.ts';

export const sortKeys = ['state', 'name', 'tools', 'calls', 'median', 'cost', 'processor', 'memory'] as const;
export type SortKey = (typeof sortKeys)[number];

export interface Sort {
  readonly key: SortKey;
  /** Against the way in which the column is read first. */
  readonly isReversed: boolean;
}

export type UsageByServer = ReadonlyMap<string, ServerUsage>;

/** Ill ones first, as they come from the core. */
export const defaultSort: Sort = { key: 'state', isReversed: false };

/** Figures are looked at from the biggest on; names and states from their beginning. */
const fromTheEnd: ReadonlySet<SortKey> = new Set(['tools', 'calls', 'median', 'cost', 'processor', 'memory']);

/** What pressing a column's head comes to: its own order first, then the other way round. */
export function nextSort(sort: Sort, key: SortKey): Sort {
  return { key, isReversed: sort.key === key && !sort.isReversed };
}

/** For `aria-sort`; undefined: it is not sorted by that column. */
export function ariaSort(sort: Sort, key: SortKey): 'ascending' | 'descending' | undefined {
  if (sort.key !== key) return undefined;
  return fromTheEnd.has(key) === sort.isReversed ? 'ascending' : 'descending';
}

/** A new list; servers of which nothing is known in that column come last, whichever way round. */
export function sortServers(
  servers: readonly ServerRow[],
  { key, isReversed }: Sort,
  usage: UsageByServer,
): readonly ServerRow[] {
  if (key === 'state') return isReversed ? servers.toReversed() : servers;
  const sign = fromTheEnd.has(key) === isReversed ? 1 : -1;
  return servers.toSorted((a, b) => {
    const [x, y] = [valueOf(a, key, usage), valueOf(b, key, usage)];
    if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined) || byName(a, b);
    return sign * compare(x, y) || byName(a, b);
  });
}

function valueOf(server: ServerRow, key: SortKey, usage: UsageByServer): number | string | undefined {
  switch (key) {
    case 'state':
    case 'name':
      return server.name;
    case 'tools':
      return server.tools - server.toolsOff;
    case 'calls':
      return server.calls24h;
    case 'median':
      return server.medianMs;
    case 'cost':
      return server.tools === 0 ? undefined : server.listTokens;
    case 'processor':
      return usage.get(server.name)?.load;
    case 'memory':
      return usage.get(server.name)?.memoryBytes;
  }
}

function compare(a: number | string, b: number | string): number {
  return typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), 'en', { numeric: true });
}

function byName(a: ServerRow, b: ServerRow): number {
  return compare(a.name, b.name);
}

/** As it is remembered: `memory`, `-memory`. */
export function sortText({ key, isReversed }: Sort): string {
  return `${isReversed ? '-' : ''}${key}`;
}

/** The usual one for what was never chosen, or by another version. */
export function readSort(text: string | null): Sort {
  const key = sortKeys.find((one) => one === text?.replace(/^-/, ''));
  return key === undefined ? defaultSort : { key, isReversed: text?.startsWith('-') === true };
}

/** Sorts servers. Pure. */
import type { ServerRow, ServerUsage } from '../../../src-main/rpc/contract.ts';

export const sortKeys = ['state', 'name', 'tools', 'calls', 'median', 'cost', 'processor', 'memory'] as const;
export type SortKey = (typeof sortKeys)[number];

export interface Sort {
  readonly key: SortKey;
  /** Reversed from the column's natural order. */
  readonly isReversed: boolean;
}

export type UsageByServer = ReadonlyMap<string, ServerUsage>;

/** Unhealthy first, in the core's order. */
export const defaultSort: Sort = { key: 'state', isReversed: false };

/** Figures sort descending by default; names and states ascending. */
const fromTheEnd: ReadonlySet<SortKey> = new Set(['tools', 'calls', 'median', 'cost', 'processor', 'memory']);

/** Next sort order when a column header is pressed: natural first, then reversed. */
export function nextSort(sort: Sort, key: SortKey): Sort {
  return { key, isReversed: sort.key === key && !sort.isReversed };
}

/** For `aria-sort`; undefined: not sorted by that column. */
export function ariaSort(sort: Sort, key: SortKey): 'ascending' | 'descending' | undefined {
  if (sort.key !== key) return undefined;
  return fromTheEnd.has(key) === sort.isReversed ? 'ascending' : 'descending';
}

/** A sorted copy; servers without a value come last in either direction. */
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

/** As stored: `memory`, `-memory`. */
export function sortText({ key, isReversed }: Sort): string {
  return `${isReversed ? '-' : ''}${key}`;
}

/** The default if nothing valid is stored. */
export function readSort(text: string | null): Sort {
  const key = sortKeys.find((one) => one === text?.replace(/^-/, ''));
  return key === undefined ? defaultSort : { key, isReversed: text?.startsWith('-') === true };
}

/**
 * The ledger's two tables: by hour and session for the last days, by day for the last years. Both contain sums, so
 * that their size depends on what was used, not on how often.
 */
import type { DatabaseSync } from 'node:sqlite';
import { prepareCached } from '../../base/private-database.ts';
import { formatDay, hourMs, startOfHour } from '../local-time.ts';
import type { Amounts, Cause } from './ledger-entry.ts';

/** Sums for one hour, session, app, mode, server, tool and cause. */
export interface LedgerRow extends Amounts {
  /** The beginning of the hour in local time, in ms since the epoch. */
  readonly hour: number;
  readonly session: string;
  /** User of the session, if several share the core. */
  readonly user?: string | undefined;
  readonly app: string;
  readonly mode: string;
  readonly server: string;
  readonly tool: string;
  readonly cause: Cause;
}

export interface LedgerBounds {
  readonly hourRows: number;
  readonly dayRows: number;
}

/** Approximate size of a row in the file, in bytes. */
const rowBytes = 250;

/** Each table may use an eighth of the file. */
export function ledgerBounds(maxBytes: number): LedgerBounds {
  const rows = Math.max(200, Math.floor(maxBytes / 8 / rowBytes));
  return { hourRows: Math.min(rows, 50_000), dayRows: Math.min(rows, 100_000) };
}

const dayMs = 24 * hourMs;
/** Retention of the hourly table, in ms. */
const hourlyRetentionMs = 8 * dayMs;
const dailyRetentionMs = 2 * 366 * dayMs;

const amounts = ['times', 'sent', 'loaded', 'baseline', 'raw', 'estimated'] as const;
const hourKeys = ['hour', 'session', 'app', 'mode', 'server', 'tool', 'cause'] as const;
const dayKeys = ['day', 'app', 'mode', 'server', 'tool', 'cause'] as const;

export function addRows(database: DatabaseSync, rows: readonly LedgerRow[]): void {
  const hours = prepareCached(database, upsert('ledgerHours', hourKeys, ['user']));
  const days = prepareCached(database, upsert('ledgerDays', dayKeys));
  for (const row of rows) {
    const figures = amounts.map((name) => row[name]);
    const names = [row.app, row.mode, row.server, row.tool, row.cause];
    hours.run(row.hour, row.session, ...names, row.user ?? null, ...figures);
    days.run(formatDay(row.hour), ...names, ...figures);
  }
}

/** Deletes rows that are too old, and the oldest beyond the limits. */
export function trimLedger(database: DatabaseSync, { hourRows, dayRows }: LedgerBounds, now: number): void {
  database.prepare('DELETE FROM ledgerHours WHERE hour < ?').run(now - hourlyRetentionMs);
  database.prepare('DELETE FROM ledgerDays WHERE day < ?').run(formatDay(now - dailyRetentionMs));
  trimTo(database, 'ledgerHours', 'hour', hourRows);
  trimTo(database, 'ledgerDays', 'day', dayRows);
}

function trimTo(database: DatabaseSync, table: string, key: string, most: number): void {
  const surplus = `SELECT ${key} FROM ${table} ORDER BY ${key} DESC LIMIT 1 OFFSET ?`;
  database.prepare(`DELETE FROM ${table} WHERE ${key} <= (${surplus})`).run(most);
}

/** `facts`: determined by the keys, and written with the first of them. */
function upsert(table: string, keys: readonly string[], facts: readonly string[] = []): string {
  const names = [...keys, ...facts, ...amounts];
  const sums = amounts.map((name) => `${name} = ${name} + excluded.${name}`);
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
    ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${sums.join(', ')}`;
}

// Sums over the ledger's tables.

/** The key of a row in the hourly table; the daily table has a column for the day and no sessions. */
const expressions: Readonly<Record<SavingsKey, string>> = {
  session: 'session',
  app: 'app',
  server: 'server',
  tool: "CASE WHEN server = '' THEN tool ELSE server || ':' || tool END",
  hour: 'hour',
  // The day is computed here: SQLite uses the system's time zone database, which containers may not have.
  day: 'hour',
  cause: 'cause',
  mode: 'mode',
};

export function sumLedger(
  database: DatabaseSync,
  { since = 0, by = 'cause', app }: SavingsQuery,
  now: number,
): readonly CauseSum[] {
  // Sessions and hours exist only for the last days.
  const fine = by === 'session' || by === 'hour' || since > now - hourlyRetentionMs;
  const table = fine ? 'ledgerHours' : 'ledgerDays';
  const key = !fine && by === 'day' ? 'day' : expressions[by];
  const rows = database
    .prepare(
      `SELECT ${key} AS key, ${by === 'session' ? 'min(app)' : 'NULL'} AS app, cause,
        sum(times) AS times, sum(sent) AS sent, sum(loaded) AS loaded,
        sum(baseline) AS baseline, sum(raw) AS raw, sum(estimated) AS estimated
        FROM ${table} WHERE ${fine ? 'hour' : 'day'} >= ? AND app = coalesce(?, app) GROUP BY 1, cause`,
    )
    .all(fine ? startOfHour(since) : formatDay(since), app ?? null);
  return rows.map((row) => {
    const number = (name: string): number => Number(row[name]);
    return {
      key: fine && by === 'day' ? formatDay(number('key')) : String(row['key']),
      app: row['app'] === null ? undefined : String(row['app']),
      cause: row['cause'] as Cause,
      times: number('times'),
      sent: number('sent'),
      loaded: number('loaded'),
      baseline: number('baseline'),
      raw: number('raw'),
      estimated: number('estimated'),
    };
  });
}

/** Reports of the ledger: sums by key, the net, and when Tooltray pays for itself. */
export type SavingsKey = 'session' | 'app' | 'server' | 'tool' | 'hour' | 'day' | 'cause' | 'mode';

export interface SavingsQuery {
  /** Only from this time on, in ms since the epoch: to the hour in the last seven days, to the day before. */
  readonly since?: number | undefined;
  /** Key of the rows; default: `cause`. */
  readonly by?: SavingsKey | undefined;
  /** Only entries of this client app. */
  readonly app?: string | undefined;
}

/** All in tokens. */
export interface SavingsTotals {
  /** Lists and instructions that apps would have loaded without Tooltray. */
  readonly baseline: number;
  /** Tokens of servers' results that apps would have accepted without Tooltray. */
  readonly results: number;
  /** Tokens that apps loaded from Tooltray itself: lists, instructions, discovery, helper texts. */
  readonly spent: number;
  /** Tokens of servers' results as sent; not part of the net, since no app would have accepted all of them. */
  readonly raw: number;
  /** Tokens that apps accepted of the results returned to them. */
  readonly given: number;
  /** Tokens that apps later read from spills. */
  readonly readBack: number;
  /** baseline − spent + results − given − readBack; may be negative. */
  readonly net: number;
  /** Everything sent to apps. */
  readonly sent: number;
  /** Share of sent, baseline and results that is an estimate, 0 to 1. */
  readonly estimatedShare: number;
  /** Number of answered tool calls. */
  readonly calls: number;
}

export interface SavingsRow extends SavingsTotals {
  /** For a tool `server:tool`; empty for entries without server or tool. */
  readonly key: string;
  /** App of the session, if rows are sessions. */
  readonly app?: string;
}

export interface BreakEven {
  /** Whether the net is not negative. */
  readonly reached: boolean;
  /**
   * Number of searches, and how many of them the savings of the lists pay for; undefined: there were none, or lists
   * save nothing.
   */
  readonly searches: number;
  readonly affordable: number | undefined;
}

export interface SavingsReport {
  readonly by: SavingsKey;
  /** Highest net first; days and hours (of the last eight days, beginning in ms since the epoch) in order. */
  readonly rows: readonly SavingsRow[];
  readonly causes: readonly SavingsRow[];
  readonly total: SavingsTotals;
  readonly breakEven: BreakEven;
  readonly tokenizer: string;
  /** Assumptions of the count, one sentence each. */
  readonly assumptions: readonly string[];
}

/** A sum over the table for one key and cause; several may exist. */
export interface CauseSum extends Amounts {
  readonly key: string;
  readonly app: string | undefined;
  readonly cause: Cause;
}

const spending: ReadonlySet<Cause> = new Set(['lists', 'instructions', 'discovery', 'helpers']);
const giving: ReadonlySet<Cause> = new Set(['results', 'code']);

export function toRows(sums: readonly CauseSum[], by: SavingsKey): readonly SavingsRow[] {
  const rows = [...Map.groupBy(sums, ({ key }) => key)].map(([key, parts]): SavingsRow => {
    const app = parts[0]?.app;
    return { key, ...(app !== undefined && { app }), ...totalSavings(parts) };
  });
  return rows.sort(by === 'day' || by === 'hour' ? (a, b) => (a.key < b.key ? -1 : 1) : (a, b) => b.net - a.net);
}

export function totalSavings(parts: readonly CauseSum[]): SavingsTotals {
  const total = (of: (part: CauseSum) => number): number => parts.reduce((sum, part) => sum + of(part), 0);
  const loaded = (isMeant: (cause: Cause) => boolean): number =>
    total((part) => (isMeant(part.cause) ? part.loaded : 0));
  const [owed, raw, sent] = [total((part) => part.baseline), total((part) => part.raw), total((part) => part.sent)];
  const baselineOfResults = total((part) => (giving.has(part.cause) ? part.baseline : 0));
  const baseline = owed - baselineOfResults;
  const spent = loaded((cause) => spending.has(cause));
  const given = loaded((cause) => giving.has(cause));
  const readBack = loaded((cause) => cause === 'readback');
  const counted = owed + sent;
  return {
    baseline,
    results: baselineOfResults,
    spent,
    raw,
    given,
    readBack,
    net: baseline - spent + baselineOfResults - given - readBack,
    sent,
    estimatedShare: counted === 0 ? 0 : total((part) => part.estimated) / counted,
    calls: total((part) => (giving.has(part.cause) ? part.times : 0)),
  };
}

export function computeBreakEven(sums: readonly CauseSum[], net: number): BreakEven {
  const of = (...causes: readonly Cause[]): readonly CauseSum[] => sums.filter(({ cause }) => causes.includes(cause));
  const lists = totalSavings(of('lists', 'instructions'));
  const searches = of('discovery').reduce((sum, { times }) => sum + times, 0);
  // A tool that was looked up is also called through a helper tool.
  const each = totalSavings(of('discovery', 'helpers')).spent / searches;
  const saved = lists.baseline - lists.spent;
  return {
    reached: net >= 0,
    searches,
    affordable: searches === 0 || saved <= 0 ? undefined : Math.floor(saved / each),
  };
}

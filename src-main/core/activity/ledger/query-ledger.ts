/** Sums over the ledger's tables. */
import type { DatabaseSync } from 'node:sqlite';
import type { Cause } from './entry.ts';
import { dayOf, hourOf, recentMs } from './ledger-table.ts';
import type { CauseSum, SavingsKey, SavingsQuestion } from './savings.ts';

/** How a row's key is read off the table by the hour; that by the day has a column for the day and none for sessions. */
const expressions: Readonly<Record<SavingsKey, string>> = {
  session: 'session',
  app: 'app',
  server: 'server',
  tool: "CASE WHEN server = '' THEN tool ELSE server || ':' || tool END",
  day: "date(hour / 1000, 'unixepoch', 'localtime')",
  cause: 'cause',
  mode: 'mode',
};

export function sumLedger(
  database: DatabaseSync,
  { since = 0, by = 'cause', app }: SavingsQuestion,
  now: number,
): readonly CauseSum[] {
  // Sessions are kept by the hour only; the last hours are told apart there, too.
  const fine = by === 'session' || since > now - recentMs;
  const table = fine ? 'ledgerHours' : 'ledgerDays';
  const key = !fine && by === 'day' ? 'day' : expressions[by];
  const rows = database
    .prepare(
      `SELECT ${key} AS key, ${by === 'session' ? 'min(app)' : 'NULL'} AS app, cause,
        sum(times) AS times, sum(sent) AS sent, sum(loaded) AS loaded,
        sum(baseline) AS baseline, sum(raw) AS raw, sum(estimated) AS estimated
        FROM ${table} WHERE ${fine ? 'hour' : 'day'} >= ? AND app = coalesce(?, app) GROUP BY 1, cause`,
    )
    .all(fine ? hourOf(since) : dayOf(since), app ?? null);
  return rows.map((row) => {
    const number = (name: string): number => Number(row[name]);
    return {
      key: String(row['key']),
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

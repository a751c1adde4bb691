/** Queries of a team's dashboard over the savings of all replicas: of one user, or of all users for an admin. */
import type { Sql } from 'postgres';
import type { Cause, CauseSum } from '../../core/edition.ts';
import { rethrowDatabaseError } from '../database/database.ts';
import { conditionsOf, type RowScope, type TeamCallFilter } from './call-conditions.ts';

export type SavingsBy = 'app' | 'server' | 'tool' | 'person' | 'session' | 'hour' | 'day' | 'cause' | 'mode';

const savingsKeys: Readonly<Record<SavingsBy, string>> = {
  app: 'app',
  server: 'server',
  person: `coalesce(person, '')`,
  cause: 'cause',
  mode: 'mode',
  session: 'session',
  hour: `(extract(epoch FROM written) * 1000)::bigint::text`,
  tool: `CASE WHEN server = '' THEN tool ELSE server || ':' || tool END`,
  day: `to_char(written AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
};

/** All methods reject with AppError `store_unreachable`. */
export class SavingsQueries {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Savings totals by key and cause. Only the filter's time and app apply. */
  async sums(
    whose: RowScope,
    by: SavingsBy,
    { since, app }: Pick<TeamCallFilter, 'since' | 'app'>,
  ): Promise<readonly CauseSum[]> {
    const { where, values } = conditionsOf(whose, { since, app });
    const rows = await this.#sql
      .unsafe<Record<string, unknown>[]>(
        `SELECT ${savingsKeys[by]} AS key, ${by === 'session' ? 'min(app)' : 'NULL'} AS app, cause, sum(times) AS times, sum(sent) AS sent,
        sum(loaded) AS loaded, sum(baseline) AS baseline, sum(raw) AS raw, sum(estimated) AS estimated
      FROM tooltray.savings WHERE ${where} GROUP BY 1, cause`,
        [...values],
        { prepare: true },
      )
      .catch(rethrowDatabaseError);
    return rows.map((row) => {
      const number = (name: string): number => Number(row[name]);
      const app = typeof row['app'] === 'string' ? row['app'] : undefined;
      return {
        key: String(row['key']),
        app,
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
}

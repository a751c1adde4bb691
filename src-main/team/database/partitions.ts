/** Monthly table partitions: creates future ones in time, and drops activity partitions past their retention. */
import type { Sql } from 'postgres';
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';

/** Retention of calls, steps, and savings in days: a month is dropped when its last day is older. */
export const retentionDays = 90;
const maintenanceIntervalMs = 24 * 60 * 60_000;

/** Runs now and then once a day, on any replica, until the returned function is called. */
export function maintainPartitions(sql: Sql, log: Pick<Log, 'warn'>): () => Promise<void> {
  const look = async (): Promise<void> => {
    try {
      await sql`SELECT tooltray.make_parts(), tooltray.drop_parts(${retentionDays})`;
    } catch (error) {
      log.warn(`Partition maintenance failed: ${errorText(error)}.`);
    }
  };
  let looking = look();
  const timer = setInterval(() => {
    looking = look();
  }, maintenanceIntervalMs).unref();
  return async () => {
    clearInterval(timer);
    await looking;
  };
}

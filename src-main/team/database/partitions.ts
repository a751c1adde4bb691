/**
 * Tables in parts, one each month: those to come are made in time, and those of the record that are old enough are
 * dropped whole.
 */
import type { Sql } from 'postgres';
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';

/** How long calls, steps and savings are kept, in days: a month goes when its last day is older. */
export const retentionDays = 90;
const maintenanceIntervalMs = 24 * 60 * 60_000;

/** At once and then once a day, as any replica may; until the returned function is called. */
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

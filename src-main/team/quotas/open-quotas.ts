/** Composition of a replica's quotas. */
import type { Sql } from 'postgres';
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import { Quotas } from './quotas.ts';
import { ConcurrencyCounts } from './concurrency-counts.ts';
import { RateWindows } from './rate-windows.ts';

export interface OpenQuotas {
  readonly quotas: Quotas;
  close(): Promise<void>;
}

/** Interval of deleting old counts, in ms. */
const sweepMs = 3_600_000;

export function openQuotas(sql: Sql, log: Pick<Log, 'warn'>): OpenQuotas {
  const windows = new RateWindows(sql);
  const running = new ConcurrencyCounts(sql, log);
  const sweep = (): void =>
    void windows
      .sweep()
      .catch((error: unknown) => log.warn(`Could not delete expired quota counters: ${errorText(error)}`));
  const timer = setInterval(sweep, sweepMs).unref();
  return {
    quotas: new Quotas({ windows, running, log }),
    close: async () => {
      clearInterval(timer);
      await running.close();
    },
  };
}

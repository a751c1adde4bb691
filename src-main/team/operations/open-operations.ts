/** Composition of the operations server of one replica. */
import type { CoreHost } from '../../host/core-host.ts';
import type { ConfigProblems } from '../config/config-problems.ts';
import type { Database } from '../database/database.ts';
import type { PoolCounts } from '../placement/personal-processes.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { withTimeout } from './with-timeout.ts';
import { Metrics } from './metrics.ts';
import { OperationsServer } from './operations-server.ts';
import type { Readiness } from './readiness.ts';

export interface OpenOperations {
  readonly port: number;
  stop(): Promise<void>;
}

interface OperationsOptions {
  readonly host: CoreHost;
  readonly version: string;
  readonly database: Database;
  readonly at: { readonly address: string; readonly port: number };
  readonly readiness: Readiness;
  readonly config: ConfigProblems;
  readonly personal: () => PoolCounts;
  readonly quotas: Pick<Quotas, 'refused'>;
}

/** Timeout for PostgreSQL, in ms. */
const timeoutMs = 2_000;

/** Rejects with AppError `port_in_use`. */
export async function openOperations(options: OperationsOptions): Promise<OpenOperations> {
  const { config, host, version, database, at, readiness, personal, quotas } = options;
  const metrics = new Metrics({
    config,
    version,
    personal,
    quotas,
    activity: host.core.activity.log,
    listener: () => host.httpServer?.listener,
    port: () => host.port,
    connections: () => withTimeout(connectionsOf(database), timeoutMs),
    isReady: async () => (await readiness.problem()) === undefined,
  });
  const server = new OperationsServer({ metrics, readiness });
  const port = await server.start(at.address, at.port);
  return {
    port,
    stop: async () => {
      metrics.stop();
      await server.stop();
    },
  };
}

/** PostgreSQL shows a role only the number of connections. undefined if it cannot be queried. */
async function connectionsOf(database: Database): Promise<number | undefined> {
  try {
    const [row] = await database.sql<{ count: number }[]>`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE application_name = current_setting('application_name') AND datname = current_database()`;
    return row?.count;
  } catch {
    return undefined;
  }
}

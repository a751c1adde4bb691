/** One PostgreSQL for all tests of a run, started on first use, in the main process of the tests. */
import { join } from 'node:path';
import { type Cluster, startPostgres } from '../../scripts/team/engines/postgres.ts';
import { connect, replicaRole } from '../../src-main/team/database/database.ts';
import { migrate } from '../../src-main/team/database/migrate.ts';
import { engineOnDemand } from './engine-on-demand.ts';

/** Environment variable with its URL. */
export const clusterVariable = 'TOOLTRAY_TEST_CLUSTER';
/** Login of a replica, with its rights only. */
const replicaLogin = 'tooltray_app';
/** Template of each test's database. */
export const template = 'migrated';

export default function setUp(): Promise<() => Promise<void>> {
  return engineOnDemand(clusterVariable, (folder) => start(join(folder, 'postgres')));
}

async function start(folder: string): Promise<Cluster> {
  const cluster = await startPostgres({ folder, isFleeting: true });
  const sql = connect({ url: cluster.url, most: 1 });
  await sql.unsafe(`CREATE DATABASE ${template}`);
  await sql.end();
  await migrate(urlOf(cluster.url, template));
  await grantLogin(cluster.url);
  return cluster;
}

async function grantLogin(url: string): Promise<void> {
  const sql = connect({ url, most: 1 });
  await sql.unsafe(`CREATE ROLE ${replicaLogin} LOGIN IN ROLE ${replicaRole}`);
  await sql.end();
}

/** The same database with the least-privileged login of a replica. */
export function asReplica(url: string): string {
  const other = new URL(url);
  other.username = replicaLogin;
  return other.href;
}

/** Another database of the same cluster. */
export function urlOf(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/** One PostgreSQL for all tests of a run, started when the first one asks for it. Runs in the process that runs the tests. */
import { rmSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type Cluster, startPostgres } from '../../scripts/team/engines/postgres.ts';
import { connect } from '../../src-main/team/database/database.ts';
import { migrate } from '../../src-main/team/database/migrate.ts';

/** Where tests ask for it. */
export const clusterVariable = 'TOOLTRAY_TEST_CLUSTER';
/** What each test's database is a copy of. */
export const template = 'migrated';

export default async function setUp(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tooltray-cluster-'));
  // Where tests run as root, PostgreSQL is another user, who has to come through.
  await chmod(folder, 0o711);
  let started: Promise<Cluster> | undefined;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    void (started ??= start(join(folder, 'postgres'))).then(
      ({ url }) => socket.end(JSON.stringify({ url })),
      (error: unknown) => socket.end(JSON.stringify({ error: String(error) })),
    );
  });
  const path = join(folder, 'ask');
  await new Promise<void>((resolve) => server.listen(path, resolve));
  process.env[clusterVariable] = path;
  return async () => {
    server.close();
    await (await started?.catch(() => undefined))?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function start(folder: string): Promise<Cluster> {
  const cluster = await startPostgres({ folder, isFleeting: true });
  const sql = connect({ url: cluster.url, most: 1 });
  await sql.unsafe(`CREATE DATABASE ${template}`);
  await sql.end();
  await migrate(urlOf(cluster.url, template));
  return cluster;
}

/** Of another database of the same cluster. */
export function urlOf(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

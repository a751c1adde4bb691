/**
 * Replicas behind Debian's PgBouncer in transaction mode: only notifications and locks connect to PostgreSQL directly.
 * Skipped if PgBouncer is not installed.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { verifyLog } from '../../../src-main/core/trust/audit/verify-audit-log.ts';
import { ended } from '../../../scripts/team/engines/ended.ts';
import { freePort } from '../../../scripts/team/engines/free-port.ts';
import { programPath } from '../../../scripts/team/engines/system.ts';
import { AuditTable } from '../../../src-main/team/audit/audit-table.ts';
import { connect } from '../../../src-main/team/database/database.ts';
import { TeamKeys } from '../../../src-main/team/documents/team-keys.ts';
import { bearer } from '../../support/callers.ts';
import { HttpClient } from '../../support/http-client.ts';
import { ModernClient } from '../../support/modern-client.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplica, testKeys } from '../../support/start-replica.ts';
import { TeamPeople } from '../../support/team-callers.ts';
import { asReplica } from '../../support/team-cluster.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';

const program = programPath('pgbouncer');
const poolSize = 3;

/** Returns the URL of the same database through PgBouncer. */
async function pooled(url: string): Promise<string> {
  const { hostname, port, pathname, username } = new URL(url);
  const name = pathname.slice(1);
  const own = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-pgbouncer-'));
  chmodSync(folder, 0o755);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    [
      '[databases]',
      `${name} = host=${hostname} port=${port} dbname=${name} user=${username}`,
      '[pgbouncer]',
      ...['listen_addr = 127.0.0.1', `listen_port = ${own}`, 'unix_socket_dir =', 'auth_type = any'],
      ...['pool_mode = transaction', `default_pool_size = ${poolSize}`],
      'ignore_startup_parameters = statement_timeout',
    ].join('\n'),
  );
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(program ?? '', [...asNobody, file], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(async () => {
    await ended(child, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  for await (const line of createInterface(child.stderr)) if (line.includes('process up')) break;
  child.stderr.resume();
  const address = new URL(url);
  address.port = String(own);
  address.searchParams.set('prepare', 'false');
  return address.href;
}

test.runIf(program !== undefined)(
  'replicas work through PgBouncer in transaction mode, and hear of changes',
  async () => {
    const url = await teamDatabase();
    const pool = await pooled(asReplica(url));
    const config = {
      servers: { echo: fixture('echo') },
      quotas: { few: { groupBy: ['user'], calls: 2, window: 'day' } },
      audit: { writeAhead: true },
    };
    const open = async (name: string): ReturnType<typeof startReplica> => {
      const replica = await startReplica(pool, config, { name, directDatabase: asReplica(url) });
      onTestFinished(() => replica[Symbol.asyncDispose]());
      return replica;
    };
    const [one, two] = [await open('a'), await open('b')];
    const people = new TeamPeople(one);
    await people.people.add({ name: 'ana' });
    const token = await people.give('ana');
    const say = async (on: typeof one): Promise<string> => {
      const client = new ModernClient(new HttpClient(on.url, true, bearer(token)));
      return JSON.stringify(await client.call('echo_echo', { message: 'said' }));
    };
    expect([await say(one), await say(two)]).toEqual([
      expect.stringContaining('said') as string,
      expect.stringContaining('said') as string,
    ]);
    expect(await say(two)).toContain('quota');

    const sql = connect({ url, most: 1 });
    onTestFinished(() => sql.end());
    const pids = await sql<{ name: string }[]>`
      SELECT application_name AS name FROM pg_stat_activity WHERE datname = current_database() AND usename = 'tooltray_app'`;
    // For two replicas: at most the pool, and a listener and a lock connection each.
    expect(pids.length).toBeLessThanOrEqual(poolSize + 4);
    expect(
      await verifyLog({ log: new AuditTable(sql), ownKey: TeamKeys.fromEnv(testKeys).audit().publicKey }),
    ).toMatchObject({ holds: true });

    const heard = Promise.withResolvers<void>();
    two.replica.changes.changed.on(({ topic }) => topic === 'people' && heard.resolve());
    await people.people.change('ana', { isSuspended: true });
    await heard.promise;
    await until(async () => (await fetch(two.url, { method: 'POST', headers: bearer(token) })).status === 401);
  },
  60_000,
);

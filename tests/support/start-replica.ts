/** Runs a whole team replica in the test's own process, with a separate folder, on a real PostgreSQL. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOf } from '../../src-main/team/users/access-tokens.ts';
import type { Database } from '../../src-main/team/database/database.ts';
import { Replica, type ReplicaOptions } from '../../src-main/team/replica.ts';
import type { TestConfig } from './start-core.ts';
import { activityThread, sandbox } from './shared-workers.ts';
import { asReplica } from './team-cluster.ts';
import { objectsEnv, teamObjectsAddress } from './team-objects.ts';

export interface TestReplica extends AsyncDisposable {
  readonly replica: Replica;
  readonly folder: string;
  readonly configFile: string;
  /** Its HTTP port. */
  readonly port: number;
  /** URL of the HTTP endpoints: `http://127.0.0.1:PORT/mcp`. */
  readonly url: string;
}

/** Valid for every replica of a test, as one user. */
export const teamToken = `tt_0_${'T'.repeat(43)}`;

export const testKeys = { TOOLTRAY_TEAM_KEYS: Buffer.alloc(32, 1).toString('base64url') };

const usual = { mode: 'proxy', reviews: { onChange: 'warn' } };

/**
 * `database`: from `teamDatabase()`, used with a replica's rights; several replicas may share it. Resolves when every
 * server has settled.
 */
export async function startReplica(
  database: string,
  config: TestConfig,
  { env = {}, ...more }: Partial<ReplicaOptions> = {},
): Promise<TestReplica> {
  const folder = await mkdtemp(join(tmpdir(), 'tooltray-replica-'));
  const configFile = join(folder, 'config.json');
  await writeFile(configFile, JSON.stringify({ ...usual, ...config }));
  // Only if a test configures spills.
  const objects = config['results'] === undefined ? undefined : await teamObjectsAddress();
  const replica = await Replica.open({
    env: { ...process.env, TOOLTRAY_HOME: folder, ...testKeys, ...objectsEnv, ...env },
    objects,
    version: '0.0.0',
    configFile,
    pageRoot: folder,
    onStop: () => undefined,
    database: asReplica(database),
    listen: { address: '127.0.0.1', port: 0 },
    shared: { activityThread, codeRunner: sandbox },
    publicUrl: undefined,
    allowedHosts: [],
    trustedProxies: [],
    name: 'a',
    // Not every computer that runs the tests has bubblewrap.
    allowsUnconfined: true,
    noticeMs: 0,
    heartbeatMs: 200,
    ...more,
  });
  await letTesterIn(replica.database);
  await replica.listen();
  await replica.start();
  return {
    replica,
    folder,
    configFile,
    port: replica.host.port,
    url: `http://127.0.0.1:${replica.host.port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await replica.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** With a token that is known to the tests, also in another process. */
export async function letTesterIn(database: Pick<Database, 'sql'>): Promise<void> {
  const sql = database.sql;
  await sql`
    INSERT INTO tooltray.users (id, name, name_key, role, is_service, groups, routing_key)
    VALUES ('tester', 'tester', 'tester', 'member', false, '{}', '0') ON CONFLICT DO NOTHING`;
  await sql`
    INSERT INTO tooltray.user_tokens (id, user_id, label, hash, read_only, expires_at)
    VALUES ('test', 'tester', '', ${hashOf(teamToken)}, false, now() + interval '1 day') ON CONFLICT DO NOTHING`;
  // Most tests are not about grants.
  await sql`INSERT INTO tooltray.group_grants VALUES ('everyone', '*') ON CONFLICT DO NOTHING`;
}

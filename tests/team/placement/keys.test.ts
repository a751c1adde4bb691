/** A command in any placement reads none of the keys that its replica was started with. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../../src-main/team/database/database.ts';
import { startReplicaProcess } from '../../support/replica-process.ts';
import { letTesterIn, startReplica } from '../../support/start-replica.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { teamDatabase } from '../../support/team-database.ts';

const hasSandbox =
  spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true'], { timeout: 20_000 }).status === 0;

const reader = { command: process.execPath, args: [join(import.meta.dirname, 'key-reader.ts')] };
const placements = {
  shared: {},
  optedOut: { isolation: { mode: 'none' } },
  perUser: { placement: 'per-user' },
  perUserOptedOut: { placement: 'per-user', isolation: { mode: 'none' } },
};

async function letIn(url: string): Promise<void> {
  const database = new Database({ url, most: 1 });
  await letTesterIn(database);
  await database.close();
}

test.skipIf(!hasSandbox)(
  'a command in any placement reads no key of its replica',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tooltray-keys-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [home, configs] = [join(folder, 'home'), join(folder, 'config')];
    for (const made of [join(home, 'data'), configs]) mkdirSync(made, { recursive: true });
    const teamKey = Buffer.alloc(32, 7).toString('base64url');
    const keysFile = join(folder, 'team-keys');
    writeFileSync(keysFile, teamKey);
    writeFileSync(join(home, 'data', 'planted'), 'planted-in-home');
    const servers = {
      ...Object.fromEntries(Object.entries(placements).map(([name, more]) => [name, { ...reader, ...more }])),
      remote: { url: 'http://127.0.0.1:9/mcp', headers: { authorization: 'planted-in-config' }, enabled: false },
    };
    const config = { mode: 'proxy', reviews: { onChange: 'warn' }, slowCallSeconds: 0, servers };
    writeFileSync(join(configs, 'organization.jsonc'), JSON.stringify(config));
    const database = await teamDatabase();
    await letIn(database);
    const env = {
      TOOLTRAY_TEAM_KEYS: teamKey,
      TOOLTRAY_TEAM_KEYS_FILE: keysFile,
      TOOLTRAY_OIDC_SECRET: 'planted-oidc-secret',
      TOOLTRAY_OBJECTS_KEY_ID: 'planted-object-id',
      TOOLTRAY_OBJECTS_KEY: 'planted-object-key',
      PGPASSWORD: 'planted-password',
    };
    const replica = await startReplicaProcess({ name: 'keys', database, config: configs, home, env, isConfined: true });
    const { session } = await openSession(replica.url);
    const keys = [database, teamKey, 'planted-'];
    const read = async (server: string): Promise<{ sockets: readonly string[] }> => {
      const params = { name: `${server}_read`, arguments: { paths: [keysFile, home, configs], keys } };
      const { message } = await post(replica.url, 'tools/call', params, session);
      const { content } = (message.result ?? {}) as { content?: { text: string }[] };
      return JSON.parse(content?.[0]?.text ?? JSON.stringify(message)) as { sockets: readonly string[] };
    };
    const results = await Promise.all(
      Object.keys(placements).map(async (server) => {
        const { sockets, ...seen } = await read(server);
        const near = sockets.filter((path) => path.startsWith(folder) || /^(?:\/var)?\/run\//.test(path));
        return [server, { ...seen, near }];
      }),
    );
    const nothing = { canRead: true, found: [], near: [] };
    expect(Object.fromEntries(results)).toEqual(
      Object.fromEntries(Object.keys(placements).map((server) => [server, nothing])),
    );
  },
  120_000,
);

test('starts commands where no sandbox is available, if its operator allows it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-no-sandbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { shared, optedOut } = placements;
  const servers = { shared: { ...reader, ...shared }, optedOut: { ...reader, ...optedOut } };
  const options = { env: { PATH: folder }, allowsUnconfined: true };
  await using started = await startReplica(await teamDatabase(), { servers }, options);
  const { manager } = started.replica.host.core.servers;
  for (const server of Object.keys(servers))
    await expect.poll(() => manager.find(server)?.state).toMatchObject({ kind: 'ready' });
});

test('starts no command where no sandbox is available, also if it opts out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-no-sandbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { shared, optedOut } = placements;
  const servers = { shared: { ...reader, ...shared }, optedOut: { ...reader, ...optedOut } };
  await using started = await startReplica(
    await teamDatabase(),
    { servers },
    {
      env: { PATH: folder },
      allowsUnconfined: false,
    },
  );
  const { manager } = started.replica.host.core.servers;
  const stateOf = (server: string): unknown => manager.find(server)?.state;
  for (const server of Object.keys(servers))
    await expect.poll(() => stateOf(server)).toMatchObject({ error: { code: 'server_not_started' } });
});

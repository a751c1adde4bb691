/**
 * User affinity: Debian's HAProxy with the config of docs/team sends every request of a user to one replica, by any
 * credential, and to another one when that ends. Skipped if HAProxy is not installed.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../scripts/team/engines/free-port.ts';
import { type Balancer, hasHaproxy, startHaproxy } from '../../../scripts/team/engines/haproxy.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { UserStore } from '../../../src-main/team/users/user-store.ts';
import { AccessTokenStore } from '../../../src-main/team/users/access-tokens.ts';
import { routingKey } from '../../../src-main/team/users/routing-key.ts';
import { type ReplicaProcess, startReplicaProcess } from '../../support/replica-process.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplica } from '../../support/start-replica.ts';
import { type Answer, openSession, post } from '../../support/team-caller.ts';
import { TeamPeople } from '../../support/team-callers.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { testIssuer } from '../../support/test-issuer.ts';
import { until } from '../../support/until.ts';
import { writeAtomically } from '../../support/write-atomically.ts';
import { Page } from '../dashboard/page.ts';

const haproxyIsMissing = !hasHaproxy();
const names = ['a', 'b', 'c'] as const;

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-affinity-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function balancerOf(ports: readonly number[], port?: number): Promise<Balancer> {
  const replicas = ports.map((each) => `127.0.0.1:${each}`);
  const balancer = await startHaproxy({ folder: scratch(), port: port ?? (await freePort()), replicas });
  onTestFinished(() => balancer.stop());
  return balancer;
}

test.skipIf(haproxyIsMissing)(
  'routes every request of a user to one replica, by token, cookie and the issuer’s JWT',
  async () => {
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const idp = await testIssuer(`${publicUrl}/mcp`);
    const database = await teamDatabase();
    const issuer = { issuer: idp.issuer, audiences: [], groupsClaim: 'groups', adminGroup: undefined };
    const ports: number[] = [];
    for (const name of names) {
      const replica = await startReplica(
        database,
        { servers: { echo: fixture('echo') } },
        { name, publicUrl, allowedHosts: ['127.0.0.1'], issuer: { ...issuer, takesNew: true, needsType: false } },
      );
      onTestFinished(() => replica[Symbol.asyncDispose]());
      ports.push(replica.port);
    }
    const balancer = await balancerOf(ports, port);
    const sql = new Database({ url: database, most: 2 });
    onTestFinished(() => sql.close());
    const team = new TeamPeople({ replica: { database: sql } as never });
    const url = `${balancer.url}/mcp`;
    const used = new Set<number>();
    for (const sub of ['ana', 'ben', 'eva|x', 'zoë', ...Array.from({ length: 8 }, (_, at) => `user-${at}`)]) {
      const jwt = await idp.sign({ sub, preferred_username: `p ${sub.replaceAll(/\W/g, '')}` });
      const before = await balancer.given();
      expect((await openSession(url, jwt)).status).toBe(200);
      const { name } = (await team.people.list()).find((one) => one.name.endsWith(sub.replaceAll(/\W/g, ''))) ?? {};
      const token = await team.give(name ?? '');
      expect(token.split('_')[1]).toBe(routingKey(idp.issuer, sub));
      const { session } = await openSession(url, token);
      expect((await post(url, 'tools/list', {}, session, token)).status).toBe(200);
      // A page has no key until it is signed in, so it is opened at a replica directly.
      const page = (await Page.open({ port: ports[0] ?? 0 }, token)).at({ port });
      await page.ask('accessTokens', {});
      expect((await post(url, 'tools/list', {}, session, token)).status).toBe(200);
      const given = (await balancer.given()).map((count, at) => count - (before[at] ?? 0));
      expect([sub, given.filter((count) => count > 0)]).toEqual([sub, [5]]);
      used.add(given.findIndex((count) => count > 0));
    }
    expect(used.size).toBeGreaterThan(1);
  },
  60_000,
);

interface RunningTeam {
  readonly url: string;
  readonly replicas: readonly ReplicaProcess[];
  readonly token: string;
  /** Number of runs of the slow tool. */
  readonly runs: () => number;
  /** Lets the slow call with this name end. */
  readonly finish: (name: string) => void;
  readonly call: (session: string, name: string) => Promise<Answer>;
  /** The replica that has the session. */
  readonly holder: (session: string) => Promise<ReplicaProcess>;
}

/** Three replicas in separate processes behind HAProxy. */
async function openTeam(): Promise<RunningTeam> {
  const folder = scratch();
  const database = await teamDatabase();
  const log = join(folder, 'log');
  const slow = join(import.meta.dirname, '../../integration/servers/slow.ts');
  const config = join(folder, 'config.json');
  const servers = { slow: { command: process.execPath, args: [slow, log], isolation: { mode: 'none' } } };
  writeFileSync(
    config,
    JSON.stringify({
      servers,
      mode: 'proxy',
      reviews: { onChange: 'warn' },
      slowCallSeconds: 0,
      http: { drainSeconds: 20 },
    }),
  );
  const replicas = await Promise.all(
    names.map((name) => startReplicaProcess({ name, database, config, home: join(folder, name) })),
  );
  const sql = new Database({ url: database, most: 1 });
  onTestFinished(() => sql.close());
  const people = new UserStore(sql.sql);
  await people.grant('everyone', '*');
  await people.add({ name: 'ana' });
  const tokens = new AccessTokenStore(sql.sql);
  const { token } = await tokens.create({ user: 'ana', label: '', expiresAt: Date.now() + 3_600_000 });
  const { url } = await balancerOf(replicas.map(({ port }) => port));
  const fileOf = (name: string): string => join(folder, `answer ${name}`);
  return {
    replicas,
    token,
    url: `${url}/mcp`,
    runs: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0),
    finish: (name) => {
      writeAtomically(fileOf(name), 'done');
    },
    call: (session, name) =>
      post(`${url}/mcp`, 'tools/call', { name: 'slow_work', arguments: { file: fileOf(name) } }, session, token),
    holder: async (session) => {
      for (const replica of replicas) {
        // A stopped one refuses the connection.
        const asked = await post(replica.url, 'tools/list', {}, session, token).catch(() => undefined);
        if (asked?.status === 200) return replica;
      }
      throw new Error('Nobody has this session.');
    },
  };
}

test.skipIf(haproxyIsMissing)(
  'after a killed replica, calls fail, the session is 404, another replica takes over, nothing reruns',
  async () => {
    const { url, token, call, holder, runs, finish } = await openTeam();
    const { session } = await openSession(url, token);
    const lost = await holder(session);
    // A started stream is interrupted; otherwise HAProxy responds.
    const running = call(session, 'one').then(
      ({ status }) => status,
      () => 'cut off',
    );
    await until(() => runs() === 1);
    await lost.end('SIGKILL');
    expect([502, 'cut off']).toContain(await running);
    await expect.poll(async () => (await post(url, 'tools/list', {}, session, token)).status).toBe(404);
    const again = await openSession(url, token);
    expect(again.status).toBe(200);
    expect((await holder(again.session)).name).not.toBe(lost.name);
    finish('two');
    expect(JSON.stringify((await call(again.session, 'two')).message.result)).toContain('done');
    expect(runs()).toBe(2);
  },
  120_000,
);

test.skipIf(haproxyIsMissing)(
  'on shutdown a replica finishes running calls, and its users move to another one',
  async () => {
    const { url, token, call, holder, runs, finish } = await openTeam();
    const { session } = await openSession(url, token);
    const leaving = await holder(session);
    const running = call(session, 'one');
    await until(() => runs() === 1);
    const gone = leaving.end('SIGTERM');
    // The load balancer notices after three probes; until then the replica continues as before.
    await expect
      .poll(async () => (await post(url, 'tools/list', {}, session, token)).status, { timeout: 15_000 })
      .toBe(404);
    const again = await openSession(url, token);
    expect([again.status, (await holder(again.session)).name === leaving.name]).toEqual([200, false]);
    finish('one');
    const { status, message } = await running;
    expect([status, JSON.stringify(message.result)]).toEqual([200, expect.stringContaining('done')]);
    await gone;
    expect(runs()).toBe(1);
  },
  120_000,
);

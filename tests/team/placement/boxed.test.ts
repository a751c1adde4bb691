/**
 * Users' processes in bubblewrap and in containers, with built replicas in separate processes: they see nothing of the
 * replica's environment, keep the user's folder private, and end with their user and with a replica, also a killed one.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ended } from '../../../scripts/team/engines/ended.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { UserStore } from '../../../src-main/team/users/user-store.ts';
import { AccessTokenStore } from '../../../src-main/team/users/access-tokens.ts';
import { containersWith, engine, limits, makeNodeImage, removeContainersWith } from '../../support/boxes/node-image.ts';
import { testKeys } from '../../support/start-replica.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { teamDatabase } from '../../support/team-database.ts';

const cli = join(import.meta.dirname, '../../../dist/cli.js');
const image = 'localhost/tooltray-boxed/node:1';
const folder = mkdtempSync(join(tmpdir(), 'tooltray-boxed-'));
const hasSandbox =
  spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true'], { timeout: 20_000 }).status === 0;
const boxes = {
  ...(hasSandbox && { sandbox: { mode: 'sandbox' } }),
  ...(engine !== undefined && { container: { mode: 'container', image, network: false, extra_args: limits } }),
};
/** In the replica's environment. */
const planted = { PLANTED_API_KEY: 'planted-secret', DOCKER_PLANTED: 'planted-secret' };
let removeImage: (() => void) | undefined;

beforeAll(() => {
  if (engine !== undefined) removeImage = makeNodeImage(image);
}, 120_000);
afterAll(() => {
  removeImage?.();
  rmSync(folder, { recursive: true, force: true });
});

interface Team {
  readonly replica: Child;
  readonly people: UserStore;
  readonly enter: (user: string) => Promise<(tool: string, args?: object) => Promise<string>>;
}

interface Child {
  readonly pid: number;
  readonly url: string;
  readonly kill: () => Promise<void>;
}

/** The counter is confined this way, and continues when its input ends. */
async function openTeam(isolation: object, name: string): Promise<Team> {
  const url = await teamDatabase();
  const counter = {
    command: process.execPath,
    args: [join(import.meta.dirname, 'counter-server.ts'), '--stays'],
    placement: 'per-user',
    isolation,
  };
  const config = { servers: { counter }, slowCallSeconds: 0 };
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify({ mode: 'proxy', reviews: { onChange: 'warn' }, ...config }));
  const database = new Database({ url, most: 2 });
  onTestFinished(() => database.close());
  const sql = database.sql;
  const [people, tokens] = [new UserStore(sql), new AccessTokenStore(sql)];
  await people.grant('everyone', '*');
  const replica = await startChild(name, url, file);
  return {
    replica,
    people,
    enter: async (user) => {
      if (!(await people.list()).some((one) => one.name === user)) await people.add({ name: user });
      const { token } = await tokens.create({ user, label: '', expiresAt: Date.now() + 3_600_000 });
      const { session } = await openSession(replica.url, token);
      return async (tool, args = {}) => {
        const params = { name: `counter_${tool}`, arguments: args };
        const { message } = await post(replica.url, 'tools/call', params, session, token);
        const { content } = (message.result ?? {}) as { content?: { text: string }[] };
        return content?.[0]?.text ?? JSON.stringify(message.error);
      };
    },
  };
}

/** A built replica, in the folder of its name. */
async function startChild(name: string, database: string, config: string): Promise<Child> {
  const child = spawn(
    process.execPath,
    [cli, 'team', 'serve', '--json', '--config', config, '--listen', '127.0.0.1:0', '--replica-name', name],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        ...planted,
        ...testKeys,
        TOOLTRAY_DATABASE: database,
        TOOLTRAY_HOME: join(folder, name),
      },
    },
  );
  const pid = child.pid ?? 0;
  onTestFinished(async () => {
    await ended(child, 'SIGKILL');
    if (engine !== undefined) removeContainersWith(`tooltray.core=${pid}`);
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`The replica ended with ${code}.`)));
  });
  const { http } = JSON.parse(line) as { http: string };
  return { pid, url: http, kill: () => ended(child, 'SIGKILL') };
}

/** Containers of one replica. */
function here({ pid }: Child): readonly string[] {
  return containersWith(`tooltray.core=${pid}`, '{{.Names}} {{.Status}}');
}

/** Processes in sandboxes that see something of the replica's folder. */
function sandboxesOf(name: string): number {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(join('/proc', pid, 'mountinfo'), 'utf8').includes(join(folder, name));
    } catch {
      return false;
    }
  }).length;
}

test.skipIf(Object.keys(boxes).length === 0).each(Object.entries(boxes))(
  'in a %s hides the replica’s environment, keeps the user’s folder private, and ends with its user',
  async (kind, isolation) => {
    const name = `r-${kind}`;
    const { replica, people, enter } = await openTeam(isolation, name);
    const [ana, ben] = [await enter('ana'), await enter('ben')];
    await expect.poll(() => ana('count'), { timeout: 60_000 }).toBe('1');
    expect([await ana('count'), await ben('count')]).toEqual(['2', '1']);
    const env = await ana('env');
    expect(env).not.toMatch(/planted|PLANTED|TOOLTRAY|postgres:/);
    expect(await ana('file', { path: `/proc/${replica.pid}/environ` })).toBe('none');
    expect(await ana('file', { path: join(folder, 'config.json') })).toBe('none');
    const kept = await ana('keep', { text: 'ana’s own' });
    expect([await ana('file', { path: kept }), await ben('file', { path: kept })]).toEqual(['ana’s own', 'none']);
    const running = (): number => (kind === 'sandbox' ? sandboxesOf(name) : here(replica).length);
    const both = running();
    expect(both).toBeGreaterThanOrEqual(2);
    await people.change('ana', { isSuspended: true });
    await expect.poll(running, { timeout: 30_000 }).toBe(both / 2);
    await people.change('ana', { isSuspended: false });
    expect(await (await enter('ana'))('file', { path: kept })).toBe('ana’s own');
    expect(await ben('count')).toBe('2');
    await replica.kill();
    // A container is removed by the next start in the same folder.
    if (kind === 'sandbox') await expect.poll(running, { timeout: 30_000 }).toBe(0);
  },
  300_000,
);

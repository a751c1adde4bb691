/**
 * People's processes in bubblewrap and in containers, on runners as they are built, in processes of their own: nothing of what those were
 * started with is in them, their folder is their person's, and they end with their person and with their runner, also one that was killed.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ended } from '../../../scripts/team/engines/ended.ts';
import { freePort } from '../../../scripts/team/engines/free-port.ts';
import { containersWith, engine, limits, makeNodeImage, removeContainersWith } from '../../support/boxes/node-image.ts';
import { startReplica, testKeys, type TestReplica } from '../../support/start-replica.ts';
import { place } from '../../support/start-replicas.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { TeamPeople } from '../../support/team-callers.ts';
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
/** In the environment of every runner. */
const planted = { PLANTED_API_KEY: 'planted-secret', DOCKER_PLANTED: 'planted-secret' };
let removeImage: (() => void) | undefined;

beforeAll(() => {
  if (engine !== undefined) removeImage = makeNodeImage(image);
}, 120_000);
afterAll(() => {
  removeImage?.();
  rmSync(folder, { recursive: true, force: true });
});

interface Runner {
  readonly pid: number;
  /** `withGuard`: what looks after its children is killed with it, as when a whole machine's memory ran out. */
  kill(withGuard?: boolean): Promise<void>;
}

interface Team {
  readonly front: TestReplica;
  readonly people: TeamPeople;
  readonly startRunner: (name: string) => Promise<Runner>;
  readonly enter: (user: string) => Promise<(tool: string, args?: object) => Promise<string>>;
}

/** The counter is in a box of this kind, and goes on when its input ends. */
async function openTeam(isolation: object): Promise<Team> {
  const url = await teamDatabase();
  const counter = {
    ...{ command: process.execPath, args: [join(import.meta.dirname, 'counter-server.ts'), '--stays'] },
    ...{ placement: 'personal', isolation },
  };
  const config = { servers: { counter }, slowCallSeconds: 0, personal: { leaseSeconds: 6 } };
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify({ mode: 'proxy', reviews: { onChange: 'warn' }, ...config }));
  const startRunner = (name: string): Promise<Runner> => runnerOf(name, url, file);
  const front = await startReplica(url, config, { among: place('f', { role: 'front' }) });
  onTestFinished(() => front[Symbol.asyncDispose]());
  const people = new TeamPeople(front);
  return {
    ...{ front, people, startRunner },
    enter: async (user) => {
      await people.people.add({ name: user });
      const token = await people.give(user);
      const { session } = await openSession(front.url, token);
      return async (tool, args = {}) => {
        const params = { name: `counter_${tool}`, arguments: args };
        const { message } = await post(front.url, 'tools/call', params, session, token);
        const { content } = (message.result ?? {}) as { content?: { text: string }[] };
        return content?.[0]?.text ?? JSON.stringify(message.error);
      };
    },
  };
}

/** In the folder of its name, also when it is started again. */
async function runnerOf(name: string, database: string, config: string): Promise<Runner> {
  const [port, inner] = [await freePort(), await freePort()];
  const at = ['--listen', `127.0.0.1:${port}`, '--inner', `127.0.0.1:${inner}`, '--replica-name', name];
  const child = spawn(
    process.execPath,
    [cli, 'serve', '--team', '--json', '--config', config, ...at, '--role', 'runner'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...{ ...process.env, ...planted, ...testKeys, TOOLTRAY_DATABASE: database },
        TOOLTRAY_HOME: join(folder, name),
      },
    },
  );
  const pid = child.pid ?? 0;
  onTestFinished(async () => {
    await ended(child, 'SIGKILL');
    if (engine !== undefined) removeContainersWith(`tooltray.core=${pid}`);
  });
  await new Promise((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`The runner ended with ${code}.`)));
  });
  return { pid, kill: (withGuard = false) => kill(child, pid, withGuard) };
}

async function kill(child: ChildProcess, pid: number, withGuard: boolean): Promise<void> {
  const guards = withGuard ? guardsOf(pid) : [];
  if (withGuard) expect(guards).toHaveLength(1);
  // Stopped first: whoever sees the other one end would begin at once.
  for (const one of guards) process.kill(one, 'SIGSTOP');
  await ended(child, 'SIGKILL');
  for (const one of guards) process.kill(one, 'SIGKILL');
}

function guardsOf(pid: number): readonly number[] {
  return execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+\S+ -e /.exec(line))
    .flatMap((found) => (Number(found?.[2]) === pid ? [Number(found?.[1])] : []));
}

/** Of one runner. */
function here({ pid }: Runner): readonly string[] {
  return containersWith(`tooltray.core=${pid}`, '{{.Names}} {{.Status}}');
}

/** Processes in sandboxes that see something of the runner's folder. */
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
  'in a %s there is nothing of what its runner was started with; its folder stays, and is its person’s; it ends with them',
  async (kind, isolation) => {
    const team = await openTeam(isolation);
    const name = `r-${kind}`;
    const runner = await team.startRunner(name);
    const [ana, ben] = [await team.enter('ana'), await team.enter('ben')];
    await expect.poll(() => ana('count'), { timeout: 60_000 }).toBe('1');
    expect([await ana('count'), await ben('count')]).toEqual(['2', '1']);
    const env = await ana('env');
    expect(env).not.toMatch(/planted|PLANTED|TOOLTRAY|postgres:/);
    expect(await ana('file', { path: `/proc/${runner.pid}/environ` })).toBe('none');
    expect(await ana('file', { path: join(folder, 'config.json') })).toBe('none');
    const kept = await ana('keep', { text: 'ana’s own' });
    expect([await ana('file', { path: kept }), await ben('file', { path: kept })]).toEqual(['ana’s own', 'none']);
    const running = (): number => (kind === 'sandbox' ? sandboxesOf(name) : here(runner).length);
    const both = running();
    expect(both).toBeGreaterThanOrEqual(2);
    await team.people.people.change('ana', { isOff: true });
    await expect.poll(running, { timeout: 30_000 }).toBe(both / 2);
    await team.people.people.change('ana', { isOff: false });
    const again = await team.people.give('ana');
    const { session } = await openSession(team.front.url, again);
    const params = { name: 'counter_file', arguments: { path: kept } };
    const { message } = await post(team.front.url, 'tools/call', params, session, again);
    expect(JSON.stringify(message.result)).toContain('ana’s own');
    expect(await ben('count')).toBe('2');
    await runner.kill();
    await expect.poll(running, { timeout: 30_000 }).toBe(0);
  },
  300_000,
);

test.skipIf(engine === undefined)(
  'a container outlives neither its runner nor its lease, whatever was killed: whoever has the right next ends it, or the next life of its runner',
  async () => {
    const team = await openTeam({ mode: 'container', image, network: false, extra_args: limits });
    const [ana, one] = [await team.enter('ana'), await team.startRunner('r1')];
    await expect.poll(() => ana('count'), { timeout: 60_000 }).toBe('1');
    expect(here(one)).toHaveLength(1);
    // It sleeps through its lease.
    process.kill(one.pid, 'SIGSTOP');
    await expect.poll(() => here(one), { timeout: 30_000 }).toEqual([]);
    process.kill(one.pid, 'SIGCONT');
    await expect.poll(() => ana('count'), { timeout: 60_000 }).toBe('1');
    await one.kill(true);
    // Nobody was there to end it.
    expect(here(one)).toEqual([expect.stringContaining(' Up ')]);
    const two = await team.startRunner('r2');
    await expect.poll(() => ana('count'), { timeout: 60_000 }).toBe('1');
    expect([here(one), here(two)]).toEqual([[], [expect.stringContaining(' Up ')]]);
    await two.kill(true);
    expect(here(two)).toHaveLength(1);
    // Nobody asks for it any more.
    expect(readFileSync(join(folder, 'r2/data/people/boxes/images.json'), 'utf8')).toContain(image);
    await team.startRunner('r2');
    await expect.poll(() => here(two), { timeout: 30_000 }).toEqual([]);
  },
  300_000,
);

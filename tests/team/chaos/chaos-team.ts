/** A team to break: replicas in processes of their own, as they are built, behind a balancer; each engine, and each inner door, behind a door that can be shut. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { ended } from '../../../scripts/team/engines/ended.ts';
import { freePort } from '../../../scripts/team/engines/free-port.ts';
import type { Cluster } from '../../../scripts/team/engines/postgres.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { migrate } from '../../../src-main/team/database/migrate.ts';
import { People } from '../../../src-main/team/people/people.ts';
import { PersonTokens } from '../../../src-main/team/people/person-tokens.ts';
import { type RoundRobin, roundRobin } from '../../support/round-robin.ts';
import { testKeys } from '../../support/start-replica.ts';
import { type TcpDoor, tcpDoor } from '../../support/tcp-door.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { objectsEnv, teamObjects } from '../../support/team-objects.ts';

const cli = join(import.meta.dirname, '../../../dist/cli.js');
const clock = join(import.meta.dirname, '../../../scripts/screenshots/shifted-clock.mjs');
const day = 24 * 60 * 60_000;

export interface ChaosReplica {
  readonly name: string;
  readonly port: number;
  /** Between the others and its inner door, where that is asked for: whoever is behind it, it takes connections. */
  readonly inner: TcpDoor | undefined;
  /** Resolves when it is gone: what code it ended with. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  /** The same folder, the same ports. `clockAheadMs`: of its process alone. */
  start(clockAheadMs?: number): Promise<void>;
}

/** Somebody with a token, and what is theirs is marked with. */
export interface Asker {
  readonly name: string;
  readonly token: string;
  /** Where they ask. */
  readonly url: string;
}

export interface ChaosTeam {
  readonly balancer: RoundRobin;
  readonly replicas: readonly [ChaosReplica, ChaosReplica, ChaosReplica];
  readonly database: TcpDoor;
  readonly objects: TcpDoor;
  /** Two people of one tenant, and one of another who has a name in common with them, at a replica of that tenant's. */
  readonly askers: readonly Asker[];
  /** As its owner, past every door. */
  readonly sql: ReturnType<Database['of']>;
  readonly other: ReturnType<Database['of']>;
  /** Lines of the called server: `tool id`. */
  runs(): readonly string[];
  /** What a command of ours prints. */
  tooltray(...words: string[]): string;
}

interface ChaosWishes {
  /** The replicas reach each other through doors. */
  readonly innerDoors?: boolean;
  /** Where the balancer looks; without its database a replica is not ready, and lives. */
  readonly look?: '/readyz' | '/healthz';
  /** A PostgreSQL of its own, which it can do without for a while; else a database in that of all tests. */
  readonly cluster?: Pick<Cluster, 'url'>;
}

/** Ends with the test. */
export async function openChaosTeam({
  innerDoors = false,
  look = '/readyz',
  cluster,
}: ChaosWishes = {}): Promise<ChaosTeam> {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-chaos-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  if (cluster !== undefined) await migrate(cluster.url);
  const [databaseUrl, place] = [cluster?.url ?? (await teamDatabase()), await teamObjects()];
  const [database, objects] = [await doorTo(databaseUrl), await doorTo(place.endpoint)];
  const log = join(folder, 'runs');
  const config = join(folder, 'config.json');
  const server = { command: process.execPath, args: [join(import.meta.dirname, 'marking-server.ts'), log] };
  writeFileSync(
    config,
    JSON.stringify({
      ...{ mode: 'proxy', servers: { marks: server, asks: server }, extraTools: ['await_result', 'read_result'] },
      ...{ reviews: { onChange: 'warn' }, results: { threshold: 2000 }, slowCallSeconds: 0.3 },
      http: { drainSeconds: 60 },
    }),
  );
  const team = {
    ...{ TOOLTRAY_DATABASE: cluster?.url ?? through(database, databaseUrl), ...testKeys, ...objectsEnv },
    TOOLTRAY_OBJECTS: `s3:/${new URL(place.endpoint).pathname}/${place.prefix}?endpoint=http://127.0.0.1:${objects.port}`,
  };
  const made = (name: string, tenant = 'main'): Promise<ChaosReplica> =>
    replicaOf({ name, tenant, folder, config, innerDoors, env: { ...process.env, ...team } });
  const replicas = [await made('a'), await made('b'), await made('c')] as const;
  const stranger = await made('o', 'other');
  const own = new Database({ url: databaseUrl, most: 2 });
  onTestFinished(() => own.close());
  await Promise.all([...replicas, stranger].map((replica) => replica.start()));
  const balancer = await roundRobin(
    replicas.map(({ port }) => port),
    look,
  );
  const [sql, other] = [own.of('main'), own.of('other')];
  const people = [
    ['main', 'ana', balancer.url],
    ['main', 'ben', balancer.url],
    ['other', 'ana', `http://127.0.0.1:${stranger.port}/mcp`],
  ] as const;
  const askers: Asker[] = [];
  for (const [tenant, user, url] of people) {
    const rows = tenant === 'main' ? sql : other;
    await new People(rows, tenant).add({ name: user });
    const { token } = await new PersonTokens(rows, tenant).give({ user, label: 'chaos', ends: Date.now() + day });
    askers.push({ name: `${tenant}.${user}`, token, url });
  }
  return {
    ...{ balancer, replicas, database, objects, askers, sql, other },
    runs: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    tooltray: (...words) =>
      execFileSync(process.execPath, [cli, ...words], {
        encoding: 'utf8',
        env: { ...process.env, ...team, TOOLTRAY_DATABASE: databaseUrl, TOOLTRAY_HOME: join(folder, 'command-line') },
      }),
  };
}

interface ReplicaParts {
  readonly name: string;
  readonly tenant: string;
  readonly folder: string;
  readonly config: string;
  readonly innerDoors: boolean;
  readonly env: NodeJS.ProcessEnv;
}

async function replicaOf({ name, tenant, folder, config, innerDoors, env }: ReplicaParts): Promise<ChaosReplica> {
  const [port, inner] = [await freePort(), await freePort()];
  const door = innerDoors ? await tcpDoor('127.0.0.1', inner) : undefined;
  const at = ['--listen', `127.0.0.1:${port}`, '--inner', `127.0.0.1:${inner}`];
  const told = door === undefined ? [] : ['--inner-address', `127.0.0.1:${door.port}`];
  const place = [...at, ...told, '--replica-name', name, '--tenant', tenant];
  const serve = ['serve', '--team', '--json', '--config', config, ...place];
  let child: ChildProcess | undefined;
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    await ended(child, signal);
    return child?.exitCode ?? null;
  };
  onTestFinished(() => end('SIGKILL').then(() => undefined));
  return {
    ...{ name, port, inner: door, end },
    async start(clockAheadMs = 0) {
      const preload = clockAheadMs === 0 ? [] : ['--import', clock];
      const started = spawn(process.execPath, [...preload, cli, ...serve], {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: { ...env, TOOLTRAY_HOME: join(folder, `replica-${name}`) },
      });
      child = started;
      if (clockAheadMs !== 0) started.send({ aheadMs: clockAheadMs });
      started.stderr?.on('data', (text: Buffer) => appendFileSync(join(folder, `${name}.err`), text));
      await new Promise<void>((resolve, reject) => {
        createInterface(started.stdout ?? process.stdin).once('line', () => resolve());
        started.once('exit', (code) => {
          const said = existsSync(join(folder, `${name}.err`)) ? readFileSync(join(folder, `${name}.err`), 'utf8') : '';
          reject(new Error(`Replica ${name} ended with ${code}: ${said}`));
        });
      });
    },
  };
}

function doorTo(url: string): Promise<TcpDoor> {
  const { hostname, port } = new URL(url);
  return tcpDoor(hostname, Number(port));
}

function through(door: TcpDoor, url: string): string {
  const own = new URL(url);
  own.port = String(door.port);
  return own.href;
}

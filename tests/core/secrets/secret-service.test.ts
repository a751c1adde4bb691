/**
 * The built product with a real secret service (GNOME Keyring on its own bus): unlocked, locked, unavailable, hanging,
 * and none. It starts in each case, reports the state, and loses nothing. Skipped if these programs are missing.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CliHome, eventually } from '../../cli/cli-home.ts';

const programs = ['dbus-run-session', 'gnome-keyring-daemon'];
const missing = programs.filter((name) => spawnSync(name, ['--version']).error !== undefined || !existsSync('/proc'));
const planted = 'planted-value-98765';

/** A bus and a home for the keyring, stopped with the test. */
class Session {
  readonly env: Record<string, string>;
  readonly #folder: string;
  readonly #bus: ChildProcess;
  #pid: number | undefined;

  private constructor(folder: string, bus: ChildProcess, address: string) {
    this.#folder = folder;
    this.#bus = bus;
    this.env = { HOME: folder, XDG_RUNTIME_DIR: join(folder, 'run'), DBUS_SESSION_BUS_ADDRESS: address };
  }

  static async open(): Promise<Session> {
    const folder = mkdtempSync(join(tmpdir(), 'keyring-'));
    mkdirSync(join(folder, 'run'), { mode: 0o700 });
    const words = ['--', 'sh', '-c', 'echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat'];
    const env = { ...process.env, HOME: folder, XDG_RUNTIME_DIR: join(folder, 'run') };
    const bus = spawn('dbus-run-session', words, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const [address] = (await once(createInterface({ input: bus.stdout as NodeJS.ReadableStream }), 'line')) as [string];
    const session = new Session(folder, bus, address);
    onTestFinished(() => session.#close());
    return session;
  }

  /** Starts it with its collection unlocked; it continues in the background once it listens. */
  async unlock(): Promise<void> {
    const env = { ...process.env, ...this.env };
    const words = ['--unlock', '--components=secrets'];
    const starter = spawn('gnome-keyring-daemon', words, { env, stdio: ['pipe', 'ignore', 'ignore'] });
    starter.stdin.end('the password of the login');
    await once(starter, 'exit');
    this.#pid = processesOf(this.#folder).find(([, words]) => words.startsWith('gnome-keyring-daemon'))?.[0];
    expect(this.#pid).toBeGreaterThan(0);
  }

  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    if (this.#pid !== undefined) process.kill(this.#pid, name);
  }

  /** The next request gets a locked one, started by the bus. */
  end(): void {
    this.signal('SIGKILL');
    this.#pid = undefined;
  }

  async #close(): Promise<void> {
    this.end();
    const exit = once(this.#bus, 'exit');
    this.#bus.stdin?.end();
    await exit;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** Processes whose environment contains the text: PID and command line. */
function processesOf(text: string): [pid: number, words: string][] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const having = pids.filter((pid) => read(`/proc/${pid}/environ`).includes(text));
  return having.map((pid) => [Number(pid), read(`/proc/${pid}/cmdline`)]);
}

const telling = {
  command: process.execPath,
  args: [join(import.meta.dirname, '../../integration/servers/telling.ts'), '${secret:K}'],
  env: { TOLD_KEY: '${secret:K}' },
};
const plain = {
  command: process.execPath,
  args: [join(import.meta.dirname, '../../integration/servers/telling.ts'), 'plain'],
};

interface Listed {
  readonly secrets: readonly { readonly name: string; readonly changedAt?: number }[];
}

interface Kept {
  readonly session: Session;
  readonly home: CliHome;
  readonly vault: string;
}

/** A home whose secret was set while the keychain was open. */
async function homeWithSecret(): Promise<Kept> {
  const session = await Session.open();
  await session.unlock();
  const home = new CliHome({ telling, plain });
  onTestFinished(() => home[Symbol.asyncDispose]());
  const { code, stderr } = await home.runWith({ input: planted, env: session.env }, 'secret', 'set', 'K');
  expect([code, stderr]).toEqual([0, '']);
  expect(readdirSync(join(home.path, 'data/secrets'))).toEqual(['vault.json']);
  return { session, home, vault: vaultOf(home) };
}

function vaultOf(home: CliHome): string {
  const { entries } = JSON.parse(readFileSync(join(home.path, 'data/secrets/vault.json'), 'utf8')) as {
    entries: Record<string, unknown>;
  };
  return JSON.stringify(entries['secret/K']);
}

async function servers(home: CliHome): Promise<Record<string, string>> {
  const { data } = await home.json('status');
  const rows = data['servers'] as { name: string; state: string; detail: string }[];
  return Object.fromEntries(rows.map(({ name, state, detail }) => [name, `${state} ${detail}`]));
}

async function standing(home: CliHome, env: NodeJS.ProcessEnv): Promise<unknown> {
  const { stdout } = await home.runWith({ env }, 'secret', '--json');
  return (JSON.parse(stdout) as { vault: unknown }).vault;
}

/** `serve` gets this process's environment, like after a login. */
function withEnvironment(env: NodeJS.ProcessEnv): void {
  const before = { ...process.env };
  Object.assign(process.env, env);
  onTestFinished(() => {
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
    }
  });
}

describe.skipIf(missing.length > 0)(`with a secret service (not here: ${missing.join(', ') || 'nothing'})`, () => {
  test('unlocked: stores the key in the keychain only and passes secrets to their servers only', async () => {
    const { session, home } = await homeWithSecret();
    withEnvironment(session.env);
    await home.serve();
    await eventually(
      () => servers(home),
      ({ telling: one = '', plain: two = '' }) => one.startsWith('ready') && two.startsWith('ready'),
    );
    expect(await standing(home, session.env)).toMatchObject({ state: 'open', place: 'keychain' });
    const { stdout } = await home.run('call', 'telling:tell');
    expect(stdout).toContain(planted);
    for (const words of [['list'], ['status'], ['secret'], ['doctor'], ['activity'], ['audit'], ['inbox']]) {
      const outcome = await home.run(...words, '--json');
      expect([words, `${outcome.stdout}${outcome.stderr}`.includes(planted)]).toEqual([words, false]);
    }
    expect((await home.run('logs', 'telling')).stdout).toContain('started with {"variable":"***"');
    const having = processesOf(planted);
    expect(having.map(([, words]) => words.includes('telling.ts') && words.includes(planted))).toEqual([true]);
    expect(filesWith(planted, home.path)).toEqual([]);
  });

  test('locked: runs other servers, reports why one cannot start, and creates no new key', async () => {
    const { session, home, vault } = await homeWithSecret();
    session.end();
    withEnvironment(session.env);
    await home.serve();
    const seen = await eventually(
      () => servers(home),
      ({ telling: one = '', plain: two = '' }) => one.startsWith('error') && two.startsWith('ready'),
    );
    expect(seen['telling']).toContain('needs the secret K. The vault is locked');
    expect(await standing(home, session.env)).toMatchObject({ state: 'locked', place: 'keychain' });
    expect((await home.runWith({ input: 'other', env: session.env }, 'secret', 'set', 'K')).code).toBe(1);
    expect([vaultOf(home), readdirSync(join(home.path, 'data/secrets'))]).toEqual([vault, ['vault.json']]);
  });

  test('not responding: starts at once and continues by itself once it responds', async () => {
    const { session, home, vault } = await homeWithSecret();
    session.signal('SIGSTOP');
    withEnvironment(session.env);
    await home.serve();
    const seen = await eventually(
      () => servers(home),
      ({ telling: one = '', plain: two = '' }) => one.startsWith('error') && two.startsWith('ready'),
    );
    // The library times out after two seconds; with a dialog it waits longer.
    expect(seen['telling']).toMatch(/needs the secret K.*(?:cannot be asked|the keychain has not responded yet)/);
    expect(vaultOf(home)).toBe(vault);
    session.signal('SIGCONT');
    await eventually(
      () => servers(home),
      ({ telling: one = '' }) => one.startsWith('ready'),
    );
  });

  test('not responding to the first secret: stores it with a key in a file', async () => {
    const session = await Session.open();
    await session.unlock();
    session.signal('SIGSTOP');
    await using home = new CliHome({});
    expect((await home.runWith({ input: planted, env: session.env }, 'secret', 'set', 'K')).code).toBe(0);
    expect(await standing(home, session.env)).toMatchObject({ state: 'open', place: 'file' });
    session.signal('SIGCONT');
    const moved = await home.runWith({ env: session.env }, 'secret', 'key', 'keychain', '--json');
    expect(JSON.parse(moved.stdout)).toMatchObject({ vault: { state: 'open', place: 'keychain' } });
    expect(readdirSync(join(home.path, 'data/secrets'))).toEqual(['vault.json']);
  });

  test('no bus: reports the vault as locked, and as open once the bus is back', async () => {
    const { session, home, vault } = await homeWithSecret();
    const none = { DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: '' };
    expect(await standing(home, none)).toMatchObject({
      state: 'locked',
      sentence: expect.stringContaining('there is no D-Bus session here') as string,
    });
    expect(vaultOf(home)).toBe(vault);
    expect(await standing(home, session.env)).toMatchObject({ state: 'open' });
  });

  test('imports MCPProxy secrets from it if the user confirms', async () => {
    const session = await Session.open();
    await session.unlock();
    // With the same two attributes as go-keyring, which MCPProxy uses.
    const script = `new (require('@napi-rs/keyring').Entry)('mcpproxy', 'K', { linux: { store: 'secret-service' } }).setPassword(${JSON.stringify(planted)})`;
    expect(spawnSync(process.execPath, ['-e', script], { env: { ...process.env, ...session.env } }).status).toBe(0);
    await using home = new CliHome({});
    const file = join(home.path, 'mcp_config.json');
    const env = { TOLD_KEY: '${keyring:K}', OTHER: '${keyring:MISSING}' };
    writeFileSync(file, JSON.stringify({ mcpServers: [{ name: 'told', ...plain, env }] }));
    const words = ['import', '--file', file, '--yes'];
    const left = await home.runWith({ env: session.env }, ...words, '--dry-run');
    expect(left.stdout).toContain("Left in the system's keychain: told, ${keyring:K} of MCPProxy");
    const done = await home.runWith({ env: session.env }, ...words, '--vault');
    expect(done.stdout).toContain('Stored in the vault: K.');
    expect(done.stdout).toContain("MISSING could not be imported from MCPProxy's keychain (");
    const { secrets } = JSON.parse((await home.runWith({ env: session.env }, 'secret', '--json')).stdout) as Listed;
    expect(secrets.map(({ name, changedAt }) => [name, typeof changedAt])).toEqual([
      ['K', 'number'],
      ['MISSING', 'undefined'],
    ]);
    const called = await home.runWith({ env: session.env, input: 'x' }, 'secret', 'set', 'MISSING');
    expect(called.code).toBe(0);
    expect((await home.runWith({ env: session.env }, 'call', 'told:tell')).stdout).toContain(planted);
    expect(filesWith(planted, home.path)).toEqual([]);
  });

  test('responding after 30 seconds: loses and recreates nothing, and starts the server by itself', async () => {
    const { session, home, vault } = await homeWithSecret();
    session.signal('SIGSTOP');
    withEnvironment(session.env);
    await home.serve();
    const files = readdirSync(join(home.path, 'data/secrets'));
    const seen = await eventually(
      () => servers(home),
      ({ telling: one = '', plain: two = '' }) => one.startsWith('error') && two.startsWith('ready'),
    );
    expect(seen['telling']).toContain('needs the secret K');
    await sleep(30_000);
    expect(await standing(home, session.env)).toMatchObject({ state: 'locked', place: 'keychain' });
    expect((await servers(home))['plain']).toMatch(/^ready/);
    expect((await home.run('call', 'plain:tell')).code).toBe(0);
    expect([vaultOf(home), readdirSync(join(home.path, 'data/secrets'))]).toEqual([vault, files]);
    session.signal('SIGCONT');
    await eventually(
      () => servers(home),
      ({ telling: one = '' }) => one.startsWith('ready'),
    );
    expect((await home.run('call', 'telling:tell')).stdout).toContain(planted);
    expect([vaultOf(home), readdirSync(join(home.path, 'data/secrets'))]).toEqual([vault, files]);
  }, 120_000);

  test('several processes that start at once agree on one key', async () => {
    const session = await Session.open();
    await session.unlock();
    await using home = new CliHome({});
    const names = ['A', 'B', 'C', 'D'];
    await Promise.all(
      names.map((name) => home.runWith({ input: `value of ${name}`, env: session.env }, 'secret', 'set', name)),
    );
    const { stdout } = await home.runWith({ env: session.env }, 'secret', '--json');
    const { secrets, vault } = JSON.parse(stdout) as { secrets: { name: string }[]; vault: object };
    expect(secrets.map(({ name }) => name)).toEqual(names);
    expect(vault).toMatchObject({ state: 'open', place: 'keychain', sealed: 0 });
  });
});

function filesWith(text: string, home: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => read(file).includes(text));
}

/** One core per home: another one is replaced, and quitting stops everything that was started. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { Desktop, ended, envOf, makeHome, root } from './open-desktop.ts';

test('quitting stops the servers and their child processes', async () => {
  test.skip(process.platform !== 'linux', 'processes are looked up in /proc');
  const mark = randomUUID();
  const { command, args } = fixtureCommand('echo');
  // The mark is each one's $0: the server's shell, and a background child of it.
  const child = 'sh -c "sleep 1000; true" "$0" & "$@"';
  const home = makeHome({ echo: { command: 'sh', args: ['-c', child, mark, command, ...args] } });
  const desktop = await Desktop.open({ home });
  try {
    await expect.poll(() => processesWith(mark).length).toBeGreaterThan(1);
    await expect.poll(() => desktop.trayLabels()).toContain('Quit Tooltray');
    const gone = ended(desktop.app.process());
    await desktop.clickTray('quit').catch(() => undefined);
    await gone;
    expect(processesWith(mark)).toEqual([]);
  } finally {
    await desktop[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  }
});

test('after "Quit until I start it", client apps do not start the app', async () => {
  const home = makeHome();
  const connected = (): Promise<void> => desktop.connect().then((client) => client.close());
  let desktop = await Desktop.open({ home });
  try {
    await expect.poll(() => desktop.trayLabels()).toContain('Quit until I start it');
    const gone = ended(desktop.app.process());
    await desktop.clickTray('quit-until-started').catch(() => undefined);
    await gone;
    expect(existsSync(join(home, 'run/quit'))).toBe(true);
    await expect(connected()).rejects.toThrow('You quit Tooltray');
    await desktop[Symbol.asyncDispose]();
    // As if an update had been installed meanwhile.
    writeFileSync(join(home, 'run/update'), String(Date.now() + 300_000));
    desktop = await Desktop.open({ home, words: ['--background'] });
    await expect.poll(() => ['quit', 'update'].filter((name) => existsSync(join(home, 'run', name)))).toEqual([]);
    await connected();
  } finally {
    await desktop[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  }
});

test('start at login, enabled in the settings, starts this app without a window', async () => {
  test.skip(process.platform !== 'linux', 'the other systems keep a list of their own');
  const home = makeHome();
  const file = join(home, 'autostart/tooltray.desktop');
  try {
    await using desktop = await Desktop.open({ home, env: { XDG_CONFIG_HOME: home } });
    const page = await desktop.page();
    const set = (startAtLogin: boolean): Promise<unknown> =>
      page.evaluate((on) => window.tooltray?.request('setSettings', { startAtLogin: on }), startAtLogin);
    await set(true);
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^Exec="/[^"]+" "${root}" --background$`, 'm'));
    await set(false);
    expect(existsSync(file)).toBe(false);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('stops a core that still runs in the same home, and takes over', async () => {
  const home = makeHome({ utils: { type: 'builtin', builtin: 'utils' } });
  const words = [join(root, 'dist/cli.js'), 'serve', '--no-open', '--json'];
  const serve = spawn(process.execPath, words, { env: envOf(home), stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await new Promise((resolve) => serve.stdout.once('data', resolve));
    await using desktop = await Desktop.open({ home });
    const client = await desktop.connect();
    expect(await ended(serve)).toBe(0);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  } finally {
    serve.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('a start that failed holds nothing while its message is open: the next one works', async () => {
  test.skip(process.platform === 'win32', 'listens on a pipe, for which nothing is in the way');
  const home = makeHome();
  // A socket cannot be created in place of a folder.
  const obstacle = join(home, 'run/core.sock/in-the-way');
  mkdirSync(obstacle, { recursive: true });
  const said = join(home, 'dialog.json');
  const program = createRequire(import.meta.url)('electron') as unknown as string;
  const words = ['-r', join(import.meta.dirname, 'hold-dialog.cjs'), '--no-sandbox', root, '--background'];
  const failed = spawn(program, words, {
    cwd: root,
    env: { ...envOf(home), TOOLTRAY_TEST_DIALOG: said },
    stdio: 'ignore',
  });
  try {
    await expect.poll(() => existsSync(said), { timeout: 30_000 }).toBe(true);
    rmSync(join(home, 'run/core.sock'), { recursive: true });
    await using desktop = await Desktop.open({ home });
    expect((await (await desktop.connect()).listTools()).tools).toBeDefined();
    expect(failed.exitCode).toBe(null);
  } finally {
    failed.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('runs although another program uses the port, and reports that', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const home = makeHome({ utils: { type: 'builtin', builtin: 'utils' } });
  writeFileSync(
    join(home, 'config.json'),
    readFileSync(join(home, 'config.json'), 'utf8').replace('"port": 0', `"port": ${port}`),
  );
  try {
    await using desktop = await Desktop.open({ home });
    const page = await desktop.page();
    const client = await desktop.connect();
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await desktop.clickTray('summary');
    await expect(page.getByText(`Port ${port} is in use by `)).toBeVisible();
    const doctor = spawn(process.execPath, [join(root, 'dist/cli.js'), 'doctor'], { env: envOf(home) });
    const said = await text(doctor.stdout);
    expect(said).toMatch(new RegExp(`Port ${port} is in use by .*another port`));
  } finally {
    other.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('the command line starts no second core beside the app, and uses the app’s core', async () => {
  await using desktop = await Desktop.open();
  await desktop.page();
  const run = async (...words: string[]): Promise<[code: number | null, said: string]> => {
    const child = spawn(process.execPath, [join(root, 'dist/cli.js'), ...words], { env: envOf(desktop.home) });
    const said = await text(child.stderr);
    return [await ended(child), said];
  };
  const [code, said] = await run('serve', '--no-open');
  expect(code).toBe(1);
  // A user who lost the first one's link finds it here.
  expect(said).toMatch(/already running at .* \(dashboard: http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{43}\)/);
  expect((await run('list'))[0]).toBe(0);
});

function processesWith(mark: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  });
}

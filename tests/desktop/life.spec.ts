/** One core per home: another one is taken over, and quitting ends everything that was started. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { Desktop, ended, envOf, makeHome, root } from './open-desktop.ts';

test('quitting ends the servers', async () => {
  test.skip(process.platform !== 'linux', 'processes are looked up in /proc');
  const mark = randomUUID();
  const { command, args } = fixtureCommand('echo');
  const home = makeHome({ echo: { command, args: [...args, mark] } });
  const desktop = await Desktop.open({ home });
  try {
    await expect.poll(() => processesWith(mark).length).toBeGreaterThan(0);
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

test('a core that was left running in the same home is ended and taken over', async () => {
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

test('the command line starts no second core beside the app, and asks the app', async () => {
  await using desktop = await Desktop.open();
  await desktop.page();
  const run = (...words: string[]) =>
    ended(
      spawn(process.execPath, [join(root, 'dist/cli.js'), ...words], { env: envOf(desktop.home), stdio: 'ignore' }),
    );
  expect(await run('serve', '--no-open')).not.toBe(0);
  expect(await run('list')).toBe(0);
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

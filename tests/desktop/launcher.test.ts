/** The launcher, run by a real shell; the app is played by scripts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../integration/until.ts';
import { launcherPath } from '../../src-main/core/client-apps/own-launch.ts';
import { linuxAutostart } from '../../src-main/desktop/autostart.ts';
import { keepLauncher, launcherFacts } from '../../src-main/desktop/launcher.ts';
import { type LauncherFacts, windowsLauncher } from '../../src-main/desktop/launcher-text.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), `tooltray it's "$HOME" `))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Prints what it was started with, and what comes in. */
const program = (name: string): string =>
  script(name, 'echo "$ELECTRON_RUN_AS_NODE|$TOOLTRAY_CORE_COMMAND"; for word; do echo "$word"; done; cat');

function script(name: string, body: string): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

async function run(
  file: string,
  args: readonly string[],
  input = '',
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(file, args, { timeout: 10_000 });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  // It may end without reading what it is sent.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  await once(child, 'close');
  return { code: child.exitCode, out, err };
}

async function written(facts: LauncherFacts): Promise<string> {
  const file = launcherPath(join(folder, 'data'), 'linux');
  await keepLauncher(file, facts, 'linux');
  return file;
}

describe.skipIf(process.platform === 'win32')('the launcher', () => {
  test('starts the shim with the app as Node.js, and passes words and bytes on', async () => {
    const app = program('Tooltray');
    const file = await written({ program: app, shim: { file: '/a b/shim.cjs' }, appWords: ['--background'] });
    const { out } = await run(file, ['stdio', '--app', 'my app'], '{"id":0}\n');
    const command = JSON.stringify([app, '--background']);
    expect(out.split('\n')).toEqual([`1|${command}`, '/a b/shim.cjs', 'stdio', '--app', 'my app', '{"id":0}', '']);
  });

  test('says what to do when the app is gone', async () => {
    const file = await written({ program: join(folder, 'gone'), shim: { file: '/shim.cjs' }, appWords: [] });
    const { code, out, err } = await run(file, ['stdio']);
    expect([code, out]).toEqual([127, '']);
    expect(err).toMatch(/^tooltray: The Tooltray app is no longer at .*gone\. Install it again/);
  });

  test('mounts an AppImage, starts what is in it, and lets go of it', async () => {
    program('mount/tooltray');
    const held = join(folder, 'held');
    // As an AppImage does: says where it is mounted, and holds that until it is ended.
    const imageScript = [
      `cd "$(dirname "$0")" && touch held && echo "$PWD/mount"`,
      `exec >/dev/null && sleep 30 & sleeper=$!`,
      `trap 'kill $sleeper; rm held; exit' TERM; wait`,
    ].join('\n');
    const image = script('Tooltray.AppImage', imageScript);
    const file = await written({ program: image, shim: 'in-appimage', appWords: [] });
    const { out } = await run(file, ['stdio', '--app', 'x'], 'ping\n');
    const [, shim, ...rest] = out.split('\n');
    expect([shim, ...rest]).toEqual([join(folder, 'mount/resources/shim/shim.cjs'), 'stdio', '--app', 'x', 'ping', '']);
    await until(() => !existsSync(held));
  });

  test('is mended when it was changed or the app moved, and left alone otherwise', async () => {
    const facts = { program: '/opt/Tooltray/tooltray', shim: { file: '/s.cjs' }, appWords: [] };
    const file = await written(facts);
    expect(statSync(file).mode & 0o777).toBe(0o755);
    expect(await keepLauncher(file, facts, 'linux')).toBe(false);
    writeFileSync(file, 'broken');
    expect(await keepLauncher(file, facts, 'linux')).toBe(true);
    expect(await keepLauncher(file, { ...facts, program: '/elsewhere' }, 'linux')).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(`program='/elsewhere'`);
  });
});

describe('where the app is', () => {
  const place = {
    platform: 'linux',
    program: '/opt/Tooltray/tooltray',
    resources: '/opt/Tooltray/resources',
    appImage: undefined,
  } as const;

  test('is where it was installed', () => {
    expect(launcherFacts(place)).toMatchObject({
      program: place.program,
      shim: { file: '/opt/Tooltray/resources/shim/shim.cjs' },
    });
  });

  test('is the AppImage, not where that is mounted just now', () => {
    const facts = launcherFacts({
      ...place,
      program: '/tmp/.mount_x/tooltray',
      appImage: '/home/me/Tooltray.AppImage',
    });
    expect(facts).toMatchObject({ program: '/home/me/Tooltray.AppImage', shim: 'in-appimage' });
  });

  test('is nowhere to be kept while macOS runs it from a random folder', () => {
    const program = '/private/var/folders/x/AppTranslocation/y/d/Tooltray.app/Contents/MacOS/Tooltray';
    expect(launcherFacts({ ...place, program })).toBeUndefined();
  });
});

test('on Windows a % in a path is not taken for a variable', () => {
  const text = windowsLauncher({
    program: 'C:\\100%\\Tooltray.exe',
    shim: { file: 'C:\\100%\\shim.cjs' },
    appWords: [],
  });
  expect(text).toContain('set "program=C:\\100%%\\Tooltray.exe"\r\n');
  expect(text).toContain('"%program%" "C:\\100%%\\shim.cjs" %*\r\n');
});

test('on Linux, start at login is a file that comes and goes', () => {
  const autostart = linuxAutostart(folder, '/opt/a "b" $c%/tooltray');
  expect(autostart.isOn()).toBe(false);
  autostart.set(true);
  expect(autostart.isOn()).toBe(true);
  const text = readFileSync(join(folder, 'autostart/tooltray.desktop'), 'utf8');
  expect(text).toContain(String.raw`Exec="/opt/a \\"b\\" \\$c%%/tooltray" --background`);
  autostart.set(false);
  expect(autostart.isOn()).toBe(false);
});

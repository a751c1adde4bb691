/** The launcher, run by a real shell; the app is played by scripts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { launcherPath } from '../../src-main/core/base/app-paths.ts';
import {
  isTranslocated,
  keepLauncher,
  launcherFacts,
  type LauncherFacts,
  programOf,
  windowsLauncher,
} from '../../src-main/desktop/launcher.ts';

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

const lasting = { platform: 'linux', isLasting: true } as const;

async function written(facts: LauncherFacts): Promise<string> {
  const file = launcherPath(join(folder, 'data'), 'linux');
  await keepLauncher(file, facts, lasting);
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
    chmodSync(file, 0o644);
    expect(await keepLauncher(file, facts, lasting)).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o755);
    writeFileSync(file, 'broken');
    expect(await keepLauncher(file, facts, lasting)).toBe(true);
    expect(await keepLauncher(file, { ...facts, program: '/elsewhere' }, lasting)).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(`program='/elsewhere'`);
  });

  test('is written by an app that will not stay where it is only while it finds no other one', async () => {
    const other = program('Installed');
    const shim = { file: '/s.cjs' };
    const file = await written({ program: other, shim, appWords: [] });
    const passing = { program: program('AppTranslocation/x/Tooltray'), shim, appWords: [] };
    const place = { platform: 'linux', isLasting: false } as const;
    expect(await keepLauncher(file, passing, place)).toBe(false);
    rmSync(other);
    expect(await keepLauncher(file, passing, place)).toBe(true);
    const { out } = await run(file, ['stdio']);
    expect(out).toMatch(/^1\|\[".*AppTranslocation\/x\/Tooltray"\]\n\/s\.cjs\nstdio\n/);
  });
});

describe('where the app is', () => {
  const place = {
    program: '/opt/Tooltray/tooltray',
    resources: '/opt/Tooltray/resources',
    appImage: undefined,
    checkout: undefined,
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

  test('is Electron with a checkout, where it was never packed', () => {
    const facts = launcherFacts({ ...place, program: '/src/electron', checkout: '/src' });
    expect(facts).toEqual({
      program: '/src/electron',
      shim: { file: join('/src', 'dist', 'shim.cjs') },
      appWords: ['/src', '--background'],
    });
  });

  test('is not for long while macOS runs it from a random folder', () => {
    const program = '/private/var/folders/x/AppTranslocation/y/d/Tooltray.app/Contents/MacOS/Tooltray';
    expect([program, place.program].map(isTranslocated)).toEqual([true, false]);
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
  expect(programOf(text)).toBe('C:\\100%\\Tooltray.exe');
});

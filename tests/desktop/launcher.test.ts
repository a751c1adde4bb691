/** The launcher, run by a real shell, with scripts in place of the app. */
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
  writeLauncher,
  launcherFacts,
  type LauncherFacts,
  programOf,
  windowsLaunch,
} from '../../src-main/desktop/launcher.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), `tooltray it's "$HOME" `))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Prints its arguments and its input. */
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
  // It may exit without reading its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  await once(child, 'close');
  return { code: child.exitCode, out, err };
}

const lasting = (): { isLasting: boolean; cacheDir: string } => ({ isLasting: true, cacheDir: join(folder, 'cache') });

async function written(facts: LauncherFacts): Promise<string> {
  const file = launcherPath(join(folder, 'data'), 'linux');
  await writeLauncher(file, facts, lasting());
  return file;
}

describe.skipIf(process.platform === 'win32')('the launcher', () => {
  test('starts the shim with the app as Node.js, and passes arguments and bytes through', async () => {
    const app = program('Tooltray');
    const file = await written({ program: app, script: { file: '/a b/tooltray.cjs' }, appWords: ['--background'] });
    const { out } = await run(file, ['stdio', '--app', 'my app'], '{"id":0}\n');
    const command = JSON.stringify([app, '--background']);
    expect(out.split('\n')).toEqual([`1|${command}`, '/a b/tooltray.cjs', 'stdio', '--app', 'my app', '{"id":0}', '']);
  });

  test('prints what to do when the app is gone', async () => {
    const file = await written({ program: join(folder, 'gone'), script: { file: '/shim.cjs' }, appWords: [] });
    const { code, out, err } = await run(file, ['stdio']);
    expect([code, out]).toEqual([127, '']);
    expect(err).toMatch(/^tooltray: The Tooltray app is no longer at .*gone\. Reinstall it/);
  });

  test('mounts an AppImage, starts the app inside, and unmounts it', async () => {
    program('mount/tooltray-app');
    const held = join(folder, 'held');
    // Like an AppImage: prints its mount point, and keeps it mounted until it is stopped.
    const imageScript = [
      `cd "$(dirname "$0")" && touch held && echo "$PWD/mount"`,
      `exec >/dev/null && sleep 30 & sleeper=$!`,
      `trap 'kill $sleeper; rm held; exit' TERM; wait`,
    ].join('\n');
    const image = script('Tooltray.AppImage', imageScript);
    const file = await written({ program: image, script: 'in-appimage', appWords: [] });
    const { out } = await run(file, ['stdio', '--app', 'x'], 'ping\n');
    const [, shim, ...rest] = out.split('\n');
    expect([shim, ...rest]).toEqual([
      join(folder, 'mount/resources/shim/tooltray.cjs'),
      'stdio',
      '--app',
      'x',
      'ping',
      '',
    ]);
    await until(() => !existsSync(held));
  });

  test('extracts an AppImage once per version if it cannot be mounted, and reports why if both fail', async () => {
    const image = script(
      'Tooltray.AppImage',
      [
        'case $1 in',
        '  --appimage-mount) echo "fuse: device not found" >&2; exit 1 ;;',
        '  --appimage-extract) echo extracted >>"$(dirname "$0")/log"; cp -r "$(dirname "$0")/content" squashfs-root ;;',
        'esac',
      ].join('\n'),
    );
    script('content/tooltray-app', 'echo "$APPIMAGE_EXTRACT_AND_RUN"; for word; do echo "$word"; done; cat');
    const file = await written({ program: image, script: 'in-appimage', appWords: [] });
    for (let i = 0; i < 2; i++) {
      const { code, out } = await run(file, ['stdio', '--app', 'x'], 'ping\n');
      const [isExtracted, entry, ...rest] = out.split('\n');
      expect([code, isExtracted, ...rest]).toEqual([0, '1', 'stdio', '--app', 'x', 'ping', '']);
      expect(entry).toMatch(/cache\/appimage\/[\d-]+\/resources\/shim\/tooltray\.cjs$/);
    }
    expect(readFileSync(join(folder, 'log'), 'utf8')).toBe('extracted\n');
    rmSync(join(folder, 'cache'), { recursive: true });
    rmSync(join(folder, 'content'), { recursive: true });
    const { code, err } = await run(file, ['stdio']);
    expect(code).toBe(126);
    expect(err).toContain('fuse: device not found');
  });

  test('is rewritten when it was changed or the app moved, and otherwise left alone', async () => {
    const facts = { program: '/opt/Tooltray/tooltray', script: { file: '/s.cjs' }, appWords: [] };
    const file = await written(facts);
    expect(statSync(file).mode & 0o777).toBe(0o755);
    chmodSync(file, 0o644);
    expect(await writeLauncher(file, facts, lasting())).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o755);
    writeFileSync(file, 'broken');
    expect(await writeLauncher(file, facts, lasting())).toBe(true);
    expect(await writeLauncher(file, { ...facts, program: '/elsewhere' }, lasting())).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(`program='/elsewhere'`);
  });

  test('is written by an app in a temporary place only if no other app is found', async () => {
    const other = program('Installed');
    const script = { file: '/s.cjs' };
    const file = await written({ program: other, script, appWords: [] });
    const passing = { program: program('AppTranslocation/x/Tooltray'), script, appWords: [] };
    const place = { ...lasting(), isLasting: false };
    expect(await writeLauncher(file, passing, place)).toBe(false);
    rmSync(other);
    expect(await writeLauncher(file, passing, place)).toBe(true);
    const { out } = await run(file, ['stdio']);
    expect(out).toMatch(/^1\|\[".*AppTranslocation\/x\/Tooltray"\]\n\/s\.cjs\nstdio\n/);
  });
});

describe('the app’s location', () => {
  const place = {
    platform: 'linux',
    program: '/opt/Tooltray/tooltray',
    resources: '/opt/Tooltray/resources',
    appImage: undefined,
    checkout: undefined,
  } as const;

  test('is its installation folder', () => {
    expect(launcherFacts(place)).toMatchObject({
      program: place.program,
      script: { file: '/opt/Tooltray/resources/shim/tooltray.cjs' },
    });
  });

  test('is the AppImage, not its mount point', () => {
    const facts = launcherFacts({
      ...place,
      program: '/tmp/.mount_x/tooltray',
      appImage: '/home/me/Tooltray.AppImage',
    });
    expect(facts).toMatchObject({ program: '/home/me/Tooltray.AppImage', script: 'in-appimage' });
  });

  test('is Electron with a checkout for an unpackaged app', () => {
    const facts = launcherFacts({ ...place, program: '/src/electron', checkout: '/src' });
    expect(facts).toEqual({
      program: '/src/electron',
      script: { file: join('/src', 'dist', 'tooltray.cjs') },
      appWords: ['/src', '--background'],
    });
  });

  test('is temporary while macOS runs the app from a randomized folder', () => {
    const program = '/private/var/folders/x/AppTranslocation/y/d/Tooltray.app/Contents/MacOS/Tooltray';
    expect([program, place.program].map(isTranslocated)).toEqual([true, false]);
  });
});

describe('on Windows', () => {
  const program = 'C:\\Users\\Jürgen & Zoë\\100%\\Tooltray.exe';

  test('the launcher is a program that reads what to start from a file beside it', () => {
    const facts = launcherFacts({
      platform: 'win32',
      program,
      resources: 'C:\\app\\resources',
      appImage: undefined,
      checkout: undefined,
    });
    expect(facts).toMatchObject({
      script: { file: 'C:\\app\\resources\\shim\\tooltray.cjs' },
      windowsProgram: 'C:\\app\\resources\\bin\\tooltray.exe',
    });
    const text = windowsLaunch(facts);
    const command = JSON.stringify([program, '--background']);
    expect(text.split('\n')).toEqual([program, 'C:\\app\\resources\\shim\\tooltray.cjs', command, '']);
    expect(programOf(text)).toBe(program);
    const shim = { program: 'C:\\r\\tooltray-shim.exe', script: 'C:\\r\\shim\\tooltray.cjs' };
    const withShim = windowsLaunch({ ...facts, shim });
    expect(withShim.split('\n').slice(2)).toEqual([command, shim.program, shim.script, '']);
    expect(programOf(withShim)).toBe(program);
    expect(programOf('something else\n')).toBeUndefined();
  });

  test('a new version of the program replaces the old one, also while it runs', async () => {
    const windowsProgram = join(folder, 'new.exe');
    const file = join(folder, 'bin/tooltray.exe');
    const facts = { program, script: { file: 'x.cjs' }, appWords: [], windowsProgram };
    for (const version of ['1', '2']) {
      writeFileSync(windowsProgram, version);
      expect(await writeLauncher(file, facts, lasting())).toBe(true);
      expect(await writeLauncher(file, facts, lasting())).toBe(false);
      expect(readFileSync(file, 'utf8')).toBe(version);
    }
    expect(readFileSync(join(folder, 'bin/tooltray.launch'), 'utf8')).toBe(windowsLaunch(facts));
  });
});

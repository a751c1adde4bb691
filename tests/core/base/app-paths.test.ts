/** Paths of each operating system, and folders that only their owner can read. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveAppPaths, ensurePrivateDir } from '../../../src-main/core/base/app-paths.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paths-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('puts everything under TOOLTRAY_HOME', () => {
  const paths = resolveAppPaths({ TOOLTRAY_HOME: '/p/home', XDG_CONFIG_HOME: '/x' }, 'linux', '/home/ann');
  expect(paths).toEqual({
    home: '/p/home',
    configFile: '/p/home/config.json',
    dataDir: '/p/home/data',
    logDir: '/p/home/logs',
    cacheDir: '/p/home/cache',
    runDir: '/p/home/run',
    socketPath: '/p/home/run/core.sock',
    namesPipe: false,
    tokenFile: '/p/home/run/token',
    activityFile: '/p/home/data/activity.db',
    spillDir: '/p/home/data/spills',
  });
});

test('follows XDG on Linux and ignores relative values', () => {
  const paths = resolveAppPaths({ XDG_CONFIG_HOME: '/xdg/config', XDG_CACHE_HOME: 'relative' }, 'linux', '/home/ann');
  expect(paths.home).toBeUndefined();
  expect(paths.configFile).toBe('/xdg/config/tooltray/config.json');
  expect(paths.cacheDir).toBe('/home/ann/.cache/tooltray');
  expect(paths.activityFile).toBe('/home/ann/.local/share/tooltray/activity.db');
});

test('gives shim and core the same socket and token, whatever variables the client app passes on', () => {
  const full = { XDG_RUNTIME_DIR: '/run/user/1', XDG_STATE_HOME: '/s', XDG_DATA_HOME: '/d', TMPDIR: '/t' };
  for (const home of ['/home/ann', `/home/${'deep/'.repeat(30)}`]) {
    const [core, shim] = [resolveAppPaths(full, 'linux', home), resolveAppPaths({}, 'linux', home)];
    expect([shim.socketPath, shim.tokenFile]).toEqual([core.socketPath, core.tokenFile]);
  }
});

test('uses Library on macOS', () => {
  const paths = resolveAppPaths({}, 'darwin', '/Users/ann');
  expect(paths.configFile).toBe('/Users/ann/Library/Application Support/Tooltray/config.json');
  expect(paths.logDir).toBe('/Users/ann/Library/Logs/Tooltray');
  expect(paths.cacheDir).toBe('/Users/ann/Library/Caches/Tooltray');
});

test('uses a folder of the profile on Windows, whatever AppData is', () => {
  const env = { APPDATA: 'C:\\R', LOCALAPPDATA: 'C:\\L', USERNAME: 'Ann' };
  const paths = resolveAppPaths(env, 'win32', 'C:\\Users\\Ann');
  expect(paths.configFile).toBe('C:\\Users\\Ann\\.tooltray\\config.json');
  expect(paths.activityFile).toBe('C:\\Users\\Ann\\.tooltray\\activity.db');
  // Folders redirected for packaged apps: no path may be in them.
  const redirected = /AppData|^C:\\[RL]\\/;
  expect(Object.values(paths).filter((path) => redirected.test(String(path)))).toEqual([]);
  expect(
    Object.values(resolveAppPaths({}, 'win32', 'C:\\Users\\Ann')).filter((path) => redirected.test(String(path))),
  ).toEqual([]);
  expect(resolveAppPaths({ ...env, TOOLTRAY_HOME: 'D:\\x' }, 'win32', 'C:\\Users\\Ann').socketPath).not.toBe(
    paths.socketPath,
  );
  expect(resolveAppPaths(env, 'win32', 'C:\\Users\\Bob').socketPath).not.toBe(paths.socketPath);
});

test('replaces a socket path that is too long for the system by a short one that works', async () => {
  const long = join(folder, 'ü'.repeat(50), 'more');
  const { socketPath } = resolveAppPaths({ TOOLTRAY_HOME: long }, 'linux', '/home/ann');
  expect(Buffer.byteLength(socketPath)).toBeLessThanOrEqual(100);
  expect(resolveAppPaths({ TOOLTRAY_HOME: `${long}2` }, 'linux', '/home/ann').socketPath).not.toBe(socketPath);
  ensurePrivateDir(dirname(socketPath));
  const server = createServer().listen(socketPath);
  await once(server, 'listening');
  server.close();
});

test('creates a private folder and its parents for their owner only', () => {
  const path = join(folder, 'a', 'b');
  ensurePrivateDir(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
});

test("removes other users' access to an existing folder", () => {
  const path = join(folder, 'open');
  mkdirSync(path);
  chmodSync(path, 0o777);
  ensurePrivateDir(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('accepts a link of the user to their own folder, and makes that folder private', () => {
  mkdirSync(join(folder, 'disk'), { mode: 0o755 });
  symlinkSync(join(folder, 'disk'), join(folder, 'link'));
  ensurePrivateDir(join(folder, 'link'));
  expect(statSync(join(folder, 'disk')).mode & 0o777).toBe(0o700);
});

test('rejects a file and a dangling link, and names the fix', () => {
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
  writeFileSync(join(folder, 'file'), '');
  for (const name of ['dangling', 'file']) {
    expect(() => ensurePrivateDir(join(folder, name)), name).toThrow(
      expect.objectContaining({ code: 'not_allowed', fix: expect.stringContaining('TOOLTRAY_HOME') as string }),
    );
  }
});

// Only root can change the owner of a folder.
test.skipIf(process.getuid?.() !== 0)('rejects a folder of another user', async () => {
  const { chownSync, lchownSync } = await import('node:fs');
  const path = join(folder, 'theirs');
  mkdirSync(path);
  const [toTheirs, theirLink] = [join(folder, 'to-theirs'), join(folder, 'their-link')];
  symlinkSync(path, toTheirs);
  symlinkSync(folder, theirLink);
  chownSync(path, 12345, 12345);
  lchownSync(theirLink, 12345, 12345);
  for (const refused of [path, toTheirs, theirLink])
    expect(() => ensurePrivateDir(refused), refused).toThrow(expect.objectContaining({ code: 'not_allowed' }));
});

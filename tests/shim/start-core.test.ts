/** How a client app starts the desktop app: through a system program where that matters, and not during an update. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deferStarts } from '../../src-main/desktop/updates.ts';
import { brokered, hidesWindows, startCore, withSession } from '../../src-main/shim/start-core.ts';

describe('starts the app', () => {
  const windows = ["C:\\Users\\Zoë & d'Or\\Programs\\Tooltray.exe", '--background'];

  test('on Windows by WMI, outside a packaged client app', () => {
    const [program, ...args] = brokered({ command: windows, env: {} }, 'win32');
    expect([program, ...args.slice(0, -1)]).toEqual([
      'powershell.exe',
      '-NoProfile',
      '-NonInteractive',
      '-EncodedCommand',
    ]);
    const script = Buffer.from(args.at(-1) ?? '', 'base64').toString('utf16le');
    expect(script).toContain(`$line = '"C:\\Users\\Zoë & d''Or\\Programs\\Tooltray.exe" "--background"'`);
    expect(script).toContain('-ClassName Win32_Process -MethodName Create');
  });

  test('on macOS by Launch Services, from where it is installed', () => {
    const command = ['/Applications/My Apps/Tooltray.app/Contents/MacOS/Tooltray', '--background'];
    expect(brokered({ command, env: {} }, 'darwin')).toEqual([
      '/usr/bin/open',
      '-g',
      '-a',
      '/Applications/My Apps/Tooltray.app',
      '--args',
      '--background',
    ]);
  });

  test.each([
    ['on Linux', windows, {}, 'linux'],
    ['as a private instance', windows, { TOOLTRAY_HOME: 'D:\\x' }, 'win32'],
    ['as Node.js', ['C:\\node.exe', 'cli.js', 'serve'], {}, 'win32'],
    [
      'as the command line of the package',
      ['/A.app/Contents/MacOS/A', 'cli.js'],
      { ELECTRON_RUN_AS_NODE: '1' },
      'darwin',
    ],
  ] as const)('directly: %s', (_, command, env, platform) => {
    expect(brokered({ command, env }, platform)).toBe(command);
  });
});

test.each([
  [['C:\\Programs\\Tooltray.exe', '--background'], {}, false],
  [['C:\\Programs\\Tooltray.exe', 'cli.js'], { ELECTRON_RUN_AS_NODE: '1' }, true],
  [['C:\\nodejs\\node.exe', 'cli.js', 'serve'], {}, true],
  [['/usr/bin/node', 'cli.js'], {}, true],
  [['/opt/my-node-app', '--background'], {}, false],
] as const)('windows of %j with %j are hidden: %s', (command, env, isHidden) => {
  expect(hidesWindows(command, env)).toBe(isHidden);
});

describe('while an update is installed', () => {
  /** Starts a core that takes six connection attempts; returns whether a process was started for it. */
  async function starts(updateMs: number | undefined): Promise<boolean> {
    const runDir = mkdtempSync(join(tmpdir(), 'tooltray-update-'));
    onTestFinished(() => rmSync(runDir, { recursive: true }));
    if (updateMs !== undefined) await deferStarts(runDir, updateMs);
    let attempts = 0;
    const start = { command: [process.execPath, '--version'], env: process.env, runDir };
    const connect = async (): Promise<string | undefined> => (++attempts > 5 ? 'connected' : undefined);
    expect(await startCore(start, connect, new AbortController().signal)).toBe('connected');
    return existsSync(join(runDir, 'core-start.log'));
  }

  test('client apps wait for the new version, and start nothing', async () => {
    expect(await starts(300_000)).toBe(false);
  });

  test('and none started then, client apps start it after a while', async () => {
    expect([await starts(-1), await starts(undefined)]).toEqual([true, true]);
  });
});

describe.skipIf(process.platform === 'win32')("on Linux the app gets the desktop's variables", () => {
  const app = ['/opt/Tooltray/tooltray-app', '--background'];

  /** An environment as client apps pass it on, with a systemctl that runs this script. */
  function bare(script: string): Record<string, string> {
    const folder = mkdtempSync(join(tmpdir(), 'tooltray-session-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'systemctl'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { HOME: folder, PATH: [folder, process.env['PATH']].join(delimiter) };
  }

  test('from systemd, and nothing else from there', async () => {
    const env = bare('printf "DISPLAY=:1\\nXAUTHORITY=/run/x\\nSECRET=1\\nPATH=/evil\\n"');
    const found = await withSession({ command: app, env }, 'linux');
    expect(found).toEqual({ ...env, DISPLAY: ':1', XAUTHORITY: '/run/x' });
  });

  test('unchanged if systemd is unavailable, or if they are set', async () => {
    const failing = bare('exit 1');
    expect(await withSession({ command: app, env: failing }, 'linux')).toEqual(failing);
    const env = { ...bare('echo WAYLAND_DISPLAY=wayland-9'), DISPLAY: ':0' };
    expect(await withSession({ command: app, env }, 'linux')).toBe(env);
    const node = { command: ['/usr/bin/node', 'cli.js'], env: failing };
    expect(await withSession(node, 'linux')).toBe(failing);
  });
});

/** How the app is started from a client app: by a program of the system where that matters. */
import { describe, expect, test } from 'vitest';
import { brokered, hidesWindows } from '../../src-main/shim/start-core.ts';

describe('the app is started', () => {
  const windows = ["C:\\Users\\Zoë & d'Or\\Programs\\Tooltray.exe", '--background'];

  test('on Windows by WMI, outside of a packaged client app', () => {
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

  test('on macOS by Launch Services, from where it was installed', () => {
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
  ] as const)('directly %s', (_, command, env, platform) => {
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

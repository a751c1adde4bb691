import { expect, test } from 'vitest';
import { socketLocation } from '../../../src-main/core/base/app-paths.ts';

test('puts everything under TOOLTRAY_HOME', () => {
  expect(socketLocation({ TOOLTRAY_HOME: '/tmp/t/../t' }, 'linux', '/home/eva')).toEqual({
    home: '/tmp/t',
    runDir: '/tmp/t/run',
    socketPath: '/tmp/t/run/core.sock',
    namesPipe: false,
    tokenFile: '/tmp/t/run/token',
  });
});

test('ignores variables that client apps do not pass on to the shim', () => {
  const bare = socketLocation({}, 'linux', '/home/eva');
  const full = socketLocation(
    { XDG_RUNTIME_DIR: '/run/user/1', XDG_DATA_HOME: '/d', TMPDIR: '/t' },
    'linux',
    '/home/eva',
  );
  expect(full).toEqual(bare);
  expect(bare.socketPath).toBe('/home/eva/.local/state/tooltray/run/core.sock');
});

test('uses Application Support on macOS', () => {
  const { socketPath } = socketLocation({}, 'darwin', '/Users/eva');
  expect(socketPath).toBe('/Users/eva/Library/Application Support/Tooltray/run/core.sock');
});

test('uses a file in the private folder that names the pipe on Windows', () => {
  const { socketPath, namesPipe } = socketLocation({}, 'win32', 'C:\\Users\\Eva');
  expect([socketPath, namesPipe]).toEqual(['C:\\Users\\Eva\\.tooltray\\run\\pipe', true]);
});

test('replaces a path that is too long for a socket by the same short one each time', () => {
  const path = (home: string) => socketLocation({ TOOLTRAY_HOME: home }, 'linux', '/home/eva').socketPath;
  const [one, other] = [`/tmp/${'a'.repeat(120)}`, `/tmp/${'b'.repeat(120)}`];
  expect(path(one)).toMatch(/^\/tmp\/tooltray-\d+\/[0-9a-f]{16}\.sock$/);
  expect(path(one)).toBe(path(one));
  expect(path(one)).not.toBe(path(other));
});

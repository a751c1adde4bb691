/** How versions of a server are distinguished. */
import { expect, test } from 'vitest';
import type { ServerConfig } from '../../../../src-main/core/config/server-config.ts';
import { fingerprintLaunch, pinPackageVersion } from '../../../../src-main/core/trust/pins/launch-fingerprint.ts';

const started = (command: string, ...args: string[]): ServerConfig =>
  ({ kind: 'stdio', name: 's', command, args, env: {}, cwd: undefined }) as unknown as ServerConfig;

test.each([
  ['npx', ['-y', '@scope/server'], undefined, '@scope/server'],
  ['npx', ['-y', '@scope/server@latest', '/tmp'], undefined, '@scope/server'],
  ['npx', ['-y', '@scope/server@1.2.3'], '1.2.3', undefined],
  ['C:\\node\\npx.cmd', ['server@2.0.0-rc.1'], '2.0.0-rc.1', undefined],
  ['npx', ['-p', 'server@^1.0.0', 'bin'], undefined, 'server'],
  ['uvx', ['mcp-server-git'], undefined, 'mcp-server-git'],
  ['uvx', ['--from', 'pkg==1.2', 'tool'], '1.2', undefined],
  ['docker', ['run', '-i', '--rm', '-e', 'TOKEN', 'ghcr.io/x/y'], undefined, 'ghcr.io/x/y'],
  [
    'docker',
    ['run', '-p', '8080:80', '-itp80:80', '--ipc', 'host', '-itv', '/:/h', 'image', 'run'],
    undefined,
    'image',
  ],
  ['docker', ['--context', 'c', 'container', 'run', '--rm', '--pull=always', 'image'], undefined, 'image'],
  ['docker', ['run', '-i', `ghcr.io/x/y@sha256:${'a'.repeat(64)}`], `sha256:${'a'.repeat(64)}`, undefined],
])('identifies the version of %s %j', async (command, args, pin, floats) => {
  expect(await fingerprintLaunch(started(command, ...args))).toMatchObject({
    pin,
    ...(floats !== undefined && { floats }),
  });
});

test.each([
  ['npx', ['-y', '@scope/server', '/tmp'], ['-y', '@scope/server@1.2.3', '/tmp']],
  ['npx', ['-y', 'server@latest'], ['-y', 'server@1.2.3']],
  ['npx', ['-p', 'server@^1.0.0', 'bin'], ['-p', 'server@1.2.3', 'bin']],
  ['uvx', ['--from', 'pkg', 'tool'], ['--from', 'pkg==1.2.3', 'tool']],
  ['uvx', ['pkg'], ['pkg@1.2.3']],
  ['npx', ['-y', 'server@1.0.0'], undefined],
  ['node', ['server.js'], undefined],
])('pins the version of %s %j as %j', async (command, args, wanted) => {
  const pinned = pinPackageVersion(command, args, '1.2.3');
  expect(pinned).toEqual(wanted);
  if (pinned === undefined) return;
  // The same program: accepted definitions stay accepted.
  const [before, after] = await Promise.all([
    fingerprintLaunch(started(command, ...args)),
    fingerprintLaunch(started(command, ...pinned)),
  ]);
  expect(after).toMatchObject({ pin: '1.2.3', program: before.program });
});

test.each(['latest', '^1.0.0', '', '1'])('rejects %j as a version to pin', (version) => {
  expect(() => pinPackageVersion('npx', ['x'], version)).toThrow(/is not an exact version\./);
});

test('identifies another version as the same program, and another package as a different one', async () => {
  const [one, other, third] = await Promise.all(
    ['a@1.0.0', 'a@2.0.0', 'b@1.0.0'].map((name) => fingerprintLaunch(started('npx', '-y', name))),
  );
  expect(one?.program).toBe(other?.program);
  expect(third?.program).not.toBe(one?.program);
});

test('identifies a script by its content', async () => {
  const launch = await fingerprintLaunch(started('node', import.meta.filename));
  expect(launch.pin).toMatch(/^sha256:[0-9a-f]{64}$/);
});

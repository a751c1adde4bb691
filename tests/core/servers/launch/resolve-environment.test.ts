/** The environment of child processes. */
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findCommand } from '../../../../src-main/core/servers/launch/find-command.ts';
import { EnvironmentResolver } from '../../../../src-main/core/servers/launch/resolve-environment.ts';

const desktop = { PATH: '/usr/bin:/bin', HOME: '/home/ada' };

test('puts the PATH of the login shell first and adds its variables when started from a desktop', async () => {
  const resolver = new EnvironmentResolver({
    own: { ...desktop, LANG: 'de_DE.UTF-8' },
    platform: 'linux',
    readLoginShell: async () => ({
      PATH: '/home/ada/.nvm/bin:/usr/bin',
      LANG: 'C',
      NVM_DIR: '/home/ada/.nvm',
      SHLVL: '1',
    }),
  });
  expect(await resolver.resolve()).toEqual({
    PATH: '/home/ada/.nvm/bin:/usr/bin:/bin',
    HOME: '/home/ada',
    LANG: 'de_DE.UTF-8',
    NVM_DIR: '/home/ada/.nvm',
  });
});

test('reads the login shell once for several servers', async () => {
  let asked = 0;
  const readLoginShell = async () => ({ PATH: `/asked/${++asked}` });
  const resolver = new EnvironmentResolver({ own: desktop, platform: 'darwin', readLoginShell });
  await Promise.all([resolver.resolve(), resolver.resolve(), resolver.resolve()]);
  expect(asked).toBe(1);
});

test('does not read the login shell in a terminal that has its own PATH', async () => {
  const resolver = new EnvironmentResolver({
    own: { TERM: 'xterm', PATH: '/home/ada/bin:/usr/bin' },
    platform: 'linux',
    readLoginShell: () => Promise.reject(new Error('was asked')),
  });
  expect(await resolver.resolve()).toEqual({ TERM: 'xterm', PATH: '/home/ada/bin:/usr/bin' });
});

test('does not delay servers if the login shell never responds', async () => {
  const readLoginShell = () => new Promise<never>(() => undefined);
  const resolver = new EnvironmentResolver({ own: desktop, platform: 'linux', readLoginShell, limitMs: 10 });
  expect(await resolver.resolve()).toEqual(desktop);
});

test('reads the real login shell', async () => {
  const resolver = new EnvironmentResolver({ own: { ...process.env, TERM: undefined } });
  expect((await resolver.resolve())['PATH']).toContain('/bin');
});

test('passes proxies, locale and agents, removes Tooltray and Node variables, and lets the entry win', async () => {
  const passed = { HTTPS_PROXY: 'http://p', no_proxy: 'x', LC_ALL: 'C', XDG_RUNTIME_DIR: '/run', SSH_AUTH_SOCK: '/s' };
  const own = { TOOLTRAY_TOKEN: 's', NODE_OPTIONS: '--inspect', ELECTRON_RUN_AS_NODE: '1' };
  const resolver = new EnvironmentResolver({
    own: { TERM: 'x', PATH: '/opt/x', ...passed, ...own },
    platform: 'linux',
  });
  const resolved = await resolver.resolve({ LC_ALL: 'de', NODE_OPTIONS: '--no-warnings' });
  expect(resolved).toEqual({ TERM: 'x', PATH: '/opt/x', ...passed, LC_ALL: 'de', NODE_OPTIONS: '--no-warnings' });
});

test('replaces Path by the PATH of the entry on Windows', async () => {
  const resolver = new EnvironmentResolver({ own: { Path: 'C:\\a' }, platform: 'win32' });
  expect(await resolver.resolve({ PATH: 'C:\\b' })).toEqual({ PATH: 'C:\\b' });
});

test('finds an executable command on PATH and by absolute or relative path', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'find-command-'));
  await writeFile(join(folder, 'tool'), '');
  expect(await findCommand('tool', { PATH: folder })).toBeUndefined();
  await chmod(join(folder, 'tool'), 0o755);
  const found = [
    await findCommand('tool', { PATH: `/nowhere:${folder}` }),
    await findCommand(join(folder, 'tool'), {}),
    await findCommand('./tool', {}, folder),
  ];
  expect(found).toEqual(Array.from({ length: 3 }, () => join(folder, 'tool')));
  expect(await findCommand('tool', { PATH: '/nowhere' })).toBeUndefined();
});

/** Environment variables of the user that every server gets, without secrets. */
import { expect, test } from 'vitest';
import { EnvironmentResolver } from '../../../../src-main/core/servers/launch/resolve-environment.ts';
import { isCommonVariable } from '../../../../src-main/core/servers/launch/common-variables.ts';

const kept = [
  ...['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'XDG_CONFIG_HOME', 'XDG_RUNTIME_DIR', 'DISPLAY'],
  ...['HTTPS_PROXY', 'https_proxy', 'NODE_EXTRA_CA_CERTS', 'NVM_DIR', 'UV_CACHE_DIR', 'DOCKER_HOST'],
];
const keys = [
  ...['OPENAI_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'NPM_TOKEN', 'MISE_GITHUB_TOKEN', 'UV_INDEX_PASSWORD'],
  ...[
    'SSH_AUTH_SOCK',
    'DBUS_SESSION_BUS_ADDRESS',
    'npm_config__authToken',
    'PIP_INDEX_URL',
    'DATABASE_URL',
    'PGPASSWORD',
  ],
  ...['LD_PRELOAD', 'NODE_PATH', 'PYTHONPATH', 'MY_HOME', 'HOMEX', 'XDG_SECRET'],
];

test.each(kept)('passes %s to servers', (name) => {
  expect(isCommonVariable(name, 'linux')).toBe(true);
});

test.each(keys)('withholds %s from servers', (name) => {
  expect([isCommonVariable(name, 'linux'), isCommonVariable(name, 'win32')]).toEqual([false, false]);
});

test('ignores the case of names on Windows and passes Windows variables', async () => {
  const own = { Path: 'C:\\a', SystemRoot: 'C:\\Windows', 'ProgramFiles(x86)': 'C:\\P', Api_Key: 'k', Other: 'o' };
  const resolver = new EnvironmentResolver({ own, platform: 'win32' });
  expect(await resolver.forServer({ PATH: 'C:\\b' }, ['OTHER'])).toEqual({
    env: { SystemRoot: 'C:\\Windows', 'ProgramFiles(x86)': 'C:\\P', Other: 'o', PATH: 'C:\\b' },
    withheld: ['Api_Key'],
  });
  expect((await resolver.forServer({}, 'all')).withheld).toEqual([]);
});

test('compares variable names case-sensitively on other platforms', async () => {
  const resolver = new EnvironmentResolver({ own: { PATH: '/opt/x', TERM: 'x', Token: 't' }, platform: 'linux' });
  expect((await resolver.forServer({}, ['TOKEN'])).withheld).toEqual(['Token']);
});

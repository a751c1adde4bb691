/** Environment variables in a config file. */
import { expect, test } from 'vitest';
import { readConfig } from '../../../src-main/core/config/read-config.ts';

function read(entry: object, env: Record<string, string>) {
  return readConfig(JSON.stringify({ servers: { a: entry } }), '/c/config.json', env);
}

test('variables are replaced in command, args, env, cwd, url and headers', () => {
  const env = { BIN: '/bin/x', TOKEN: 's3cret', HOST: 'h', DIR: '/d' };
  const stdio = {
    command: '${env:BIN}',
    args: ['--t=${env:TOKEN}', '${env:HOST}${env:HOST}'],
    env: { T: '${env:TOKEN}' },
    cwd: '${env:DIR}',
  };
  expect(read(stdio, env).config?.servers).toMatchObject([
    {
      command: '/bin/x',
      args: ['--t=s3cret', 'hh'],
      env: { T: 's3cret' },
      cwd: expect.stringMatching(/[/\\]d$/) as string,
    },
  ]);
  const http = { url: 'https://${env:HOST}/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } };
  expect(read(http, env).config?.servers).toMatchObject([
    { url: 'https://h/mcp', headers: { Authorization: 'Bearer s3cret' } },
  ]);
});

test('a default is used when the variable is unset or empty, and a value is never replaced twice', () => {
  const args = ['${env:UNSET:-a}', '${env:EMPTY:-b}', '${env:EMPTY}', '${env:SET:-c}', '${env:UNSET:-}', '${HOME}'];
  const env = { EMPTY: '', SET: '${env:EMPTY:-no}' };
  expect(read({ command: 'x', args }, env).config?.servers).toMatchObject([
    { args: ['a', 'b', '', '${env:EMPTY:-no}', '', '${HOME}'] },
  ]);
});

test('a missing variable is an error of that entry which names the variable and its place', () => {
  const { config, problems } = read({ url: 'https://h', headers: { A: 'x', B: '${env:NOPE}' } }, {});
  expect(config?.servers).toEqual([]);
  expect(problems).toMatchObject([
    {
      severity: 'error',
      path: 'servers.a.headers.B',
      reason: 'The environment variable NOPE is not set.',
      server: 'a',
    },
  ]);
});

test('a server that is off may wait for its variables', () => {
  const { config, problems } = read({ command: 'x', args: ['${env:NOPE}'], enabled: false }, {});
  expect(config?.servers).toMatchObject([{ enabled: false }]);
  expect(problems).toMatchObject([{ severity: 'warning' }]);
});

test("VS Code's inputs cannot be filled in, and that is said", () => {
  const { problems } = read({ command: 'x', env: { A: '${input:key}' } }, {});
  expect(problems.map(({ reason }) => reason)).toEqual(['${input:key} cannot be filled in here.']);
});

test('a reference to a secret stays what it is where it can be filled later, a default and all', () => {
  const entry = { command: 'x', args: ['--key', '${secret:K}'], env: { A: 'a ${keyring:k}', B: '${secret:b:-none}' } };
  const { config, problems } = read(entry, { K: 'no', k: 'no' });
  expect(config?.servers).toMatchObject([{ args: entry.args, env: entry.env }]);
  expect(problems).toEqual([]);
});

test('where no secret is filled in, a reference is an error', () => {
  const { problems } = read({ command: '${secret:K}', cwd: '/${keyring:k}' }, {});
  expect(problems).toMatchObject([
    { path: 'servers.a.command', severity: 'error' },
    { path: 'servers.a.cwd', severity: 'error' },
  ]);
});

test('no problem quotes the value of a variable', () => {
  const { problems } = read({ url: '${env:BAD}' }, { BAD: 'not-an-address-s3cret' });
  expect(problems).toHaveLength(1);
  expect(JSON.stringify(problems)).not.toContain('s3cret');
});

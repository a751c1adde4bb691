/** Environment variables in a config file. */
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';

function read(entry: object, env: Record<string, string>) {
  return parseConfig(JSON.stringify({ servers: { a: entry } }), '/c/config.json', env);
}

test('replaces variables in command, args, env, cwd, url and headers', () => {
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

test('uses the default of an unset or empty variable and does not expand values again', () => {
  const args = ['${env:UNSET:-a}', '${env:EMPTY:-b}', '${env:EMPTY}', '${env:SET:-c}', '${env:UNSET:-}'];
  const env = { EMPTY: '', SET: '${env:EMPTY:-no}' };
  expect(read({ command: 'x', args }, env).config?.servers).toMatchObject([
    { args: ['a', 'b', '', '${env:EMPTY:-no}', ''] },
  ]);
});

describe('a variable without a value', () => {
  test('is read from the vault when the server starts, where a secret is allowed', () => {
    const entry = { command: 'x', args: ['--k=${env:NOPE}'], env: { A: '${env:NOPE}', B: '${input:key}' } };
    const { config, problems } = read(entry, {});
    expect(config?.servers).toMatchObject([
      { enabled: true, args: ['--k=${secret:NOPE}'], env: { A: '${secret:NOPE}', B: '${secret:key}' } },
    ]);
    expect(problems).toEqual([]);
  });

  test.each([
    [{ url: '${env:NOPE}' }, 'servers.a.url'],
    [{ url: 'https://${env:NOPE}.example/mcp' }, 'servers.a.url'],
    [{ command: '${env:NOPE}/bin/x' }, 'servers.a.command'],
    [{ command: 'x', cwd: '${input:where}' }, 'servers.a.cwd'],
    [{ builtin: 'utils', folders: ['${env:NOPE}'] }, 'servers.a.folders[0]'],
  ])('disables the server elsewhere, with a warning at its place: %j', (entry, path) => {
    const { config, problems } = read(entry, {});
    expect(config?.servers).toMatchObject([{ name: 'a', enabled: false, held: 'setup' }]);
    expect(problems).toMatchObject([{ severity: 'warning', path, server: 'a' }]);
  });

  test('does not affect other servers', () => {
    const text = JSON.stringify({ servers: { a: { url: '${env:NOPE}' }, b: { command: 'x' } } });
    const { config } = parseConfig(text, '/c/config.json', {});
    expect(config?.servers).toMatchObject([{ held: 'setup' }, { name: 'b', enabled: true }]);
  });

  test('leaves a disabled server disabled', () => {
    const { config } = read({ command: '${env:NOPE}', enabled: false }, {});
    expect(config?.servers[0]).toMatchObject({ enabled: false });
    expect(config?.servers[0]?.held).toBeUndefined();
  });
});

test('keeps a reference to a secret that is filled in later, including its default', () => {
  const entry = { command: 'x', args: ['--key', '${secret:K}'], env: { A: 'a ${keyring:k}', B: '${secret:b:-none}' } };
  const { config, problems } = read(entry, { K: 'no', k: 'no' });
  expect(config?.servers).toMatchObject([{ args: entry.args, env: entry.env }]);
  expect(problems).toEqual([]);
});

test('rejects a reference to a secret where none is filled in', () => {
  const { problems } = read({ command: '${secret:K}', cwd: '/${keyring:k}' }, {});
  expect(problems).toMatchObject([
    { path: 'servers.a.command', severity: 'error' },
    { path: 'servers.a.cwd', severity: 'error' },
  ]);
});

test('quotes no value of a variable in a problem', () => {
  const { problems } = read({ url: '${env:BAD}' }, { BAD: 'not-an-address-s3cret' });
  expect(problems).toHaveLength(1);
  expect(JSON.stringify(problems)).not.toContain('s3cret');
});

/** Servers held until the user agrees, isolation of servers, and invalid fields of an entry. */
import { describe, expect, test } from 'vitest';
import { setServerField } from '../../../src-main/core/config/edit-config.ts';
import { markReviewed, assertReviewed } from '../../../src-main/core/config/server-holds.ts';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';

function read(entry: object, settings: object = {}) {
  const text = JSON.stringify({ ...settings, servers: { a: { command: 'npx', ...entry } } });
  const { config, problems } = parseConfig(text, '/c/config.json', { HOME: '/h' });
  return { text, server: config?.servers[0], problems };
}

const all = { docker_isolation: { enabled: true } };

describe('Isolation of a server', () => {
  test.each([
    [{ isolation: { enabled: true, image: 'node:20' } }, {}, { kind: 'container', network: true, image: 'node:20' }],
    [{ isolation: { mode: 'docker', network_mode: 'none' } }, {}, { kind: 'container', network: false }],
    [{ isolation: { mode: 'sandbox', enabled: false } }, {}, { kind: 'sandbox', network: false }],
    [{ isolation: 'auto' }, {}, { kind: 'auto', network: false, read: [], write: undefined }],
    [{ isolation: { mode: 'container', network: false } }, {}, { kind: 'container', network: false }],
    [
      { isolation: { mode: 'sandbox', read: ['~/a'], write: ['b', '/c'] } },
      {},
      { read: ['/h/a'], write: ['/c/b', '/c'] },
    ],
    [{ sandboxEnabled: true }, {}, { kind: 'sandbox', network: false }],
    [{}, all, { kind: 'container' }],
    [{ isolation: { image: 'node:20' } }, all, { kind: 'container', image: 'node:20' }],
  ])('reads %j with the settings %j as %j', (entry, settings, isolate) => {
    const { server, problems } = read(entry, settings);
    expect(server).toMatchObject({ enabled: true, isolate });
    expect(problems).toEqual([]);
  });

  test.each([
    [{ isolation: { enabled: false, image: 'x' } }, all],
    [{ isolation: { mode: 'none', enabled: true } }, {}],
    [{ isolation: 'none' }, all],
    [{ isolation: { image: 'x' } }, {}],
    [{ command: '/usr/bin/docker', args: ['run', 'x'] }, all],
    [{ command: undefined, url: 'https://h/mcp' }, all],
  ])('reads %j with the settings %j as no isolation', (entry, settings) => {
    expect(read(entry, settings).server).not.toHaveProperty('isolate');
  });

  test('changes the hash for another isolation, but not for settings without an effect', () => {
    const hashOf = (isolation: object) => read({ isolation }).server?.hash;
    expect(hashOf({ mode: 'sandbox' })).not.toBe(hashOf({ mode: 'sandbox', network: true }));
    expect(hashOf({ mode: 'none', memory_limit: '1g' })).toBe(hashOf({ mode: 'none' }));
  });
});

test('holds a server in MCPProxy quarantine for review, which enabling it does not end', () => {
  const { text, server } = read({ quarantined: true });
  expect(server).toMatchObject({ enabled: false, held: 'review' });
  expect(() => assertReviewed(server)).toThrow("a needs the user's review.");
  const on = parseConfig(setServerField(text, 'a', 'enabled', true), '/c/config.json', {});
  expect(on.config?.servers).toMatchObject([{ enabled: false, held: 'review' }]);
  const reviewed = parseConfig(markReviewed(text, 'a'), '/c/config.json', {});
  expect(reviewed).toMatchObject({ problems: [], config: { servers: [{ enabled: true }] } });
});

describe('A field without an effect', () => {
  test.each([
    [{ command: 'x', headers: { A: 'b' } }, 'servers.a.headers'],
    [{ command: undefined, url: 'https://h', env: { A: 'b' } }, 'servers.a.env'],
    [{ command: 'x', type: 'stdio', url: 'https://h' }, 'servers.a.url'],
    [{ command: 'x', folders: ['~'] }, 'servers.a.folders'],
    [{ command: 'x', builtin: 'utils' }, 'servers.a.command'],
    [{ command: 'x', transport: { python_cmd: 'py' } }, 'servers.a.transport.python_cmd'],
  ])('is reported: %j: %s', (entry, path) => {
    expect(read(entry).problems).toMatchObject([{ severity: 'warning', path }]);
  });

  test('is not reported if it is empty', () => {
    expect(read({ command: undefined, url: 'https://h', args: [], env: {} }).problems).toEqual([]);
  });
});

describe('A wrong value', () => {
  test.each([
    [{ command: undefined, url: 'http:///mcp' }, 'servers.a.url'],
    [{ command: undefined, url: 'https:h' }, 'servers.a.url'],
    [{ command: undefined, url: 'https://me:pw@h/mcp' }, 'servers.a.url'],
    [{ protocol: 'htpp' }, 'servers.a.protocol'],
    [{ enabled: 'maybe' }, 'servers.a.enabled'],
    [{ callTimeoutSeconds: '30' }, 'servers.a.callTimeoutSeconds'],
    [{ init_timeout: 'soon' }, 'servers.a.init_timeout'],
    [{ isolation: { mode: 'dokcer' } }, 'servers.a.isolation.mode'],
    [{ prefix: 'a b' }, 'servers.a.prefix'],
    [{ kits: 'x' }, 'servers.a.kits'],
    [{ command: undefined, builtin: 'utls' }, 'servers.a.builtin'],
    [
      { command: undefined, url: 'https://h', oauth: { redirect_uri: 'https://elsewhere/x' } },
      'servers.a.oauth.redirect_uri',
    ],
    [{ command: undefined, url: 'https://h', auth: { CLIENT_ID: 5 } }, 'servers.a.auth.CLIENT_ID'],
    [{ command: undefined, url: 'https://h', oauth: { callbackPort: 99999 } }, 'servers.a.oauth.callbackPort'],
    [
      { command: undefined, url: 'https://h', oauth: { client_metadata_url: 'http://h/x' } },
      'servers.a.oauth.client_metadata_url',
    ],
  ])('is an error: %j: %s', (entry, path) => {
    expect(read(entry).problems).toMatchObject([{ severity: 'error', path }]);
    expect(read(entry).server).toBeUndefined();
  });

  test('is reported with the closest kind of server', () => {
    expect(read({ protocol: 'stido' }).problems[0]?.suggestion).toBe('Did you mean "stdio"?');
  });
});

test('reads times and addresses of MCPProxy and Magg', () => {
  expect(read({ init_timeout: '2m' }).server).toMatchObject({ initTimeoutMs: 120_000 });
  expect(read({ command: undefined, uri: ' https://h/mcp ', transport: { auth: 'tok' } }).server).toMatchObject({
    url: 'https://h/mcp',
    headers: { Authorization: 'Bearer tok' },
  });
  expect(read({ env_vars: { A: 'b' } }).server).toMatchObject({ env: { A: 'b' } });
});

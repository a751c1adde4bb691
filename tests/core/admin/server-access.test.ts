/** What a server can read, write, and reach, as data. */
import { expect, test } from 'vitest';
import { type ServerAccess, serverAccess } from '../../../src-main/core/admin/server-access.ts';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';

function accessOf(entry: object): ServerAccess {
  const { config } = parseConfig(JSON.stringify({ servers: { s: entry } }), '/home/u/.tooltray/config.json', {});
  const [server] = config?.servers ?? [];
  if (server === undefined) throw new Error('The entry cannot be used.');
  return serverAccess(server);
}

test('returns full access for a command without a sandbox', () => {
  expect(accessOf({ command: 'node' })).toEqual({
    read: 'everything',
    write: 'everything',
    reach: 'everything',
    sandbox: 'none',
  });
});

test('returns the places and hosts of a sandbox', () => {
  const box = { mode: 'sandbox', read: ['/data'], write: ['/out'], network: ['api.example.com'] };
  expect(accessOf({ command: 'node', isolation: box })).toEqual({
    read: ['/data', '/out'],
    write: ['/out'],
    reach: ['api.example.com'],
    sandbox: 'sandbox',
  });
  expect(accessOf({ command: 'node', isolation: { mode: 'auto', network: true } })).toEqual({
    read: 'arguments',
    write: 'arguments',
    reach: 'everything',
    sandbox: 'auto',
  });
  expect(accessOf({ command: 'node', isolation: { mode: 'sandbox', write: [] } })).toEqual({
    read: 'nothing',
    write: 'nothing',
    reach: 'nothing',
    sandbox: 'sandbox',
  });
});

test('returns no sandbox for servers whose process Tooltray does not start', () => {
  expect(accessOf({ url: 'https://mcp.example.com/mcp' })).toEqual({
    read: 'nothing',
    write: 'nothing',
    reach: 'unknown',
    sandbox: undefined,
  });
  expect(accessOf({ url: 'http://127.0.0.1:9/mcp' }).read).toBe('unknown');
  expect(accessOf({ command: 'docker', args: ['run', '-i', '--rm', 'ghcr.io/a/b'] }).sandbox).toBeUndefined();
});

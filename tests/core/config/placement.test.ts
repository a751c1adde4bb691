/** Where a team runs a server: according to its entry, or by default. */
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { ServerConfig } from '../../../src-main/core/config/server-config.ts';
import { placementOf } from '../../../src-main/core/config/placement.ts';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';
import { entryConsequences } from '../../../src-main/core/trust/inbox/entry-consequences.ts';
import { resolveSecrets, secretVaultKey } from '../../../src-main/core/secrets/resolve-secrets.ts';

function read(entry: object) {
  const { config, problems } = parseConfig(JSON.stringify({ servers: { a: entry } }), resolve('/config.json'), {});
  return { server: config?.servers[0] as ServerConfig, problems };
}

test.each([
  [{ url: 'https://tools.example' }, 'remote'],
  [{ command: 'notes' }, 'shared'],
  [{ command: 'notes', env: { KEY: '${secret:ORGANISATION}' } }, 'shared'],
  [{ command: 'notes', env: { KEY: '${user:KEY}' } }, 'per-user'],
  [{ command: 'notes', args: ['--token=${user:KEY:-none}'] }, 'per-user'],
  [{ command: 'notes', placement: 'per-user' }, 'per-user'],
  [{ command: 'notes', placement: 'shared' }, 'shared'],
  [{ builtin: 'utils' }, 'shared'],
])('places %j as %s', (entry, placement) => {
  const { server, problems } = read(entry);
  expect([placementOf(server).placement, problems]).toEqual([placement, []]);
});

test.each([
  [{ command: 'notes', placement: 'remote' }, 'Only a server with a URL is remote.'],
  [{ builtin: 'utils', placement: 'per-user' }, 'Built-in servers have no process.'],
  [{ command: 'notes', args: ['${user:KEY}'], placement: 'shared' }, 'cannot share it'],
  [{ command: 'notes', placement: 'mine' }, 'must be one of "remote", "shared", "per-user"'],
])('rejects %j with the reason', (entry, reason) => {
  const { server, problems } = read(entry);
  expect(server).toBeUndefined();
  expect(problems).toMatchObject([{ severity: 'error', path: 'servers.a.placement' }]);
  expect(problems[0]?.reason).toContain(reason);
});

test.each([
  [{}, true, 'because its entry has no shared key'],
  [{ headers: { Authorization: 'Bearer a' } }, false, 'with the key in its header Authorization'],
  [{ headers: { 'X-Key': '${secret:KEY}' } }, false, 'with the key in its header X-Key'],
  [{ headers: { 'X-Team': 'red' } }, true, 'because its entry has no shared key'],
  [{ headers: { 'X-Key': '${user:KEY}' } }, true, 'because it gets their own KEY'],
  [{ placement: 'shared' }, false, 'with one connection for all users, as configured'],
  [
    { headers: { 'X-Key': '${secret:KEY}' }, placement: 'per-user' },
    true,
    'their own connection and sign-in, as configured',
  ],
])('returns who shares the connection to an address: %j', (more, isEachOnes, why) => {
  const { server, problems } = read({ url: 'https://tools.example', ...more });
  expect([placementOf(server), problems]).toEqual([
    { placement: 'remote', isEachOnes, reason: expect.stringContaining(why) as string },
    [],
  ]);
});

test('reads a user value per user in a team, and from the vault for a single user', async () => {
  const { server } = read({ command: 'notes', args: ['${user:KEY}'], env: { ALL: '${secret:KEY}' } });
  const vault = (name: string): Promise<string> => Promise.resolve(`vault ${name}`);
  const one = await resolveSecrets(server, vault);
  const team = await resolveSecrets(server, vault, { readUsers: (name) => Promise.resolve(`Ann’s ${name}`) });
  expect([one, team]).toMatchObject([
    { args: [`vault ${secretVaultKey('KEY')}`], env: { ALL: `vault ${secretVaultKey('KEY')}` } },
    { args: ['Ann’s KEY'], env: { ALL: `vault ${secretVaultKey('KEY')}` } },
  ]);
});

test('warns when a personal server becomes a shared one', () => {
  const personal = { command: 'notes', placement: 'per-user' };
  expect(entryConsequences(personal, { command: 'notes' })).toContainEqual({
    text: 'All users then share one process instead of having one each.',
    isGrave: true,
  });
  expect(entryConsequences(personal, { ...personal, lazy: true })).toEqual([]);
});

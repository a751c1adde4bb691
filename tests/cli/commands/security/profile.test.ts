/** `tooltray profile`: lists and shows profiles, creates and revokes tokens, with and without a running core. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CliHome, entries } from '../../cli-home.ts';
import { allCases } from '../../../support/all-cases.ts';

const home = new CliHome();
home.writeConfig({
  servers: { echo: entries.echo },
  profiles: { work: { servers: ['echo'], except: ['echo:echo'], readOnly: true }, open: {} },
  appProfiles: { cursor: 'work' },
});
afterAll(() => home[Symbol.asyncDispose]());

const lines = async (...args: string[]) => (await home.run('profile', ...args)).stdout.split('\n');

test.runIf(allCases)('lists and shows profiles with servers, rules and the apps bound to them', async () => {
  expect((await lines()).map((line) => line.trimEnd().split(/ {2,}/))).toEqual([
    ['PROFILE', 'SERVERS', 'RULES', 'APPS'],
    ['work', 'echo', 'not echo:echo; only read-only tools', 'Cursor'],
    ['open', 'all', 'none'],
    [''],
  ]);
  expect((await lines('show', 'work')).join('\n')).toContain('Apps     Cursor (cursor)');
  expect((await home.json('profile', 'show', 'work')).data).toMatchObject({
    name: 'work',
    servers: ['echo'],
    readOnly: true,
    apps: [{ app: 'cursor', appName: 'Cursor' }],
    tokens: [],
  });
  const { code, stderr } = await home.run('profile', 'show', 'nobody');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('No profile named "nobody". Servers: work, open.') as string,
  });
});

test('shows a token once, lists it until it expires, accepts it in the running core, and revokes it', async () => {
  const { http } = (await home.serve()) as { http: string };
  const { data } = await home.json('profile', 'token', 'create', 'work', '--expires', '12h');
  const { id, token, url, since, expiresAt } = data as {
    id: string;
    token: string;
    url: string;
    since: number;
    expiresAt: number;
  };
  expect(url).toBe(`${http}/p/work`);
  expect(Math.round((expiresAt - since) / 60_000)).toBe(12 * 60);
  const knock = async (): Promise<number> => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  expect(await knock()).toBe(200);
  expect((await lines('token', 'list')).slice(0, 2).map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
    ['ID', 'PROFILE', 'STATUS'],
    [id, 'work', 'active'],
  ]);
  expect((await home.json('profile', 'token', 'list')).stdout).not.toContain(token);
  expect((await lines('token', 'revoke', id))[0]).toBe(
    `Token ${id} of the profile work was revoked, and its sessions were closed.`,
  );
  expect(await knock()).toBe(401);
  expect((await lines('token', 'revoke', id))[0]).toBe(
    `Token ${id} of the profile work was already revoked or expired.`,
  );
  expect((await lines('token', 'list'))[1]).toContain('revoked');
});

test.runIf(allCases)('a token expires after 30 days by default, and an expiry beyond a year is rejected', async () => {
  const { data } = await home.json('profile', 'token', 'create', 'open');
  expect(Math.round((Number(data['expiresAt']) - Number(data['since'])) / 86_400_000)).toBe(30);
  const said = await Promise.all([
    home.run('profile', 'token', 'create', 'open', '--expires', 'soon'),
    home.run('profile', 'token', 'create', 'open', '--expires', '100w'),
    home.run('profile', 'token', 'create', 'nobody'),
    home.run('profile', 'token'),
  ]);
  expect(said.map(({ code, stderr }) => [code, stderr.split('\n')[0]])).toEqual([
    [2, expect.stringContaining('--expires must be a duration (30d, 12h) or a date')],
    [2, expect.stringContaining('A token must expire in the future, within one year.')],
    [1, expect.stringContaining('No profile named "nobody".')],
    [2, expect.stringContaining('Missing argument')],
  ]);
});

test.runIf(allCases)(
  'without a core, creates and revokes a token without starting a server, and audits both',
  async () => {
    await using alone = new CliHome();
    const mark = join(alone.path, 'started');
    const touch = {
      command: process.execPath,
      args: ['-e', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`],
    };
    alone.writeConfig({ servers: { touch }, profiles: { open: {} } });
    const { data } = await alone.json('profile', 'token', 'create', 'open');
    expect((await alone.run('profile')).stdout).toContain('open');
    await alone.run('profile', 'token', 'revoke', String(data['id']));
    expect(existsSync(mark)).toBe(false);
    const { entries: kept } = (await alone.json('audit', '--kind', 'access')).data as {
      entries: { summary: string }[];
    };
    expect(kept.map(({ summary }) => summary)).toEqual([
      expect.stringContaining(`Token ${String(data['id'])} of the profile open was revoked.`),
      expect.stringContaining(`Token ${String(data['id'])} of the profile open was given.`),
    ]);
  },
);

/** `tooltray team user`, `token` and `team serve`, on a real database. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { allCases } from '../../support/all-cases.ts';
import { testKeys } from '../../support/start-replica.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { CliHome, entries } from '../cli-home.ts';

const home = new CliHome();
home.writeConfig({ servers: { echo: entries.echo } });
afterAll(() => home[Symbol.asyncDispose]());

test('adds a user, creates a token that works, and removes the user', async () => {
  const database = await teamDatabase();
  vi.stubEnv('TOOLTRAY_TEAM_KEYS', testKeys.TOOLTRAY_TEAM_KEYS);
  onTestFinished(() => void vi.unstubAllEnvs());
  const at = ['--database', database];
  const added = await home.json('team', 'user', 'add', 'ana', '--role', 'admin', '--group', 'guests', ...at);
  expect(added.data).toMatchObject({
    name: 'ana',
    role: 'admin',
    groups: ['guests'],
    isSuspended: false,
    isService: false,
  });
  const { data } = await home.json(
    'team',
    'token',
    'create',
    'ana',
    '--label',
    'cursor',
    '--read-only',
    '--expires',
    '12h',
    ...at,
  );
  const { token, id } = data as { token: string; id: string };
  expect(token).toMatch(/^tt_\d+_[\w-]{43}$/);
  const { http } = await home.serveTeam('--listen', '127.0.0.1:0', ...at);
  const knock = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: '*/*' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    return (await fetch(String(http), { method: 'POST', headers, body })).status;
  };
  expect(await knock()).toBe(200);
  expect((await home.run('team', 'user', 'suspend', 'ana', ...at)).code).toBe(0);
  await expect.poll(knock).toBe(401);
  const listed = await home.run('team', 'token', 'list', ...at);
  expect(
    listed.stdout
      .split('\n')
      .slice(0, 2)
      .map((line) => line.split(/ {2,}/).slice(0, 5)),
  ).toEqual([
    ['ID', 'USER', 'NAME', 'STATUS', 'SCOPE'],
    [id, 'ana', 'cursor', 'active', 'read-only'],
  ]);
  expect((await home.run('team', 'token', 'revoke', id, ...at)).stdout).toContain('Revoked token');
  expect(await home.run('team', 'token', 'create', 'nobody', ...at)).toMatchObject({ code: 1 });
});

test.runIf(allCases)(
  'keeps team secrets separate for the organization and each user, and seals them again',
  async () => {
    const at = ['--database', await teamDatabase()];
    vi.stubEnv('TOOLTRAY_TEAM_KEYS', testKeys.TOOLTRAY_TEAM_KEYS);
    onTestFinished(() => void vi.unstubAllEnvs());
    await home.run('team', 'user', 'add', 'ana', ...at);
    const set = (value: string, ...words: string[]) =>
      home.runWith({ input: value }, 'team', 'secret', 'set', ...words, ...at);
    expect(await set('all of us', 'KEY')).toMatchObject({ code: 0, stdout: 'Set KEY for the organization.\n' });
    expect(await set('mine', 'OWN', '--user', 'ana')).toMatchObject({ code: 0, stdout: 'Set OWN for ana.\n' });
    const named = async (...words: string[]): Promise<unknown> =>
      ((await home.json('team', 'secret', ...words, ...at)).data as { secrets: { name: string }[] }).secrets.map(
        ({ name }) => name,
      );
    expect([await named(), await named('list', '--user', 'ana')]).toEqual([['KEY'], ['OWN']]);
    expect((await home.json('team', 'secret', 'rotate', ...at)).data).toEqual({ rows: 2 });
    expect((await home.run('team', 'secret', 'rm', 'OWN', '--user', 'ana', ...at)).stdout).toBe(
      'Deleted OWN of ana.\n',
    );
    for (const [words, code, said] of [
      [['OWN', '--user', 'anna'], 1, 'anna'],
      [['a b'], 2, 'is not a valid secret name.'],
    ] as const)
      expect(await set('x', ...words)).toMatchObject({ code, stderr: expect.stringContaining(said) as string });
  },
);

test.runIf(allCases)(
  'lists a user’s sign-ins, creates a link, and erases all that is sealed for the user on removal',
  async () => {
    const at = ['--database', await teamDatabase()];
    vi.stubEnv('TOOLTRAY_TEAM_KEYS', testKeys.TOOLTRAY_TEAM_KEYS);
    onTestFinished(() => void vi.unstubAllEnvs());
    await home.run('team', 'user', 'add', 'ana', ...at);
    await home.runWith({ input: 'mine' }, 'team', 'secret', 'set', 'OWN', '--user', 'ana', ...at);
    expect((await home.json('team', 'login', '--user', 'ana', ...at)).data).toEqual({ user: 'ana', signIns: [] });
    const link = await home.run(
      ...['team', 'login', 'link', 'far', '--user', 'ana', '--public-url', 'https://tools.example.com', ...at],
    );
    expect(link.stdout).toMatch(/^https:\/\/tools\.example\.com\/sign-in\/[\w-]+\n$/);
    expect((await home.run('team', 'login', 'out', '--user', 'ana', ...at)).stdout).toBe(
      'ana is not signed in anywhere.\n',
    );
    expect((await home.json('team', 'user', 'delete', 'ana', ...at)).data).toMatchObject({
      isSuspended: true,
      signedOut: 0,
    });
    expect((await home.json('team', 'secret', 'list', '--user', 'ana', ...at)).data).toMatchObject({ secrets: [] });
    expect(await home.run('team', 'login', ...at)).toMatchObject({ code: 2 });
  },
);

test('rejects flags that need --issuer without it', async () => {
  const alone = await home.run('team', 'serve', '--client-id', 'tooltray', '--database', 'postgres://127.0.0.1:9/x');
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('--client-id requires --issuer')]);
});

test('team-config check reports each fault with its position and sets the exit code', async () => {
  const folder = join(home.path, 'team-config');
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write('organization.jsonc', '{ "servers": {}, "mode": "meta" }');
  write('users/ana.jsonc', '{ "mode": "search", "hiddenTools": ["x"] }');
  expect(await home.run('team', 'config', 'check', folder)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^valid, version \w{16}: 0 servers, 0 groups, 1 user; 0 errors, 0 warnings\.\n$/,
    ) as string,
  });
  expect((await home.json('team', 'config', 'show', folder, '--user', 'ana')).data).toMatchObject({
    settings: { mode: 'search' },
    profiles: [{ except: ['x'] }],
  });
  write('users/ana.jsonc', '{ "trustEdits": true }');
  const { code, stdout } = await home.run('team', 'config', 'check', folder);
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      /users\/ana\.jsonc:1:3 error: trustEdits: "trustEdits" can only be set by the organization\./,
    ),
  ]);
});

test('team-config show applies a user’s groups of the database, and all quotas that count them', async () => {
  const folder = join(home.path, 'shown-config');
  mkdirSync(join(folder, 'groups'), { recursive: true });
  const quotas = { calls: { groupBy: ['user'], calls: 2000, window: 'day' } };
  writeFileSync(join(folder, 'organization.jsonc'), JSON.stringify({ servers: {}, mode: 'meta', quotas }));
  const sales = { mode: 'search', quotas: { slow: { groupBy: ['app'], maxConcurrent: 4 } } };
  writeFileSync(join(folder, 'groups/sales.jsonc'), JSON.stringify(sales));
  const at = ['--database', await teamDatabase()];
  vi.stubEnv('TOOLTRAY_TEAM_KEYS', testKeys.TOOLTRAY_TEAM_KEYS);
  onTestFinished(() => void vi.unstubAllEnvs());
  await home.json('team', 'user', 'add', 'ben', '--group', 'sales', ...at);
  const show = (...words: string[]): ReturnType<typeof home.run> =>
    home.run('team', 'config', 'show', folder, ...words);
  const { stdout } = await show('--user', 'ben', ...at);
  expect(stdout.split('\n').filter((line) => /^(Groups|mode|Quota)/.test(line))).toEqual([
    'Groups: sales',
    'mode: "search"',
    'Quota calls: {"groupBy":["user"],"calls":2000,"window":"day"}',
    'Quota slow: {"groupBy":["app"],"maxConcurrent":4}',
  ]);
  // Explicit values take precedence over stored ones.
  expect((await show('--user', 'ben', '--group', 'other', ...at)).stdout).toContain('Groups: other\nmode: "meta"');
  expect((await show('--user', 'ben')).stdout).toContain('Groups: none\nmode: "meta"');
  expect((await show('--user', 'nobody', ...at)).code).not.toBe(0);
});

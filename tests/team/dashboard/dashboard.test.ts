/** A team's dashboard at two replicas: sign-in, permissions, and isolation between users. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RpcMethod, StepQuery, TimelineSession } from '../../../src-main/rpc/contract.ts';
import { ActivityRows } from '../../../src-main/team/activity/activity-rows.ts';
import { methodPermissions } from '../../../src-main/team/dashboard/method-permissions.ts';
import { callBy } from '../../support/callers.ts';
import { fixture, type TestConfig } from '../../support/start-core.ts';
import { startReplica, type TestReplica } from '../../support/start-replica.ts';
import { TeamCallers, TeamPeople } from '../../support/team-callers.ts';
import { teamObjectsAddress } from '../../support/team-objects.ts';
import { openTeamDatabase } from '../../support/team-database.ts';
import { testIssuer } from '../../support/test-issuer.ts';
import { enter, json, Page, send } from './page.ts';

const methods = Object.keys(methodPermissions) as RpcMethod[];
let database: string;
let one: TestReplica;
let two: TestReplica;
let team: TeamPeople;
let callers: TeamCallers;
let admin: Page;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const { url, drop } = await openTeamDatabase();
  ends.push(drop);
  database = url;
  const config = {
    servers: { echo: fixture('echo'), big: fixture('compat-results') },
    mode: 'direct',
    results: { threshold: 5000 },
    profiles: { narrow: { servers: ['echo'] } },
  };
  const counter = join(import.meta.dirname, '../placement/counter-server.ts');
  const own = { command: process.execPath, args: [counter], placement: 'per-user', isolation: 'none' };
  // It exists on one replica, and is missing on the other.
  const missing = { command: 'no-such-program-anywhere' };
  const at = (half: object): TestConfig => ({ ...config, servers: { ...config.servers, own, half } });
  const objects = await teamObjectsAddress();
  [one, two] = [
    await startReplica(url, at(fixture('echo')), { name: 'one', objects }),
    await startReplica(url, at(missing), { name: 'two', objects }),
  ];
  team = new TeamPeople(one);
  // ana and ben, members.
  callers = await TeamCallers.of(one);
  await team.people.add({ name: 'root', role: 'admin' });
  admin = await Page.open(one, await team.give('root'));
});
afterAll(async () => {
  await Promise.all([one[Symbol.asyncDispose](), two[Symbol.asyncDispose]()]);
  for (const end of ends) await end();
});

async function member(name: string, at = one): Promise<Page> {
  return Page.open(at, await team.give(name));
}

describe('signing in', () => {
  test('responds with 401 and the way to sign in', async () => {
    const { status, headers, body } = await send(one, 'POST', '/rpc/users', json, '{}');
    expect([status, headers['tooltray-sign-in'], body]).toEqual([401, 'token', expect.stringContaining('Sign in')]);
    expect((await send(one, 'GET', '/rpc/events')).status).toBe(401);
  });

  test('a token signs in on every replica, until the user signs out on one of them', async () => {
    const page = await member('ana');
    const there = page.at(two).watch();
    await expect.poll(() => there.state.team).toEqual({ user: 'ana', role: 'member' });
    expect((await page.signOut()).status).toBe(200);
    await expect.poll(() => there.isOver).toBe(true);
    expect(await page.at(two).refused('accessTokens')).toEqual([401, 'unauthorized']);
    const { entries } = await admin.ask('auditEntries', { kinds: ['access'], limit: 20 });
    const told = entries.map((row) => row.summary);
    expect(told).toContain('ana signed in to the dashboard with a token.');
    expect(told).toContain('ana signed out of the dashboard.');
    const anas = await admin.ask('auditEntries', { kinds: ['access'], user: 'ana', limit: 20 });
    expect(anas.entries.map((row) => [row.summary, row.userName])).toContainEqual([
      'ana signed in to the dashboard with a token.',
      'ana',
    ]);
  });

  test('ends the session at once when the token is revoked or the user is disabled', async () => {
    const { id, token } = await team.tokens.create({ user: 'ben', label: '', expiresAt: Date.now() + 3_600_000 });
    const [by, other] = [await Page.open(two, token), await member('ben')];
    const [seen, alsoSeen] = [by.watch(), other.watch()];
    await expect.poll(() => [seen.state.team?.user, alsoSeen.state.team?.user]).toEqual(['ben', 'ben']);
    await admin.ask('revokeAccessToken', { id });
    await expect.poll(() => seen.isOver).toBe(true);
    expect([await by.refused('accessTokens'), alsoSeen.isOver]).toEqual([[401, 'unauthorized'], false]);
    await admin.ask('setUserSuspended', { name: 'ben', isSuspended: true });
    await expect.poll(() => alsoSeen.isOver).toBe(true);
    expect(await other.at(two).refused('accessTokens')).toEqual([401, 'unauthorized']);
    await admin.ask('setUserSuspended', { name: 'ben', isSuspended: false });
    expect((await other.refused('accessTokens'))[0]).toBe(200);
    expect(await admin.refused('setUserSuspended', { name: 'root', isSuspended: true })).toEqual([403, 'not_allowed']);
  });

  test('rejects service accounts and restricted tokens, which could create unrestricted ones here', async () => {
    await team.people.add({ name: 'robot', isService: true });
    const bounded = [
      await team.give('ana', { profile: 'narrow' }),
      await team.give('ana', { readOnly: true }),
      await team.give('robot'),
    ];
    for (const token of bounded) expect((await enter(one, token)).status).toBe(403);
    expect((await enter(one, 'tt_0_guess')).status).toBe(401);
  });

  test('rejects sign-in and requests from other sites', async () => {
    const page = await member('ana');
    const token = await team.give('ana');
    const strange = [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }];
    // An unknown origin is rejected by the HTTP server, another port of an allowed name here.
    for (const headers of [...strange, { origin: 'http://evil.example' }, { origin: 'http://127.0.0.1:1' }]) {
      expect((await page.send('POST', '/rpc/accessTokens', headers, '{}')).status).toBe(403);
      expect((await enter(one, token, headers)).status).toBe(403);
    }
    const form = { 'content-type': 'text/plain' };
    expect((await page.send('POST', '/rpc/accessTokens', form, '{}')).status).toBe(400);
    expect((await page.send('POST', '/session/end', form, '{}')).status).toBe(400);
    const { headers } = await enter(one, token);
    expect(String(headers['set-cookie'])).toMatch(
      /^tooltray=\d+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
  });

  test('an app’s token from the issuer opens /mcp, but not the dashboard', async () => {
    const publicUrl = 'https://tools.example.org';
    const idp = await testIssuer(`${publicUrl}/mcp`);
    const issuer = { issuer: idp.issuer, audiences: [], groupsClaim: 'groups', adminGroup: undefined };
    await using at = await startReplica(
      database,
      { servers: {} },
      { publicUrl, issuer: { ...issuer, takesNew: true, needsType: false } },
    );
    const token = await idp.sign({ sub: 'zoe', preferred_username: 'zoe' });
    const host = { host: 'tools.example.org' };
    const asks = { ...json, ...host, accept: 'application/json, text/event-stream', authorization: `Bearer ${token}` };
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const begin = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello });
    expect((await send(at, 'POST', '/mcp', asks, begin)).status).toBe(200);
    expect((await enter(at, token, host)).body).toContain('cannot open the dashboard');
  });

  test('over HTTPS the cookie has the __Host- prefix and is Secure', async () => {
    const secure = await startReplica(database, { servers: {} }, { publicUrl: 'https://tools.example.org' });
    try {
      const host = { host: 'tools.example.org', origin: 'https://tools.example.org' };
      const { headers } = await enter(secure, await team.give('ana'), host);
      expect(String(headers['set-cookie'])).toMatch(/^__Host-tooltray=\d+\.[\w-]{43}; Path=\/; .*; Secure$/);
    } finally {
      await secure[Symbol.asyncDispose]();
    }
  });
});

describe('permissions', () => {
  test('applies the listed permission to every method of the contract', async () => {
    const page = await member('ana');
    // Requests that admins may make are tested separately, because here they would be executed.
    for (const method of methods) {
      const allowed = methodPermissions[method];
      const expected = typeof allowed === 'object' ? 'unsupported' : allowed === 'admins' ? 'not_allowed' : undefined;
      const [status, code] = await page.refused(method);
      if (expected === undefined)
        expect([method, status === 403, code === 'unsupported']).toEqual([method, false, false]);
      else expect([method, code]).toEqual([method, expected]);
      if (typeof allowed === 'object')
        expect([method, (await admin.refused(method))[1]]).toEqual([method, 'unsupported']);
    }
    expect(await admin.refused('toString')).toEqual([404, 'not_found']);
  });
});

/** Every request that a member may make, as made by somebody who looks for another user's data. */
function lookingFor(id: number, step: number, spill: string, token: string): [RpcMethod, object][] {
  return [
    ['activity', {}],
    ['activity', { text: 'echo', limit: 1000 }],
    // By name: the response does not reveal whether the user exists.
    ['activity', { user: 'ana' }],
    ['callDetail', { id }],
    ['steps', {}],
    ['steps', { user: 'ana' }],
    ['steps', { text: 'big', spilled: true }],
    ['step', { id: step }],
    ['stepPayload', { id: step, side: 'modelResult', from: 0 }],
    ['timelineSessions', {}],
    ['timelineSessions', { user: 'ana' }],
    ['callPayload', { id, side: 'serverResult', from: 0 }],
    ...(['session', 'app', 'server', 'tool', 'hour', 'day', 'cause', 'mode'] as const).map(
      (by): [RpcMethod, object] => ['savings', { by }],
    ),
    ...(['today', 'all'] as const).map((period): [RpcMethod, object] => ['charts', { period }]),
    ['spills', {}],
    ['spill', { id: spill }],
    ['spillLines', { id: spill, fromLine: 1, count: 10 }],
    ['spillFind', { id: spill, pattern: '.' }],
    ['spillQuery', { id: spill, query: '[0]' }],
    ['spillSql', { id: spill, query: 'SELECT 1' }],
    ['spillUse', { id: spill }],
    ['pinSpill', { id: spill, pinned: true }],
    ['deleteSpill', { id: spill, now: true }],
    ['find', { text: 'big' }],
    ['accessTokens', {}],
    ['accessTokens', { everybody: true }],
    ['revokeAccessToken', { id: token }],
  ];
}

test('shows a member only their own data in methods and state, and an admin all of it', async () => {
  await team.people.add({ name: 'cleo' });
  const [ana, ben] = [await callers.open('ana, 2025-11-25'), await callers.at(two).open('ben, 2025-11-25')];
  await callBy(ana, 'echo_echo', { text: 'of ana' });
  expect(JSON.stringify(await callBy(ana, 'big_big'))).toContain('tooltray://spill/');
  await callBy(ben, 'echo_echo', { text: 'of ben' });
  await saved('ana', 700);
  await saved('ben', 50);
  const whole = admin.at(two).watch();
  const page = await member('ana');
  const own = async (): Promise<unknown[]> =>
    (await page.at(two).ask('activity', {})).calls.map(({ server, user }) => [server, user]);
  await expect.poll(own).toEqual([
    ['big', undefined],
    ['echo', undefined],
  ]);
  const all = async (): Promise<unknown[]> =>
    (await admin.ask('activity', {})).calls.map(({ server, user }) => [user, server]).toSorted();
  await expect.poll(all).toEqual([
    ['ana', 'big'],
    ['ana', 'echo'],
    ['ben', 'echo'],
  ]);
  await expect
    .poll(() => whole.state.activity?.recent.map(({ user }) => user).toSorted())
    .toEqual(['ana', 'ana', 'ben']);

  // Owners of calls: an admin can select a user, in the activity and in the audit log; others see only their own.
  const ofBen = await admin.ask('activity', { user: 'ben' });
  expect([ofBen.total, ofBen.calls.map(({ user }) => user)]).toEqual([1, ['ben']]);
  expect((await page.ask('activity', { user: 'ben' })).total).toBe(0);
  expect((await page.ask('activity', { user: 'ana' })).total).toBe(2);
  const audited = async (asked: { user?: string }): Promise<unknown[]> =>
    (await admin.ask('auditEntries', { kinds: ['call'], ...asked })).entries.map(({ userName }) => userName).toSorted();
  await expect.poll(() => audited({})).toEqual(['ana', 'ana', 'ben']);
  await expect.poll(() => audited({ user: 'ben' })).toEqual(['ben']);
  expect((await admin.refused('auditEntries', { user: 'nobody' }))[1]).toBe('not_found');

  // The same for steps, from both replicas: a session, its steps, and their calls.
  const wholeSessions = async (asked: { user?: string }): Promise<unknown[]> =>
    (await admin.ask('timelineSessions', asked)).sessions.map(({ user }) => user).toSorted();
  await expect.poll(() => wholeSessions({})).toEqual(expect.arrayContaining(['ana', 'ben']));
  expect(await wholeSessions({ user: 'ben' })).toEqual(['ben']);
  const steps = async (of: Page, asked: StepQuery): Promise<unknown[]> =>
    (await of.ask('steps', asked)).steps.map(({ user, calls }) => [user, calls.map(({ server }) => server)]);
  await expect.poll(() => steps(admin, { server: 'echo' })).toHaveLength(2);
  expect((await steps(admin, { server: 'echo' })).toSorted()).toEqual([
    ['ana', ['echo']],
    ['ben', ['echo']],
  ]);
  expect(await steps(admin, { server: 'echo', user: 'ben' })).toEqual([['ben', ['echo']]]);
  await expect.poll(() => steps(page.at(two), { spilled: true })).toEqual([[undefined, ['big']]]);
  expect(await steps(page, { text: 'ECHO echo', problems: true })).toEqual([]);
  // The handshake and two calls; a step's size may be counted later than the next one's.
  const sessions = async (): Promise<readonly TimelineSession[]> =>
    (await page.at(two).ask('timelineSessions', {})).sessions;
  await expect.poll(async () => (await sessions()).map(({ steps: count }) => count)).toEqual([3]);
  const [session] = await sessions();
  const lived = await page.at(two).ask('steps', { sessionId: session?.id ?? '', limit: 2 });
  expect([lived.all, lived.sums.steps, lived.more]).toEqual([session?.steps, session?.steps, true]);
  const older = await page.ask('steps', { sessionId: session?.id ?? '', beforeId: lived.steps.at(-1)?.id ?? 0 });
  expect([...lived.steps, ...older.steps].map(({ kind }) => kind)).toContain('handshake');
  expect(lived.steps.length + older.steps.length).toBe(lived.all);
  const [step] = (await page.ask('steps', { spilled: true })).steps;
  if (step === undefined) throw new Error('ana has one that was kept');
  expect((await admin.ask('step', { id: step.id })).calls.map(({ tool, user }) => [tool, user])).toEqual([
    ['big', 'ana'],
  ]);

  const [call] = (await page.ask('activity', {})).calls;
  const [spill] = (await page.ask('spills', {})).spills;
  const [token] = (await page.ask('accessTokens', {})).tokens;
  if (call === undefined || spill === undefined || token === undefined) throw new Error('ana has something of each');
  const detail = await page.at(two).ask('callDetail', { id: call.id });
  expect([detail.spillId, detail.payloads.serverResult]).toEqual([spill.id, { none: 'spilled' }]);

  const stranger = await member('cleo', two);
  const seen = stranger.watch();
  await expect.poll(() => seen.state.team?.user).toBe('cleo');
  expect(seen.state).toMatchObject({
    sessions: [],
    inbox: [],
    attention: [],
    access: [],
    activity: { lastId: 0, recent: [], costliest: [] },
    core: { configFile: '', logDir: '' },
    spills: { count: 0, bytes: 0 },
  });
  const secrets = ['ana', 'ben', 'root', spill.id, token.id, callers.tokens.get('ana') ?? '-', one.folder, two.folder];
  const told = async (method: RpcMethod, input: object): Promise<string> =>
    (await stranger.send('POST', `/rpc/${method}`, {}, JSON.stringify(input))).body
      // A requested ID may be repeated.
      .replaceAll(spill.id, '')
      .replaceAll(token.id, '');
  const answers: string[] = [JSON.stringify(seen.state)];
  for (const [method, input] of lookingFor(call.id, step.id, spill.id, token.id))
    answers.push(await told(method, input));
  for (const answer of answers) for (const secret of secrets) expect(hasWord(answer, secret)).toBe(false);
  const refused = lookingFor(call.id, step.id, spill.id, token.id).filter(([, input]) => 'id' in input);
  for (const [method, input] of refused)
    expect([method, (await stranger.refused(method, input))[1]]).toEqual([method, 'not_found']);
  expect((await stranger.send('GET', `/rpc/spill/${spill.id}`)).status).toBe(404);
  expect((await stranger.ask('charts', { period: 'today' })).servers).toEqual([]);
  // It still exists, and only for its owner: an admin sees the call, but not its result.
  expect((await page.ask('spillLines', { id: spill.id, fromLine: 1, count: 1 })).totalLines).toBeGreaterThan(0);
  expect(await admin.refused('spill', { id: spill.id })).toEqual([404, 'not_found']);
  expect((await admin.ask('callDetail', { id: call.id })).user).toBe('ana');
  // In addition to those of the calls above, which may arrive later.
  const raw = async (of: Page): Promise<unknown[]> =>
    (await of.ask('savings', { by: 'session' })).rows
      .flatMap(({ key, raw: tokens }) => (['ana', 'ben'].includes(key) ? [[key, tokens]] : []))
      .toSorted();
  expect(await raw(page)).toEqual([['ana', 700]]);
  expect(await raw(stranger)).toEqual([]);
  expect(await raw(admin)).toEqual([
    ['ana', 700],
    ['ben', 50],
  ]);
});

/** As sent by a replica every ten seconds. */
async function saved(name: string, raw: number): Promise<void> {
  const { id: user } = await team.people.byName(name);
  const rows = new ActivityRows(one.replica.database.sql, 'test');
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const what = { hour, user, session: name, app: 'x', mode: 'direct', server: 'echo', tool: 'echo', cause: 'results' };
  const row = { ...what, times: 1, sent: 1, loaded: 1, baseline: 1, raw, estimated: 0 };
  await rows.put({ kind: 'ledgerHours', book: `test of ${name}`, rows: [row] });
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?<![\\w-])${word.replaceAll(/[^\w]/g, String.raw`\$&`)}(?![\\w-])`).test(text);
}

test('shows a server’s status over all replicas, and counts users’ private processes', async () => {
  // The first user starts a process, which lists the tools.
  for (const [at, who] of [
    [one, 'ana, 2026-07-28'],
    [two, 'ben, 2026-07-28'],
  ] as const)
    await callBy(await callers.at(at).open(who), 'own_count');
  for (const at of [one, two]) {
    const seen = admin.at(at).watch();
    const row = (name: string): unknown[] => {
      const { summary, level, detail } = seen.state.servers?.find((server) => server.name === name) ?? {};
      return [summary, level, detail];
    };
    await expect.poll(() => row('echo')[0]).toBe('Ready on 2 of 2 replicas');
    await expect
      .poll(() => row('half'))
      .toEqual(['Ready on 1 of 2 replicas', 'attention', expect.stringMatching(/^two: .*no-such-program/)]);
    await expect.poll(() => row('own').slice(0, 2)).toEqual(['Runs for 2 users', 'ok']);
    const waits = (): unknown => seen.state.attention?.find(({ server }) => server === 'half')?.sentence;
    await expect.poll(waits).toContain('half: Ready on 1 of 2 replicas. two: ');
  }

  const { replicas, placement } = await admin.ask('serverStatus', { server: 'half' });
  expect([placement, replicas.map(({ name, level, tools }) => [name, level, tools])]).toEqual([
    'shared',
    [
      ['one', 'ok', 1],
      ['two', 'error', 0],
    ],
  ]);
  const { runners } = await admin.ask('serverStatus', { server: 'own' });
  expect(runners.reduce((sum, { users }) => sum + users, 0)).toBe(2);

  // The other replica retries it as well, at an administrator's request here.
  const logAt = async (at: TestReplica): Promise<string> =>
    (await admin.at(at).ask('log', { server: 'half' })).lines.map(({ text }) => text).join('\n');
  await admin.ask('restart', { server: 'half' });
  await expect.poll(() => logAt(two)).toContain('Restarted by an administrator.');

  // A member sees their own, at the replica that serves them.
  const own = (await member('ana', one)).watch();
  const shown = (): unknown =>
    own.state.servers?.map(({ name, summary, detail }) => [name, summary, detail]).toSorted();
  await expect.poll(shown).toEqual([
    ['big', 'Ready on 2 of 2 replicas', ''],
    ['echo', 'Ready on 2 of 2 replicas', ''],
    ['half', 'Ready on 1 of 2 replicas', ''],
    ['own', 'Runs for you', ''],
  ]);

  // A stopped replica no longer counts.
  {
    await using three = await startReplica(database, { servers: { echo: fixture('echo') } }, { name: 'three' });
    const page = admin.at(three).watch();
    const echo = (): string | undefined => page.state.servers?.find(({ name }) => name === 'echo')?.summary;
    await expect.poll(echo).toBe('Ready on 3 of 3 replicas');
  }
  const again = admin.watch();
  const echo = (): string | undefined => again.state.servers?.find(({ name }) => name === 'echo')?.summary;
  await expect.poll(echo).toBe('Ready on 2 of 2 replicas');
});

test('shows a member only the servers that their groups grant', async () => {
  await team.people.add({ name: 'dora', groups: ['guests'] });
  await team.people.grant('guests', 'narrow');
  await team.people.ungrant('everyone');
  onTestFinished(() => team.people.grant('everyone', '*'));
  const page = await member('dora');
  const seen = page.watch();
  await expect.poll(() => seen.state.servers?.map(({ name, endpoint }) => [name, endpoint])).toEqual([['echo', '']]);
  expect((await page.ask('find', { text: 'big' })).tools).toEqual([]);
  expect((await page.ask('find', { text: 'echo' })).tools.map(({ server }) => server)).toContain('echo');
});

test('shows a user’s own token once, accepts it, and revokes it', async () => {
  const page = await member('ana');
  const { token, id, state } = await page.ask('createAccessToken', { label: 'editor', expiresAt: Date.now() + 60_000 });
  expect(state).toBe('active');
  expect((await enter(two, token)).status).toBe(200);
  const listed = await page.ask('accessTokens', {});
  expect(listed.tokens[0]).toMatchObject({ id, user: 'ana', label: 'editor' });
  expect(JSON.stringify(listed)).not.toContain(token);
  expect((await page.ask('revokeAccessToken', { id })).state).toBe('revoked');
  await expect.poll(async () => (await enter(two, token)).status).toBe(401);
});

/** Personal tokens: authentication, restrictions, and revocation on every replica at once. */
import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { FailedLoginLimiter } from '../../../src-main/team/users/failed-login-limiter.ts';
import { connect } from '../../../src-main/team/database/database.ts';
import { bearer } from '../../support/callers.ts';
import { HttpClient } from '../../support/http-client.ts';
import { ModernClient } from '../../support/modern-client.ts';
import { fixture, type TestConfig } from '../../support/start-core.ts';
import { startReplica, type TestReplica } from '../../support/start-replica.ts';
import { TeamPeople } from '../../support/team-callers.ts';
import { teamDatabase } from '../../support/team-database.ts';

const config: TestConfig = {
  servers: { echo: fixture('echo'), other: fixture('echo') },
  mode: 'direct',
  profiles: { narrow: { servers: ['echo'] } },
};

async function open(url: string): Promise<TestReplica> {
  const replica = await startReplica(url, config);
  onTestFinished(() => replica[Symbol.asyncDispose]());
  return replica;
}

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };

function knock({ url }: TestReplica, token: string | undefined, more: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && bearer(token)),
      ...more,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello }),
  });
}

async function told(on: TestReplica, token: string | undefined): Promise<unknown[]> {
  const response = await knock(on, token);
  const { error } = (await response.json()) as { error?: { message: string } };
  return [response.status, response.headers.get('www-authenticate'), error?.message];
}

async function toolsOf({ url }: TestReplica, token: string, path = ''): Promise<string[]> {
  const client = new HttpClient(url + path, false, bearer(token));
  await client.initialize();
  const modern = new ModernClient(new HttpClient(url + path, true, bearer(token)));
  const [first, second] = [(await client.exchange('tools/list')).message, await modern.once('tools/list')];
  const names = [first, second].map(({ result }) =>
    (result as { tools: { name: string }[] }).tools.map(({ name }) => name),
  );
  expect(names[0]).toEqual(names[1]);
  return names[0] ?? [];
}

test('rejects guessed, altered, expired and revoked tokens with the same text', async () => {
  const url = await teamDatabase();
  const one = await open(url);
  const own = new TeamPeople(one);
  await own.people.add({ name: 'ana' });
  const good = await own.give('ana');
  expect((await knock(one, good)).status).toBe(200);
  const revoked = await own.tokens.create({ user: 'ana', label: '', expiresAt: Date.now() + 3_600_000 });
  await own.tokens.revoke(revoked.id);
  const expired = await own.tokens.create({ user: 'ana', label: '', expiresAt: Date.now() + 3_600_000 });
  await one.replica.database.sql`
    UPDATE tooltray.user_tokens SET expires_at = now() WHERE id = ${expired.id}`;
  const altered = `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`;
  const bad = [
    ...[altered, good.replace(/^tt_\d+/, 'tt_1'), revoked.token, expired.token],
    ...['tt_0_', 'x', good.toUpperCase(), `${good}a`, one.replica.host.core.clients.token, 'a'.repeat(9000)],
  ];
  const words = [401, 'Bearer realm="tooltray", error="invalid_token"', expect.stringContaining('Invalid token')];
  for (const token of bad) expect([token, await told(one, token)]).toEqual([token, words]);
  expect(await told(one, undefined)).toEqual([
    401,
    'Bearer realm="tooltray"',
    expect.stringContaining('Authentication required'),
  ]);
});

test('throttles failed logins, and still accepts a known token', async () => {
  const one = await open(await teamDatabase());
  const { people, give } = withPeople(one);
  await people.add({ name: 'ana' });
  const token = await give('ana');
  expect((await knock(one, token)).status).toBe(200);
  const seen = new Set<number>();
  for (let at = 0; at < 31; at++) seen.add((await knock(one, `tt_0_${'x'.repeat(40)}${100 + at}`)).status);
  expect(seen).toEqual(new Set([401, 429]));
  const refused = await knock(one, 'tt_0_guess');
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect((await knock(one, token)).status).toBe(200);
});

function withPeople(on: TestReplica): { people: TeamPeople['people']; give: TeamPeople['give'] } {
  const all = new TeamPeople(on);
  return { people: all.people, give: (...asked) => all.give(...asked) };
}

test('counts failures by network, and forgets them after a minute', () => {
  let now = 0;
  const limit = new FailedLoginLimiter(() => now);
  for (let at = 0; at < 30; at++) limit.failed(`2001:db8::${at.toString(16)}`);
  limit.failed('1.2.3.4');
  const waits = () => ['2001:db8:0:0:ffff::1', '2001:db8:0:1::1', '1.2.3.4'].map((one) => limit.waitSeconds(one) > 0);
  expect(waits()).toEqual([true, false, false]);
  now = 60_000;
  expect(waits()).toEqual([false, false, false]);
});

test('limits what every endpoint shows by the token’s profile and the user’s groups', async () => {
  const one = await open(await teamDatabase());
  const { people, give } = withPeople(one);
  await people.ungrant('everyone');
  await people.grant('staff', '*');
  await people.grant('guests', 'narrow');
  await people.add({ name: 'ana', groups: ['staff'] });
  await people.add({ name: 'ben', groups: ['guests'] });
  const [all, narrow, bounded, lost] = [
    await give('ana'),
    await give('ana', { profile: 'narrow' }),
    await give('ben'),
    await give('ana', { profile: 'gone' }),
  ];
  const servers = (names: readonly string[]): unknown => [...new Set(names.map((name) => name.split('_')[0]))].sort();
  expect(servers(await toolsOf(one, all))).toEqual(['echo', 'other']);
  expect(servers(await toolsOf(one, all, '/p/narrow'))).toEqual(['echo']);
  for (const token of [narrow, bounded]) {
    expect(servers(await toolsOf(one, token))).toEqual(['echo']);
    expect(servers(await toolsOf(one, token, '/app/cursor'))).toEqual(['echo']);
    const client = new HttpClient(`${one.url}/server/other`, false, bearer(token));
    expect((await client.exchange('initialize', hello).catch(() => undefined))?.message.result).toBeUndefined();
  }
  expect(await toolsOf(one, lost)).toEqual([]);
  const reading = await toolsOf(one, await give('ana', { readOnly: true }));
  expect(reading.length).toBeLessThan((await toolsOf(one, all)).length);
});

test('revocation ends sessions and streams on every replica', async () => {
  const url = await teamDatabase();
  const both = [await open(url), await open(url)];
  const [first] = both as [TestReplica];
  const { people, tokens } = new TeamPeople(first);
  const give = (user: string) => tokens.create({ user, label: '', expiresAt: Date.now() + 3_600_000 });
  for (const name of ['ana', 'ben', 'cleo']) await people.add({ name });
  const [revoked, off, moved, stays] = [await give('ana'), await give('ben'), await give('cleo'), await give('ana')];
  const streams = await Promise.all(
    [revoked, off, moved, stays].flatMap(({ token }) =>
      both.map(async (on) => ({ token, ...(await listening(on, token)) })),
    ),
  );
  await tokens.revoke(revoked.id);
  await people.change('ben', { isSuspended: true });
  await people.grant('guests', 'narrow');
  await people.change('cleo', { groups: ['guests'] });
  const left = (): unknown => streams.filter(({ isOver }) => !isOver()).map(({ token }) => token);
  await expect.poll(left).toEqual([stays.token, stays.token]);
  const statuses = async (token: string): Promise<number[]> =>
    Promise.all(both.map(async (on) => (await knock(on, token)).status));
  for (const { token } of [revoked, off]) expect(await statuses(token)).toEqual([401, 401]);
  expect(await statuses(stays.token)).toEqual([200, 200]);
  // Sessions with other restrictions are not continued.
  expect(await statuses(moved.token)).toEqual([200, 200]);
  await people.change('ben', { isSuspended: false });
  await expect.poll(() => statuses(off.token)).toEqual([200, 200]);
});

/** Opens a session and its stream. */
async function listening(on: TestReplica, token: string): Promise<{ readonly isOver: () => boolean }> {
  const client = new HttpClient(on.url, false, bearer(token));
  await client.initialize();
  const opened = Promise.withResolvers<void>();
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  void client.listen(() => opened.resolve()).then(end, end);
  await opened.promise;
  return { isOver: () => isOver };
}

test('stores only a token’s hash, and when it was used', async () => {
  const url = await teamDatabase();
  const one = await open(url);
  const all = new TeamPeople(one);
  await all.people.add({ name: 'ana' });
  const token = await all.give('ana');
  await knock(one, token);
  const sql = connect({ url, most: 1 });
  onTestFinished(() => sql.end());
  const [row] = await sql<
    { hash: Buffer; text: string }[]
  >`SELECT hash, t::text AS text FROM tooltray.user_tokens t WHERE id <> 'test'`;
  expect(row?.hash).toEqual(createHash('sha256').update(token).digest());
  expect(row?.text).not.toContain(token.slice(-20));
  expect((await all.tokens.list('ana'))[0]?.lastUsedAt).toBeNull();
  await one.replica.stop();
  const [used] = await sql<{ used: boolean }[]>`
    SELECT last_used_at IS NOT NULL AS used FROM tooltray.user_tokens WHERE id <> 'test'`;
  expect(used?.used).toBe(true);
});

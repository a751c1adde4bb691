/**
 * Logout tokens of the issuer (OpenID Connect Back-Channel Logout 1.0): a real provider sends them to one replica, and
 * the user is signed out at both.
 */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../scripts/team/engines/free-port.ts';
import { bearer } from '../../support/callers.ts';
import { HttpClient } from '../../support/http-client.ts';
import { browseAs, logOutAt } from '../../support/oidc-person.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplica, type TestReplica } from '../../support/start-replica.ts';
import { post } from '../../support/team-caller.ts';
import { TeamPeople } from '../../support/team-callers.ts';
import { openTeamDatabase } from '../../support/team-database.ts';
import { openIssuer, signingKey, type TestIssuer } from '../../support/test-issuer.ts';
import { Page, send } from './page.ts';

const publicUrl = 'https://tools.example.org';
const redirect = `${publicUrl}/session/callback`;
const path = '/session/backchannel-logout';
const event = 'http://schemas.openid.net/event/backchannel-logout';
const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
const names = ['ana', 'ben', 'kim', 'zoe', 'max'];

interface Team {
  readonly idp: TestIssuer;
  readonly one: TestReplica;
  readonly two: TestReplica;
  readonly team: TeamPeople;
}

async function openTeam(ends: AsyncDisposableStack, needsSid: boolean): Promise<Team> {
  const port = await freePort();
  const logout = { url: `http://127.0.0.1:${port}${path}`, needsSid };
  const client = { id: 'the dashboard', secret: 'a secret', redirect, logout };
  const people = names.map((name) => ({ name, groups: [] }));
  const idp = await openIssuer(`${publicUrl}/mcp`, { people, client });
  ends.defer(() => idp.stop());
  const { url, drop } = await openTeamDatabase();
  ends.defer(drop);
  const issuer = { issuer: idp.issuer, audiences: [], groupsClaim: 'groups', adminGroup: undefined, needsType: false };
  const start = async (name: string, at: number): Promise<TestReplica> => {
    const replica = await startReplica(
      url,
      { servers: { echo: fixture('echo') } },
      {
        publicUrl,
        allowedHosts: ['127.0.0.1'],
        name,
        listen: { address: '127.0.0.1', port: at },
        issuer: { ...issuer, clientId: client.id, takesNew: true },
        env: { TOOLTRAY_OIDC_SECRET: client.secret },
      },
    );
    return ends.use(replica);
  };
  const [one, two] = [await start('one', port), await start('two', 0)];
  return { idp, one, two, team: new TeamPeople(one) };
}

/** Signs in to the dashboard, in a browser with these cookies. */
async function signIn(at: TestReplica, person: string, cookies = new Map<string, string>()): Promise<Page> {
  const { headers } = await send(at, 'GET', '/session/start', { 'sec-fetch-site': 'same-origin' });
  const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
  const back = await browseAs(person, String(headers['location']), redirect, cookies);
  const answer = await send(at, 'GET', back.pathname + back.search, { cookie, 'sec-fetch-site': 'cross-site' });
  const lines = [answer.headers['set-cookie'] ?? []].flat().map((line) => line.split(';')[0] ?? '');
  return new Page(at, lines.find((line) => /^__Host-tooltray=\d/.test(line)) ?? '');
}

function tell(at: TestReplica, token: string): ReturnType<typeof send> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  return send(at, 'POST', path, form, new URLSearchParams({ logout_token: token }).toString());
}

async function statusOf(at: TestReplica, token: string): Promise<number> {
  return (await post(at.url, 'initialize', hello, '', token)).status;
}

const ends = new AsyncDisposableStack();
let both: Team;
beforeAll(async () => {
  both = await openTeam(ends, false);
});
afterAll(() => ends.disposeAsync());

/** A logout token as the issuer signs them. */
function signLogout(
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
  key = both.idp.key,
): Promise<string> {
  const base = { aud: 'the dashboard', jti: `${Math.random()}`, events: { [event]: {} }, scope: undefined };
  const none = { client_id: undefined, preferred_username: undefined, sub: undefined };
  return both.idp.sign({ ...base, ...none, ...claims }, { typ: 'logout+jwt', ...header }, key);
}

test('a sign-out at the issuer ends the user’s sessions and tokens on all replicas, and nobody else’s', async () => {
  const { idp, one, two, team } = both;
  const cookies = new Map<string, string>();
  const page = await signIn(one, 'ana', cookies);
  const other = await signIn(two, 'ana');
  const ben = await signIn(two, 'ben');
  const [own, bens] = [await team.give('ana'), await team.give('ben')];
  const issued = await idp.sign({ aud: `${publicUrl}/mcp` });
  for (const token of [own, bens, issued]) expect(await statusOf(two, token)).toBe(200);
  const { session } = await post(two.url, 'initialize', hello, '', issued);
  const listened = Promise.withResolvers<void>();
  const stream = new HttpClient(two.url, false, { ...bearer(issued), 'mcp-session-id': session });
  const over = stream.listen(() => listened.resolve());
  await Promise.race([listened.promise, over]);
  const watched = page.at(two).watch();
  await expect.poll(() => watched.state.team?.user).toBe('ana');

  await logOutAt(idp.issuer, cookies);

  await over;
  await expect.poll(() => watched.isOver).toBe(true);
  for (const replica of [one, two]) {
    for (const ended of [page, other])
      expect(await ended.at(replica).refused('accessTokens')).toEqual([401, 'unauthorized']);
    for (const token of [own, issued]) await expect.poll(() => statusOf(replica, token)).toBe(401);
    expect(await statusOf(replica, bens)).toBe(200);
  }
  expect((await ben.ask('accessTokens', {})).tokens).toHaveLength(1);
  // The user signs in again, with new tokens only.
  const later = Math.floor(Date.now() / 1000) + 2;
  const next = await idp.sign({ aud: `${publicUrl}/mcp`, iat: later });
  await expect.poll(() => statusOf(one, next)).toBe(200);
  expect((await (await signIn(one, 'ana')).ask('accessTokens', {})).tokens.map(({ state }) => state)).toEqual([
    'revoked',
  ]);
  await one.replica.host.core.trust.audit.flush();
  const rows = await one.replica.database.sql<{ line: string }[]>`SELECT line FROM tooltray.audit`;
  expect(rows.filter(({ line }) => line.includes('signed ana out'))).toHaveLength(1);
});

test('a logout token with only a session ID signs out the user of that session', async () => {
  await using more = new AsyncDisposableStack();
  const { idp, one, two, team } = await openTeam(more, true);
  const cookies = new Map<string, string>();
  const [page, other] = [await signIn(one, 'kim', cookies), await signIn(two, 'zoe')];
  const own = await team.give('kim');
  const [row] = await one.replica.database.sql<{ sid: string }[]>`
    SELECT s.sid FROM tooltray.page_sessions s JOIN tooltray.users u ON u.id = s.user_id WHERE u.name = 'kim'`;
  expect(row?.sid).toBeTruthy();
  const claims = { sub: undefined, sid: row?.sid, aud: 'the dashboard', jti: 'one', events: { [event]: {} } };
  expect((await tell(two, await idp.sign(claims, { typ: 'logout+jwt' }))).status).toBe(200);
  expect(await page.at(two).refused('accessTokens')).toEqual([401, 'unauthorized']);
  expect(await other.refused('nothing')).not.toEqual([401, 'unauthorized']);
  await expect.poll(() => statusOf(one, own)).toBe(401);
  // The provider's own, with both.
  const again = await signIn(two, 'kim', cookies);
  await logOutAt(idp.issuer, cookies);
  expect(await again.refused('accessTokens')).toEqual([401, 'unauthorized']);
});

describe('rejected logout tokens', () => {
  test('rejects invalid ones and signs nobody out', async () => {
    const { idp, one } = both;
    const page = await signIn(one, 'max');
    const now = Math.floor(Date.now() / 1000);
    const bad: Record<string, string> = {
      empty: '',
      'no JWT': 'x.y.z',
      'another audience': await signLogout({ sub: 'max', aud: 'another client' }),
      'another issuer': await signLogout({ sub: 'max', iss: 'https://evil.example' }),
      'another key': await signLogout({ sub: 'max' }, {}, await signingKey('first')),
      'a nonce': await signLogout({ sub: 'max', nonce: 'n' }),
      'no event': await signLogout({ sub: 'max', events: undefined }),
      'another event': await signLogout({ sub: 'max', events: { 'https://example.org/event': {} } }),
      'an event that is no object': await signLogout({ sub: 'max', events: { [event]: 'yes' } }),
      'no jti': await signLogout({ sub: 'max', jti: undefined }),
      'no iat': await signLogout({ sub: 'max', iat: undefined }),
      'an old iat': await signLogout({ sub: 'max', iat: now - 3_600 }),
      'a future iat': await signLogout({ sub: 'max', iat: now + 3_600, exp: now + 7_200 }),
      expired: await signLogout({ sub: 'max', iat: now - 200, exp: now - 100 }),
      'nobody named': await signLogout({}),
      'an empty sub': await signLogout({ sub: '' }),
      'an access token': await idp.sign({ sub: 'max', aud: 'the dashboard' }),
      'typed as an access token': await signLogout({ sub: 'max' }, { typ: 'at+jwt' }),
      unsigned: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await signLogout({ sub: 'max' })).split('.')[1]}.`,
    };
    for (const [why, token] of Object.entries(bad)) {
      const { status, headers, body } = await tell(one, token);
      expect([why, status, headers['cache-control']]).toEqual([why, 400, 'no-store']);
      expect(JSON.parse(body)).toMatchObject({ error: 'invalid_request' });
    }
    expect((await send(one, 'GET', path)).status).not.toBe(200);
    expect((await page.ask('accessTokens', {})).tokens).toEqual([]);
  });

  test('rejects a token that was used before, at any replica', async () => {
    const { one, two } = both;
    await signIn(one, 'max');
    const token = await signLogout({ sub: 'max' });
    expect(decodeJwt(token).sub).toBe('max');
    expect((await tell(one, token)).status).toBe(200);
    const page = await signIn(one, 'max');
    expect([(await tell(two, token)).status, (await tell(one, token)).status]).toEqual([400, 400]);
    expect((await page.ask('accessTokens', {})).tokens).toEqual([]);
    // Nobody here: the user is already signed out.
    expect((await tell(one, await signLogout({ sub: 'a stranger' }))).status).toBe(200);
  });
});

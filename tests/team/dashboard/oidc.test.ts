/**
 * Signing in to a team's dashboard at its issuer: a real OIDC provider, started at one replica and finished at another.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashOf } from '../../../src-main/team/users/access-tokens.ts';
import { TeamKeys } from '../../../src-main/team/documents/team-keys.ts';
import { seal } from '../../../src-main/core/secrets/sealing.ts';
import { browseAs } from '../../support/oidc-person.ts';
import { startReplica, testKeys, type TestReplica } from '../../support/start-replica.ts';
import { TeamPeople } from '../../support/team-callers.ts';
import { openTeamDatabase } from '../../support/team-database.ts';
import { openIssuer, type TestIssuer } from '../../support/test-issuer.ts';
import { Page, send } from './page.ts';

const publicUrl = 'https://tools.example.org';
const redirect = `${publicUrl}/session/callback`;
const client = { id: 'the dashboard', secret: 'a secret: with +%', redirect };
const people = ['ana', 'ben', 'zoe', 'kim', 'max', 'eve'].map((name) => ({
  name,
  groups: [name === 'ana' ? 'platform' : 'sales'],
}));
let idp: TestIssuer;
/** Creates users at their first sign-in. */
let one: TestReplica;
/** Accepts added users only. */
let two: TestReplica;
let team: TeamPeople;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const { url, drop } = await openTeamDatabase();
  ends.push(drop);
  idp = await openIssuer(`${publicUrl}/mcp`, { people, client });
  ends.push(() => idp.stop());
  const settings = { issuer: idp.issuer, audiences: [], groupsClaim: 'groups', adminGroup: 'platform' };
  const start = (name: string, takesNew: boolean): Promise<TestReplica> =>
    startReplica(
      url,
      { servers: {} },
      {
        publicUrl,
        allowedHosts: ['127.0.0.1'],
        name,
        issuer: { ...settings, clientId: client.id, takesNew, needsType: false },
        env: { TOOLTRAY_OIDC_SECRET: client.secret },
      },
    );
  [one, two] = [await start('one', true), await start('two', false)];
  team = new TeamPeople(one);
});
afterAll(async () => {
  await Promise.all([one[Symbol.asyncDispose](), two[Symbol.asyncDispose]()]);
  for (const end of ends) await end();
});

interface Came {
  readonly status: number;
  readonly body: string;
  readonly location: string | undefined;
  /** The signed-in page; undefined if not signed in. */
  readonly page: Page | undefined;
}

/** Starts a sign-in; returns the issuer's URL and the browser's cookie. */
async function begin(at = one): Promise<{ readonly asked: URL; readonly cookie: string; readonly cookieLine: string }> {
  const { status, headers } = await send(at, 'GET', '/session/start', { 'sec-fetch-site': 'same-origin' });
  expect(status).toBe(303);
  const [cookieLine = ''] = headers['set-cookie'] ?? [];
  return { asked: new URL(String(headers['location'])), cookie: cookieLine.split(';')[0] ?? '', cookieLine };
}

/** The issuer redirects the browser back. */
async function comeBack(at: TestReplica, url: URL, cookie = ''): Promise<Came> {
  const headers = { cookie, 'sec-fetch-site': 'cross-site' };
  const answer = await send(at, 'GET', url.pathname + url.search, headers);
  const lines = [answer.headers['set-cookie'] ?? []].flat();
  const session = lines
    .map((line) => line.split(';')[0] ?? '')
    .find((line) => /^__Host-tooltray=\d+\.[\w-]{43}$/.test(line));
  return {
    status: answer.status,
    body: answer.body,
    location: answer.headers['location'] as string | undefined,
    page: session === undefined ? undefined : new Page(at, session),
  };
}

async function signIn(person: string, at = one, to = one): Promise<Came> {
  const { asked, cookie } = await begin(at);
  return comeBack(to, await browseAs(person, asked, redirect), cookie);
}

function refused(came: Came, why: string): void {
  expect([came.status, came.page, came.body]).toEqual([400, undefined, expect.stringContaining(why)]);
}

describe('accepted sign-ins', () => {
  test('names the issuer, and sends it PKCE, nonce and state', async () => {
    expect((await send(two, 'GET', '/session')).body).toBe(JSON.stringify({ issuer: new URL(idp.issuer).host }));
    const { asked, cookieLine } = await begin();
    expect(asked.origin).toBe(idp.issuer);
    const { code_challenge, nonce, state, ...rest } = Object.fromEntries(asked.searchParams);
    expect(rest).toEqual({
      response_type: 'code',
      client_id: client.id,
      redirect_uri: redirect,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
    });
    for (const random of [code_challenge, nonce]) expect(random).toMatch(/^[\w-]{43}$/);
    expect(state).not.toContain(nonce);
    expect(cookieLine).toMatch(
      /^__Host-tooltray-begun=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/,
    );
    const elsewhere = await send(one, 'GET', '/session/start', { 'sec-fetch-site': 'cross-site' });
    expect([elsewhere.status, elsewhere.headers['set-cookie']]).toEqual([400, undefined]);
  });

  test('signs in an admin by group, and a member, across two replicas', async () => {
    await team.people.add({ name: 'ana', identity: { issuer: idp.issuer, subject: 'ana' } });
    const { status, location, page } = await signIn('ana', one, two);
    expect([status, location]).toEqual([303, '../']);
    const told = page?.at(one).watch();
    await expect.poll(() => told?.state.team).toEqual({ user: 'ana', role: 'admin' });
    const ben = await signIn('ben', two, one);
    const seen = ben.page?.at(two).watch();
    await expect.poll(() => seen?.state.team).toEqual({ user: 'ben', role: 'member' });
    expect(await ben.page?.refused('users')).toEqual([403, 'not_allowed']);
    // The other replica's records are read once it has written them.
    const sentences = async (): Promise<unknown> =>
      (await page?.ask('auditEntries', { kinds: ['access'], limit: 20 }))?.entries.map((row) => row.summary);
    const expected = [
      `ben signed in to the dashboard at ${new URL(idp.issuer).host}.`,
      `ben (member), ben of ${idp.issuer}, signed in for the first time.`,
    ];
    await expect.poll(sentences).toEqual(expect.arrayContaining(expected));
    await page?.signOut();
    await expect.poll(() => told?.isOver).toBe(true);
    expect(await page?.at(one).refused('users')).toEqual([401, 'unauthorized']);
  });

  test('rejects unknown users where users are added by hand', async () => {
    refused(await signIn('zoe', one, two), 'you are not a member of this team');
    expect((await signIn('zoe', two, one)).page).toBeDefined();
    expect((await signIn('zoe', one, two)).page).toBeDefined();
  });

  test('rejects a disabled user with a reason, and ends their session', async () => {
    const { page } = await signIn('max');
    const seen = page?.watch();
    await expect.poll(() => seen?.state.team?.user).toBe('max');
    await team.people.change('max', { isSuspended: true });
    await expect.poll(() => seen?.isOver).toBe(true);
    refused(await signIn('max', two, one), 'max is suspended');
    const { page: admin } = await signIn('ana');
    const audit = await admin?.ask('auditEntries', { kinds: ['refusal'], limit: 10 });
    expect(audit?.entries.map((row) => row.summary).join('\n')).toContain('suspended');
  });
});

describe('rejected sign-ins', () => {
  test('rejects a sign-in started in another browser', async () => {
    const attacker = await begin();
    const link = await browseAs('eve', attacker.asked, redirect);
    const victim = await begin();
    refused(await comeBack(one, link), 'started in another browser');
    refused(await comeBack(two, link, victim.cookie), 'started in another browser');
    expect((await comeBack(two, link, `${victim.cookie}x`)).page).toBeUndefined();
  });

  test('rejects a second callback, with the same code or another one', async () => {
    const { asked, cookie } = await begin();
    const first = await browseAs('kim', asked, redirect);
    const second = await browseAs('kim', asked, redirect);
    expect((await comeBack(one, first, cookie)).page).toBeDefined();
    refused(await comeBack(two, first, cookie), 'already used');
    refused(await comeBack(two, second, cookie), 'already used');
  });

  test('rejects a state that is altered, expired or sealed with another key', async () => {
    const { asked, cookie } = await begin();
    const url = await browseAs('kim', asked, redirect);
    const state = url.searchParams.get('state') ?? '';
    const withState = (text: string): URL => {
      const other = new URL(url);
      other.searchParams.set('state', text);
      return other;
    };
    const bytes = Buffer.from(state, 'base64url');
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    refused(await comeBack(one, withState(bytes.toString('base64url')), cookie), 'Unknown sign-in');
    refused(await comeBack(one, withState(''), cookie), 'Unknown sign-in');
    const keys = TeamKeys.fromEnv(testKeys);
    const about = 'tooltray login to the dashboard';
    const bound = hashOf(cookie.split('=')[1] ?? '').toString('base64url');
    const made = (purpose: string, until: number): string =>
      seal(
        keys.encryptionKeys(purpose)[0] ?? Buffer.alloc(0),
        JSON.stringify({ nonce: 'n', verifier: 'v', bound, until }),
        about,
      );
    refused(await comeBack(one, withState(made('other', Date.now() + 60_000)), cookie), 'Unknown sign-in');
    refused(await comeBack(one, withState(made('page sign-ins', Date.now() - 1)), cookie), 'expired');
    // None of that used up the state.
    expect((await comeBack(one, url, cookie)).page).toBeDefined();
  });

  test('rejects an ID token for another sign-in, and a callback of another issuer', async () => {
    const { asked, cookie } = await begin();
    asked.searchParams.set('nonce', 'another one');
    refused(await comeBack(one, await browseAs('kim', asked, redirect), cookie), 'does not belong to this sign-in');
    const next = await begin();
    const url = await browseAs('kim', next.asked, redirect);
    const iss = (said: string | undefined): URL => {
      const other = new URL(url);
      if (said === undefined) other.searchParams.delete('iss');
      else other.searchParams.set('iss', said);
      return other;
    };
    refused(await comeBack(one, iss('https://evil.example'), next.cookie), 'is from another issuer');
    refused(await comeBack(one, iss(undefined), next.cookie), 'is from another issuer');
    expect((await comeBack(one, url, next.cookie)).page).toBeDefined();
  });

  test('shows the issuer’s error text, escaped', async () => {
    const { asked, cookie } = await begin();
    const back = new URL(redirect);
    const said = { error: 'access_denied', error_description: 'You said <b>no</b>.', iss: idp.issuer };
    back.search = new URLSearchParams({ state: asked.searchParams.get('state') ?? '', ...said }).toString();
    const came = await comeBack(one, back, cookie);
    refused(came, 'did not sign you in: access_denied (You said &lt;b&gt;no&lt;/b&gt;). Sign in again.');
    expect(came.body).toContain('<a href="../">Back to Tooltray</a>');
  });
});

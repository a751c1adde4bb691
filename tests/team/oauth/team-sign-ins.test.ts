/** Sign-ins of a team's users at a real authorization server, over two replicas and one real database. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { HttpServerConfig } from '../../../src-main/core/config/server-config.ts';
import { createAuthorizedFetch } from '../../../src-main/core/servers/oauth/server-oauth.ts';
import { connect } from '../../../src-main/team/database/database.ts';
import { OAuthRoutes } from '../../../src-main/team/oauth/oauth-routes.ts';
import { TeamSignIns } from '../../../src-main/team/oauth/team-sign-ins.ts';
import { type OidcFixture, startOidcFixture } from '../../fixtures/servers/oidc-http.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { CookieBrowser } from '../../core/servers/oauth/browser.ts';
import { openVaults, someKey } from '../secrets/vaults.ts';

const notAllowed = expect.objectContaining({ code: 'not_allowed' }) as Error;

interface World {
  readonly fixture: OidcFixture;
  readonly url: string;
  readonly config: HttpServerConfig;
  /** Two behind one URL, which alternates between them. */
  readonly replicas: readonly [TeamSignIns, TeamSignIns];
  /** Offset of the clock, in ms. */
  ahead: number;
  /** Users whose access was removed. */
  readonly gone: Set<string>;
}

let world: World;

beforeEach(async () => {
  const fixture = await startOidcFixture();
  const url = await teamDatabase();
  const front = createServer();
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const publicUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const config = { kind: 'http', name: 'far', url: fixture.url, headers: {} } as unknown as HttpServerConfig;
  const open = async (): Promise<TeamSignIns> => {
    const { vaults } = await openVaults(url);
    const server = (name: string): HttpServerConfig | undefined => (name === 'far' ? config : undefined);
    const now = (): number => Date.now() + world.ahead;
    const signIns = new TeamSignIns({
      vaults,
      ring: [someKey],
      publicUrl: () => publicUrl,
      env: {},
      server,
      now,
      nameOf: (user) => Promise.resolve(world.gone.has(user) ? undefined : user),
    });
    onTestFinished(() => signIns.close());
    return signIns;
  };
  const replicas = [await open(), await open()] as const;
  const addresses = replicas.map((signIns) => new OAuthRoutes({ signIns, publicUrl: () => publicUrl }));
  let turn = 0;
  front.on('request', (request, response) => void addresses[turn++ % 2]?.handle(request, response));
  onTestFinished(async () => {
    front.close();
    front.closeAllConnections();
    await fixture[Symbol.asyncDispose]();
  });
  world = { fixture, url, config, replicas, ahead: 0, gone: new Set() };
});

/** Consents on our page, and returns from the authorization server with its parameters. */
async function agree(link: string, headers: Record<string, string> = {}): Promise<{ goTo: string; cookie: string }> {
  const response = await fetch(link, { method: 'POST', redirect: 'manual', headers });
  const [cookie = ''] = (response.headers.getSetCookie()[0] ?? '').split(';');
  return { goTo: response.headers.get('location') ?? '', cookie };
}

/** URL to which the authorization server redirects the browser. */
async function wayBack(goTo: string, browser = new CookieBrowser()): Promise<URL> {
  const { redirectUrl } = world.replicas[0];
  const found = Promise.withResolvers<URL>();
  // The browser opens it without our page's cookie: that is rejected, and the URL is what we need.
  const before = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!url.href.startsWith(redirectUrl)) return before(input, init);
    found.resolve(url);
    return new Response('held');
  };
  try {
    await browser.open(goTo);
  } finally {
    globalThis.fetch = before;
  }
  return found.promise;
}

async function signIn(user: string, account: string): Promise<string> {
  world.fixture.account = account;
  const { goTo, cookie } = await agree(world.replicas[0].link({ user, server: 'far' }));
  return (await fetch(await wayBack(goTo), { headers: { cookie } })).text();
}

/** The MCP endpoint's response to this user, through this replica. */
async function whoami(replica: TeamSignIns, user: string): Promise<string> {
  const send = createAuthorizedFetch(fetch, replica.of(user).get(world.config));
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {}, _meta: meta } };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'whoami',
  };
  const response = await send(world.fixture.url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) return `HTTP ${response.status}`;
  return /"text":"(\w+)"/.exec(await response.text())?.[1] ?? '';
}

/** Every byte of every row, as a thief of the database has them. */
async function dump(): Promise<string> {
  const owner = connect({ url: world.url, most: 1 });
  onTestFinished(() => owner.end());
  const tables = await owner<{ name: string }[]>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'tooltray'`;
  return JSON.stringify(
    await Promise.all(tables.map(({ name }) => owner.unsafe(`SELECT t::text AS row FROM tooltray.${name} t`))),
  );
}

test('keeps two users’ accounts apart on every replica, renews a token once, and stores it encrypted', async () => {
  const { replicas, fixture } = world;
  const [here, there] = replicas;
  expect(await signIn('ada', 'ana')).toContain('signed in to far as ana@example.org');
  expect(await signIn('bob', 'ben')).toContain('signed in to far as ben@example.org');
  expect(
    await Promise.all([whoami(here, 'ada'), whoami(there, 'ada'), whoami(here, 'bob'), whoami(there, 'bob')]),
  ).toEqual(['ana', 'ana', 'ben', 'ben']);
  expect(await whoami(there, 'eve')).toBe('HTTP 401');
  const token = await there.of('ada').get(world.config).accessToken();
  await fixture.endTokens();
  // Who the team is, for authorization servers that read that at an address.
  const described = await fetch(here.documentUrl);
  expect([described.headers.get('content-type'), await described.json()]).toEqual([
    'application/json',
    expect.objectContaining({
      client_id: here.documentUrl,
      redirect_uris: [here.redirectUrl],
      application_type: 'web',
    }),
  ]);
  const before = fixture.grants.length;
  const five = await Promise.all([here, there, here, there, here].map((replica) => whoami(replica, 'ada')));
  expect([five, fixture.grants.slice(before)]).toEqual([Array(5).fill('ana'), ['refresh_token']]);
  const rows = await dump();
  expect(rows).toContain('sign-in/');
  for (const secret of [...fixture.refreshTokens, ...here.secrets, token ?? '-'])
    for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const)
      expect(rows).not.toContain(Buffer.from(secret).toString(encoding));
}, 60_000);

test('accepts a callback once, unaltered, in time, and in the browser that agreed', async () => {
  const [here, there] = world.replicas;
  const link = here.link({ user: 'ada', server: 'far' });
  const { goTo, cookie } = await agree(link);
  const back = await wayBack(goTo);
  const binding = cookie.split('=')[1] ?? '';
  const altered = new URLSearchParams(back.searchParams);
  const state = altered.get('state') ?? '';
  altered.set('state', `${state.slice(0, 30)}${state[30] === 'A' ? 'B' : 'A'}${state.slice(31)}`);
  await expect(there.finish(altered, binding)).rejects.toEqual(notAllowed);
  world.ahead = 11 * 60_000;
  await expect(there.finish(back.searchParams, binding)).rejects.toThrow('expired');
  world.ahead = 0;
  expect(await there.finish(back.searchParams, binding)).toMatchObject({
    text: expect.stringContaining('signed in') as string,
  });
  await expect(here.finish(back.searchParams, binding)).rejects.toThrow('already used');
  // Whoever is sent the authorization server's address has not agreed on our page.
  const other = await agree(link);
  const led = await fetch(await wayBack(other.goTo));
  expect([led.status, await led.text()]).toEqual([400, expect.stringContaining('another browser')]);
});

test('names the user on the page, blocks other sites’ requests, and binds a link to its user', async () => {
  const [here] = world.replicas;
  const link = here.link({ user: 'ada', server: 'far' });
  const page = await fetch(link);
  expect(await page.text()).toContain('Continue only if you are ada');
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect((await agree(link, { origin: 'https://evil.example' })).goTo).toBe('');
  expect((await agree(link, { 'sec-fetch-site': 'cross-site' })).goTo).toBe('');
  world.ahead = 16 * 60_000;
  expect((await fetch(link)).status).toBe(400);
  world.ahead = 0;
  // What another team's key has sealed opens nothing here.
  const others = new TeamSignIns({
    ...(await openVaults(world.url).then(({ vaults }) => ({ vaults }))),
    ring: [randomBytes(32)],
    publicUrl: () => 'http://127.0.0.1',
    nameOf: (user) => Promise.resolve(user),
    env: {},
    server: () => world.config,
    now: Date.now,
  });
  const foreign = others.link({ user: 'ada', server: 'far' }).split('/').at(-1) ?? '';
  await expect(here.invitation(foreign)).rejects.toThrow('Invalid link');
  // Whoever was switched off meanwhile is not let on, nor is what their browser brings back.
  const { goTo, cookie } = await agree(link);
  const back = await wayBack(goTo);
  world.gone.add('ada');
  expect(await (await fetch(link)).text()).toContain('no longer');
  expect(await (await fetch(back, { headers: { cookie } })).text()).toContain('no longer');
});

test('revokes and erases the tokens of a disabled user, and keeps others signed in', async () => {
  const [here, there] = world.replicas;
  await signIn('ada', 'ana');
  await signIn('bob', 'ben');
  const token = await here.of('ada').get(world.config).accessToken();
  await there.erase('ada');
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(world.fixture.url, { method: 'POST', body: '{}', headers })).status).toBe(401);
  await expect.poll(() => here.of('ada').get(world.config).accessToken()).toBeUndefined();
  expect(await whoami(here, 'bob')).toBe('ben');
});

/** Client apps that sign in by the specification's authorization, at two replicas and a real OIDC provider. */
import { createHmac, createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../scripts/team/engines/free-port.ts';
import type { Database } from '../../../src-main/team/database/database.ts';
import type { IssuerSettings } from '../../../src-main/team/open-identity.ts';
import { UserStore } from '../../../src-main/team/users/user-store.ts';
import { allCases } from '../../support/all-cases.ts';
import { bearer } from '../../support/callers.ts';
import { HttpClient } from '../../support/http-client.ts';
import { OAuthApp } from '../../support/oauth-app.ts';
import { refreshed, signInAs } from '../../support/oidc-person.ts';
import { fixture, type TestConfig } from '../../support/start-core.ts';
import { startReplica, teamToken, type TestReplica } from '../../support/start-replica.ts';
import { post } from '../../support/team-caller.ts';
import { TeamPeople } from '../../support/team-callers.ts';
import { openTeamDatabase } from '../../support/team-database.ts';
import { openIssuer, signingKey, type TestIssuer, testIssuer } from '../../support/test-issuer.ts';

const config: TestConfig = { servers: { echo: fixture('echo') }, mode: 'direct' };

interface Team {
  readonly idp: TestIssuer;
  /** URL of the first replica. */
  readonly url: string;
  readonly replicas: readonly TestReplica[];
}

async function openTeam(
  ends: AsyncDisposableStack,
  names: readonly string[] = ['a'],
  more: Partial<IssuerSettings> = {},
): Promise<Team> {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const idp = await openIssuer(`${publicUrl}/mcp`);
  ends.defer(() => idp.stop());
  const { url: database, drop } = await openTeamDatabase();
  ends.defer(drop);
  const issuer = { issuer: idp.issuer, audiences: [], groupsClaim: 'groups', adminGroup: undefined };
  const replicas: TestReplica[] = [];
  for (const [at, name] of names.entries()) {
    const replica = await startReplica(database, config, {
      name,
      publicUrl,
      allowedHosts: ['127.0.0.1'],
      listen: { address: '127.0.0.1', port: at === 0 ? port : 0 },
      issuer: { ...issuer, takesNew: true, needsType: false, ...more },
    });
    replicas.push(ends.use(replica));
  }
  return { idp, url: `${publicUrl}/mcp`, replicas };
}

const ends = new AsyncDisposableStack();
/** Two replicas shared by most of these tests. */
let both: Team;
beforeAll(async () => {
  both = await openTeam(ends, ['a', 'b']);
});
afterAll(() => ends.disposeAsync());

function databaseOf({ replicas: [first] }: Team): Database['sql'] {
  if (first === undefined) throw new Error('There is no replica.');
  return first.replica.database.sql;
}

function peopleOf(of: Team): UserStore {
  return new UserStore(databaseOf(of));
}

/** Lines of the audit log. */
async function audited(of: Team): Promise<readonly string[]> {
  for (const { replica } of of.replicas) await replica.host.core.trust.audit.flush();
  const rows = await databaseOf(of)<{ line: string }[]>`SELECT line FROM tooltray.audit`;
  return rows.map(({ line }) => line);
}

const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;
const eras = [
  { era: '2025-11-25', options: {} },
  { era: '2026-07-28', options: modern },
] as const;

async function knock(url: string, token: string | undefined, method = 'tools/list', params = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && bearer(token)),
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...('name' in params && { 'mcp-name': String(params.name) }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: meta } }),
  });
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'an app', version: '1' },
};

test.each(eras)('an app signs in its user and calls a tool, $era', async ({ options }) => {
  const { url, idp } = both;
  const app = new OAuthApp('ana');
  const client = await app.connect(url, options);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('echo');
  for (const text of ['a', 'b', 'c'])
    expect(await client.callTool({ name: 'echo', arguments: { message: text } })).toMatchObject({
      content: [{ type: 'text', text }],
    });
  expect(app.visits).toHaveLength(1);
  const asked = Object.fromEntries(app.visits[0]?.searchParams ?? []);
  expect(asked).toMatchObject({ resource: url, code_challenge_method: 'S256' });
  expect(asked['scope']).toMatch(/^tools:read tools:call\b/);
  await client.close();
  expect(await peopleOf(both).list()).toContainEqual(
    expect.objectContaining({ name: 'ana', email: 'ana@example.org', role: 'member', groups: ['platform'] }),
  );
  const first = (await audited(both)).filter((line) => line.includes('signed in for the first time'));
  expect(first).toEqual([expect.stringContaining(`ana of ${idp.issuer}`)]);
});

test('without a token every endpoint names its metadata, which pages of any site may read', async () => {
  const { url, idp } = both;
  const { origin } = new URL(url);
  for (const path of ['', '/server/echo', '/app/cursor', '/mode/search', '/p/any']) {
    const refused = await knock(`${url}${path}`, undefined);
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp${path}`;
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="tooltray", resource_metadata="${metadata}", scope="tools:read tools:call"`,
    ]);
    const found = await fetch(metadata, { headers: { origin: 'https://page.example.com' } });
    expect([found.status, found.headers.get('access-control-allow-origin'), await found.json()]).toEqual([
      200,
      '*',
      {
        resource: `${url}${path}`,
        authorization_servers: [idp.issuer],
        bearer_methods_supported: ['header'],
        scopes_supported: ['tools:read', 'tools:call'],
        resource_name: 'Tooltray',
      },
    ]);
  }
  const root = await fetch(`${origin}/.well-known/oauth-protected-resource`);
  expect(await root.json()).toMatchObject({ resource: url });
  const asked = await fetch(`${origin}/.well-known/oauth-protected-resource/mcp`, { method: 'OPTIONS' });
  expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  for (const path of ['/elsewhere', '/mcp/x/y/z', 'x'])
    expect((await fetch(`${origin}/.well-known/oauth-protected-resource${path}`)).status).toBe(404);
});

test('rejects tokens of another issuer or audience and expired ones, and creates no user for them', async () => {
  const { url, idp } = both;
  const eve = { sub: 'eve', preferred_username: 'eve' };
  const [head = '', body = '', signature = ''] = (await idp.sign(eve)).split('.');
  const text = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const pem = createPublicKey({ key: idp.key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const hmacHead = text({ alg: 'HS256', kid: 'first', typ: 'at+jwt' });
  const now = Math.floor(Date.now() / 1000);
  const far = await testIssuer(url);
  const bad: Record<string, string> = {
    'another audience': await idp.sign({ ...eve, aud: 'https://elsewhere.example.com/mcp' }),
    'of the whole site': await idp.sign({ ...eve, aud: new URL(url).origin }),
    'beside ours': await idp.sign({ ...eve, aud: `${url}x` }),
    'another issuer': await far.sign(eve),
    'signed by nobody': `${text({ alg: 'none', typ: 'at+jwt' })}.${body}.`,
    'signed by the public key': `${hmacHead}.${body}.${createHmac('sha256', pem).update(`${hmacHead}.${body}`).digest('base64url')}`,
    'signed by somebody': await idp.sign(eve, {}, await signingKey('first')),
    expired: await idp.sign({ ...eve, exp: now - 1 }),
    'not yet': await idp.sign({ ...eve, nbf: now + 300 }),
    tampered: `${head}.${text({ ...(JSON.parse(Buffer.from(body, 'base64url').toString()) as object), sub: 'ben' })}.${signature}`,
    'of another routing key': teamToken.replace('tt_0_', 'tt_1_'),
  };
  const metadata = `resource_metadata="${new URL(url).origin}/.well-known/oauth-protected-resource/mcp"`;
  const challenge = `Bearer realm="tooltray", error="invalid_token", ${metadata}, scope="tools:read tools:call"`;
  for (const [why, token] of Object.entries(bad)) {
    const refused = await knock(url, token);
    expect([why, refused.status, refused.headers.get('www-authenticate')]).toEqual([why, 401, challenge]);
  }
  // With none of our scopes: the client app should request them.
  const poor = await knock(url, await idp.sign({ sub: 'poor', scope: 'openid profile' }));
  expect([poor.status, poor.headers.get('www-authenticate')]).toEqual([
    403,
    `Bearer realm="tooltray", error="insufficient_scope", ${metadata}, scope="tools:read tools:call"`,
  ]);
  expect((await peopleOf(both).list()).map(({ name }) => name)).not.toContain('eve');
  expect((await knock(url, await idp.sign())).status).toBe(200);
  expect((await knock(url, teamToken)).status).toBe(200);
  const lines = await audited(both);
  // One record, however often it was tried.
  expect(lines.filter((line) => line.includes('used an invalid token'))).toHaveLength(1);
  for (const line of lines) for (const token of Object.values(bad)) expect(line).not.toContain(token.slice(-30));
});

test('does not throttle many apps behind one address whose tokens expire', async () => {
  const { url, idp } = both;
  const over = await idp.sign({ exp: Math.floor(Date.now() / 1000) - 1 });
  const statuses = new Set<number>();
  for (let at = 0; at < 70; at++) statuses.add((await knock(url, over)).status);
  expect(statuses).toEqual(new Set([401]));
  for (const jti of ['one', 'two']) expect((await knock(url, await idp.sign({ jti }))).status).toBe(200);
});

test('accepts a token for its address and the paths below', async () => {
  const { url, idp } = both;
  const token = await idp.sign({ aud: `${url}/server/echo` });
  const statuses = ['/server/echo', '', '/app/cursor', '/server/echo2'].map(
    async (path) => (await knock(url + path, token)).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 401, 401, 401]);
  await using more = new AsyncDisposableStack();
  const named = await openTeam(more, ['a'], { audiences: ['api://tooltray'], takesNew: false });
  await peopleOf(named).add({ name: 'ana', identity: { issuer: named.idp.issuer, subject: 'ana' } });
  const ask = async (aud: string, more: object = {}): Promise<number> =>
    (await knock(named.url, await named.idp.sign({ aud, ...more }))).status;
  expect([await ask('api://tooltray'), await ask(named.url)]).toEqual([200, 401]);
  // This user was not added.
  expect(await ask('api://tooltray', { sub: 'eve', preferred_username: 'eve' })).toBe(403);
});

test('rejects a disabled user with a reason, and accepts them again once enabled', async () => {
  const { url, idp } = both;
  const token = await idp.sign({ sub: 'dan', preferred_username: 'dan' });
  const statuses = async (): Promise<number[]> => [(await knock(url, token)).status, (await knock(url, token)).status];
  expect(await statuses()).toEqual([200, 200]);
  await peopleOf(both).change('dan', { isSuspended: true });
  await expect.poll(statuses).toEqual([403, 403]);
  const refused = await knock(url, token);
  // Another token would not help.
  expect(refused.headers.get('www-authenticate')).toBeNull();
  expect(await refused.text()).toContain('Your account is suspended');
  await peopleOf(both).change('dan', { isSuspended: false });
  await expect.poll(statuses).toEqual([200, 200]);
});

test.each(eras)('a call that needs more scopes makes the app request them, $era', async ({ options }) => {
  const { url, idp } = both;
  const app = new OAuthApp('ana', 'tools:read');
  const client = await app.connect(url, options);
  expect(app.kept?.scope).toBe('tools:read');
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('echo');
  // More scopes would not help with an unknown tool.
  await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow(/not found|Unknown tool/);
  expect(app.visits).toHaveLength(1);
  const call = () => client.callTool({ name: 'echo', arguments: { message: 'more' } });
  expect(await app.signingIn(call)).toMatchObject({ content: [{ type: 'text', text: 'more' }] });
  expect(app.visits.map((visit) => visit.searchParams.get('scope'))).toEqual([
    'tools:read',
    expect.stringMatching(/^tools:read tools:call\b/),
  ]);
  await client.close();
  expect(await (await knock(url, app.kept?.access_token)).text()).toContain('"echo"');
  const token = await idp.sign({ scope: 'tools:read' });
  const through = { name: 'call_tool', arguments: { name: 'echo', arguments: { message: 'x' } } };
  expect((await knock(`${url}/mode/search`, token, 'tools/call', through)).status).toBe(403);
  const refused = await knock(url, token, 'tools/call', { name: 'echo', arguments: { message: 'x' } });
  expect([refused.status, refused.headers.get('www-authenticate'), await refused.json()]).toEqual([
    403,
    `Bearer realm="tooltray", error="insufficient_scope", resource_metadata="${new URL(url).origin}/.well-known/oauth-protected-resource/mcp", scope="tools:call"`,
    { jsonrpc: '2.0', id: 7, error: { code: expect.any(Number) as number, message: expect.any(String) as string } },
  ]);
});

test('a session continues with the app’s next token, and with no other user’s', async () => {
  const { url, idp } = both;
  const ana = await signInAs('ana', idp.issuer, {
    resource: url,
    scope: 'openid offline_access tools:read tools:call',
  });
  const elsewhere = await signInAs('ana', idp.issuer, { resource: url });
  const ben = await signInAs('ben', idp.issuer, { resource: url });
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const { session } = await post(url, 'initialize', hello, '', ana.access_token);
  const again = await refreshed(idp.issuer, ana);
  expect(again.access_token).not.toBe(ana.access_token);
  const list = async (token: string): Promise<number> => (await post(url, 'tools/list', {}, session, token)).status;
  expect([await list(again.access_token), await list(again.access_token)]).toEqual([200, 200]);
  for (const { access_token: other } of [elsewhere, ben])
    expect([await list(other), await list(other)]).toEqual([404, 404]);
});

test('ends a stream when its token expires, and keeps its session for the next token', async () => {
  const { idp, url } = both;
  const next = await idp.sign({ jti: 'next' });
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const open = async (): Promise<string> => (await post(url, 'initialize', hello, '', next)).session;
  const [session, other] = [await open(), await open()];
  let isOver = false;
  const listen = async (
    at: string,
    token: string,
    signal?: AbortSignal,
  ): Promise<{ readonly over: Promise<unknown> }> => {
    const client = new HttpClient(url, false, { ...bearer(token), 'mcp-session-id': at });
    const listened = Promise.withResolvers<void>();
    const over = client.listen(() => listened.resolve(), signal);
    await Promise.race([listened.promise, over]);
    return { over };
  };
  // The short one is valid for longer than a stream takes to open on this computer under its current load.
  const began = performance.now();
  const leave = new AbortController();
  const tried = await listen(other, next, leave.signal);
  leave.abort();
  await tried.over.catch(() => undefined);
  const end = Math.floor(Date.now() / 1000) + 3 + Math.ceil((10 * (performance.now() - began)) / 1000);
  const short = await idp.sign({ exp: end });
  const { over } = await listen(session, short);
  void over.then(() => (isOver = true));
  expect(isOver).toBe(false);
  await over;
  expect(Date.now()).toBeGreaterThanOrEqual(end * 1000);
  expect((await post(url, 'tools/list', {}, session, short)).status).toBe(401);
  expect((await post(url, 'tools/list', {}, session, next)).status).toBe(200);
});

test.runIf(allCases)(
  'finds the issuer’s new keys; while it is down, accepts known tokens and asks others to retry',
  async () => {
    await using more = new AsyncDisposableStack();
    const { idp, replicas } = await openTeam(more, ['a', 'b']);
    const [first = '', second = ''] = replicas.map(({ url }) => url);
    const ask = async (url: string, key = idp.key): Promise<Response> => knock(url, await idp.sign({}, {}, key));
    expect((await ask(first)).status).toBe(200);
    const next = await signingKey('second');
    idp.useKeys({ keys: [next, idp.key] });
    await expect.poll(async () => (await ask(first, next)).status, { interval: 1_000 }).toBe(200);
    await idp.stop();
    expect((await ask(first)).status).toBe(200);
    // It has never contacted the issuer.
    const away = await ask(second);
    expect([away.status, away.headers.get('retry-after'), away.headers.get('www-authenticate')]).toEqual([
      503,
      '5',
      null,
    ]);
    expect(await away.text()).toContain('Cannot verify tokens');
  },
);

test('with SSO only, rejects personal tokens of users and accepts those of service accounts', async () => {
  await using more = new AsyncDisposableStack();
  const team = await openTeam(more, ['a'], { isSsoOnly: true });
  const all = new TeamPeople(team.replicas[0] as TestReplica);
  await all.people.add({ name: 'nightly', isService: true });
  const statuses = [await team.idp.sign(), teamToken, await all.give('nightly')].map(
    async (token) => (await knock(team.url, token)).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 401, 200]);
});

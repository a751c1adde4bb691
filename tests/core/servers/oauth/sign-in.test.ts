/** Sign-in through a whole core against a real authorization server. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../../scripts/team/engines/free-port.ts';
import { errorText } from '../../../../src-main/core/base/errors.ts';
import { dispatchRpc } from '../../../../src-main/rpc/dispatch-rpc.ts';
import { noApps } from '../../../../src-main/rpc/deps.ts';
import { type OAuthFixture, startOAuthFixture } from '../../../fixtures/servers/oauth-http.ts';
import { startCore, type TestCore } from '../../../support/start-core.ts';
import { until } from '../../../support/until.ts';
import { approve, goThrough, visit } from './browser.ts';

async function oauth(): Promise<OAuthFixture> {
  const fixture = await startOAuthFixture();
  onTestFinished(() => fixture[Symbol.asyncDispose]());
  return fixture;
}

async function coreWith(servers: Record<string, object>): Promise<TestCore> {
  const core = await startCore({ servers });
  onTestFinished(() => core[Symbol.asyncDispose]());
  return core;
}

/** Calls a method like the command line and the dashboard. */
async function ask(core: TestCore, method: string, input: Record<string, unknown>): Promise<Record<string, unknown>> {
  const deps = {
    ...core.host.core,
    addresses: () => core.host.addresses,
    stop: () => undefined,
    desktop: undefined,
    apps: noApps,
  };
  return dispatchRpc(method, input, deps, new AbortController().signal);
}

async function signInUrl(core: TestCore, server: string): Promise<string> {
  return (await ask(core, 'signIn', { server }))['url'] as string;
}

async function whoami(core: TestCore, server = 'far'): Promise<string> {
  const { content } = await ask(core, 'call', { tool: `${server}:whoami`, arguments: {} });
  return (content as { text: string }[])[0]?.text ?? '';
}

async function signedIn(fixture: OAuthFixture): Promise<TestCore> {
  const core = await coreWith({ far: { url: fixture.url } });
  await goThrough(await signInUrl(core, 'far'));
  await until(() => core.server('far').state.kind === 'ready');
  return core;
}

/** A minimal HTTP+SSE server that responds on its one open stream. */
function olderTransport(): NonNullable<OAuthFixture['instead']> {
  let stream: ServerResponse | undefined;
  const version = '2024-11-05';
  const result = { protocolVersion: version, capabilities: {}, serverInfo: { name: 'older', version: '1' } };
  return (request, response, body) => {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write('event: endpoint\ndata: /mcp\n\n');
      return;
    }
    const { id, method } = body as { id?: number; method: string };
    const answer = method === 'initialize' ? { result } : { error: { code: -32601, message: 'Method not found' } };
    if (id !== undefined) stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n\n`);
    response.writeHead(202).end();
  };
}

/** The contents of all files below a home. */
async function written(home: string): Promise<string> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = files
    // A file being written disappears; its text is then in the final file.
    .map((file) => readFile(file, 'utf8').catch(() => ''));
  return (await Promise.all(texts)).join('\n');
}

describe('Sign-in', () => {
  test('waits for the user if a server requires a sign-in, and does not retry', async () => {
    const fixture = await oauth();
    const core = await coreWith({ far: { url: fixture.url } });
    const { health, state } = core.server('far');
    expect([state.kind, health.action?.kind]).toEqual(['pending-sign-in', 'sign-in']);
    expect(health.detail).toContain('tooltray login far');
    // The probe and `initialize`, because a server may support only the latter.
    expect(fixture.requests).toEqual(['POST /mcp 401', 'POST /mcp 401']);
  });

  test('is ready after the browser callback, and a call works', async () => {
    const fixture = await oauth();
    const core = await coreWith({ far: { url: fixture.url } });
    const url = await signInUrl(core, 'far');
    expect([new URL(url).origin, core.server('far').state.kind]).toEqual([fixture.origin, 'authenticating']);
    const page = await goThrough(url);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('You can close this window')]);
    await until(() => core.server('far').state.kind === 'ready');
    expect(await whoami(core)).toBe('the one who signed in');
  });

  test('returns the same page for a second request', async () => {
    const fixture = await oauth();
    const core = await coreWith({ far: { url: fixture.url } });
    expect(await signInUrl(core, 'far')).toBe(await signInUrl(core, 'far'));
  });

  test('signs in to two servers at the same time', async () => {
    const [one, two] = [await oauth(), await oauth()];
    const core = await coreWith({ one: { url: one.url }, two: { url: two.url } });
    const urls = await Promise.all([signInUrl(core, 'one'), signInUrl(core, 'two')]);
    await Promise.all(urls.map(goThrough));
    await until(() => core.host.core.servers.manager.all.every(({ state }) => state.kind === 'ready'));
    expect(await Promise.all([whoami(core, 'one'), whoami(core, 'two')])).toEqual(
      Array(2).fill('the one who signed in'),
    );
  });

  test('keeps a server ready that requires a sign-in for some calls only', async () => {
    const fixture = await oauth();
    for (const method of ['server/discover', 'tools/list']) fixture.open.add(method);
    const core = await coreWith({ far: { url: fixture.url } });
    await expect(whoami(core)).rejects.toMatchObject({ code: 'server_unauthorized' });
    expect(core.server('far').state.kind).toBe('ready');
    await goThrough(await signInUrl(core, 'far'));
    await until(() => core.server('far').state.kind === 'ready');
    expect(await whoami(core)).toBe('the one who signed in');
  });

  test('signs in to a server of the older SSE transport', async () => {
    const fixture = await oauth();
    const core = await coreWith({ far: { url: fixture.url, type: 'sse' } });
    fixture.instead = olderTransport();
    expect(core.server('far').state.kind).toBe('pending-sign-in');
    await goThrough(await signInUrl(core, 'far'));
    await until(() => core.server('far').state.kind === 'ready');
    expect(fixture.requests).toContain('POST /mcp 202');
  });

  test('rejects a call during the sign-in, and a retry cancels the sign-in', async () => {
    const fixture = await oauth();
    const core = await coreWith({ far: { url: fixture.url } });
    const back = await approve(await signInUrl(core, 'far'));
    await expect(core.server('far').ready()).rejects.toMatchObject({ code: 'server_unauthorized' });
    await ask(core, 'restart', { server: 'far' });
    expect(core.server('far').state.kind).toBe('pending-sign-in');
    await expect(visit(back)).rejects.toThrow();
  });
});

describe('Browser callback', () => {
  test('rejects a wrong state and still accepts the right one', async () => {
    const fixture = await oauth();
    const core = await coreWith({ far: { url: fixture.url } });
    const back = await approve(await signInUrl(core, 'far'));
    const forged = new URL(back);
    forged.searchParams.set('state', 'guessed');
    expect((await visit(forged)).status).toBe(400);
    expect([core.server('far').state.kind, fixture.authorization.grants]).toEqual(['authenticating', []]);
    expect((await visit(back)).status).toBe(200);
  });

  test('reports a denied sign-in on the page and in the health', async () => {
    const fixture = await oauth();
    fixture.authorization.denies = true;
    const core = await coreWith({ far: { url: fixture.url } });
    const page = await goThrough(await signInUrl(core, 'far'));
    await until(() => core.server('far').state.kind === 'pending-sign-in');
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('was denied')]);
    expect(core.server('far').health.detail).toBe(
      'far could not be signed in to: access was denied. Sign in again: tooltray login far.',
    );
  });

  test('rejects a response from another issuer', async () => {
    const fixture = await oauth();
    fixture.authorization.wrongIssuer = 'https://other.example';
    const core = await coreWith({ far: { url: fixture.url } });
    const page = await goThrough(await signInUrl(core, 'far'));
    await until(() => core.server('far').state.kind === 'pending-sign-in');
    expect([page.status, fixture.authorization.grants]).toEqual([400, []]);
  });
});

describe('Unsafe addresses', () => {
  const unsafe = ['http://example.com/authorize', 'javascript:alert(1)', 'file:///etc/passwd'];
  test.each(unsafe)('rejects a sign-in page at %s', async (authorization_endpoint) => {
    const fixture = await oauth();
    fixture.authorization.metadata = { authorization_endpoint };
    const core = await coreWith({ far: { url: fixture.url } });
    await expect(signInUrl(core, 'far')).rejects.toMatchObject({ code: 'server_unauthorized' });
    expect(core.server('far').state.kind).toBe('pending-sign-in');
  });

  test('rejects authorization server metadata over plain http from another host', async () => {
    const fixture = await oauth();
    fixture.resource = { authorization_servers: ['http://example.com'] };
    const core = await coreWith({ far: { url: fixture.url } });
    await expect(signInUrl(core, 'far')).rejects.toThrow('http://example.com, which is not safe');
  });
});

describe('Signed-in server', () => {
  test('needs no sign-in after a restart of the core', async () => {
    const fixture = await oauth();
    const home = await mkdtemp(join(tmpdir(), 'tooltray-signed-in-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    {
      await using first = await startCore({ servers: { far: { url: fixture.url } } }, { home });
      await goThrough(await signInUrl(first, 'far'));
      await until(() => first.server('far').state.kind === 'ready');
    }
    await using second = await startCore({ servers: { far: { url: fixture.url } } }, { home });
    expect([second.server('far').state.kind, await whoami(second)]).toEqual(['ready', 'the one who signed in']);
    expect(fixture.authorization.grants).toEqual(['authorization_code']);
  });

  test('stores tokens only in the vault', async () => {
    const core = await signedIn(await oauth());
    const folder = join(core.host.paths.dataDir, 'sign-ins');
    expect((await readdir(folder)).filter((name) => name.endsWith('.json'))).toEqual([]);
    expect(await core.host.core.trust.vault.names('sign-in/')).toHaveLength(1);
  });

  test('refreshes an expired token once for all waiting calls', async () => {
    const fixture = await oauth();
    const core = await signedIn(fixture);
    fixture.authorization.expireTokens();
    const answers = await Promise.all(Array.from({ length: 5 }, () => whoami(core)));
    expect(answers).toEqual(Array(5).fill('the one who signed in'));
    expect(fixture.authorization.grants).toEqual(['authorization_code', 'refresh_token']);
    expect(core.server('far').state.kind).toBe('ready');
  });

  test('waits for a sign-in after tokens were revoked, and works after the new one', async () => {
    const fixture = await oauth();
    const core = await signedIn(fixture);
    fixture.authorization.revoke();
    await expect(whoami(core)).rejects.toMatchObject({
      fix: expect.stringContaining('tooltray login far') as string,
    });
    await until(() => core.server('far').state.kind === 'pending-sign-in');
    await goThrough(await signInUrl(core, 'far'));
    await until(() => core.server('far').state.kind === 'ready');
    expect(await whoami(core)).toBe('the one who signed in');
  });

  test('keeps the sign-in while the authorization server is down', async () => {
    const fixture = await oauth();
    const core = await signedIn(fixture);
    fixture.authorization.expireTokens();
    fixture.authorization.tokenFailure = { status: 503, body: 'down' };
    await expect(whoami(core)).rejects.toThrow('the token could not be refreshed');
    fixture.authorization.tokenFailure = undefined;
    expect(await whoami(core)).toBe('the one who signed in');
  });

  test('shows no token in logs, health or errors, even if the server repeats it', async () => {
    const fixture = await oauth();
    const core = await signedIn(fixture);
    fixture.instead = (request, response) =>
      void response
        .writeHead(500)
        .end(`no: ${request.headers.authorization} ${fixture.authorization.secrets.join(' ')}`);
    const refusal = await whoami(core).catch((error: unknown) => error);
    await core
      .server('far')
      .retry()
      .catch(() => undefined);
    core.host.log.error('A call failed', { refusal, state: core.server('far').state });
    const health = await ask(core, 'state', {});
    core.host.log.flush();
    expect(String(refusal)).toContain('HTTP 500: no: Bearer ***');
    const seen = [errorText(refusal), JSON.stringify([refusal, health]), await written(core.home)].join('\n');
    const [code, ...tokens] = fixture.authorization.secrets;
    expect(tokens.filter((secret) => seen.includes(secret))).toEqual([]);
    expect([tokens.length, code?.startsWith('code-')]).toEqual([2, true]);
  });
});

describe('Authorization server of an earlier revision', () => {
  test.each([
    ['404', { status: 404, body: 'not found' }],
    ['a page', { status: 200, body: '<!doctype html><p>hello' }],
  ])('uses the default endpoints if it returns %s instead of metadata', async (_what, noMetadata) => {
    const fixture = await oauth();
    fixture.authorization.noMetadata = noMetadata;
    const core = await coreWith({ far: { url: fixture.url } });
    await goThrough(await signInUrl(core, 'far'));
    await until(() => core.server('far').state.kind === 'ready');
    expect(await whoami(core)).not.toBe('');
  });
});

describe('Invalid token response', () => {
  test.each([
    [
      'a refusal with status 200',
      '{"error":"bad_verification_code","error_description":"expired"}',
      'bad_verification_code',
    ],
    ['no token', '{"token_type":"bearer"}', 'access_token'],
    ['no JSON', '<html>', ''],
    ['a list', '[]', ''],
  ])('reports it: %s', async (_what, body, named) => {
    const fixture = await oauth();
    const core = await coreWith({ far: { url: fixture.url } });
    const url = await signInUrl(core, 'far');
    fixture.authorization.tokenFailure = { status: 200, body };
    await goThrough(url).catch(() => undefined);
    await until(() => core.server('far').state.kind === 'pending-sign-in');
    const { detail } = core.server('far').health;
    expect(detail).toContain(named);
    expect(detail).not.toMatch(/Zod|SyntaxError|\(Error\)/);
  });
});

describe('Server without a sign-in', () => {
  test('uses only the configured key, and suggests to check it after a 401', async () => {
    const fixture = await oauth();
    const core = await coreWith({ far: { url: fixture.url, headers: { authorization: 'Bearer wrong-key-1234' } } });
    expect(core.server('far').health.detail).toContain("Check the key in the server's headers.");
    expect(core.server('far').health.detail).not.toContain('sign-in');
    await expect(signInUrl(core, 'far')).rejects.toMatchObject({ code: 'unsupported' });
    expect(fixture.requests).toEqual(['POST /mcp 401', 'POST /mcp 401']);
  });

  test('reports a server that allows no dynamic registration', async () => {
    const fixture = await oauth();
    fixture.authorization.metadata = { registration_endpoint: undefined };
    const core = await coreWith({ far: { url: fixture.url } });
    await expect(signInUrl(core, 'far')).rejects.toThrow('does not support dynamic client registration');
  });
});

describe('Manually registered client', () => {
  async function byHand(oauth: object, registered: { secret: string; redirectUri?: string }) {
    const fixture = await oauth_(registered);
    const core = await coreWith({ far: { url: fixture.url, oauth } });
    await goThrough(await signInUrl(core, 'far'));
    await until(() => core.server('far').state.kind === 'ready');
    return { fixture, core };
  }

  /** Does not register dynamically. */
  async function oauth_(registered: { secret: string; redirectUri?: string }): Promise<OAuthFixture> {
    const fixture = await oauth();
    fixture.authorization.metadata = {
      registration_endpoint: undefined,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    };
    fixture.authorization.registeredByHand.set('by-hand', registered);
    return fixture;
  }

  test('signs in and refreshes with its scopes and parameters, without a registration', async () => {
    const { fixture, core } = await byHand(
      {
        client_id: 'by-hand',
        client_secret: 's3cret-of-the-client',
        scopes: ['a', 'b'],
        extra_params: { audience: 'x' },
      },
      { secret: 's3cret-of-the-client' },
    );
    expect(await whoami(core)).toBe('the one who signed in');
    expect(Object.fromEntries(fixture.authorization.authorizations[0] ?? [])).toMatchObject({
      client_id: 'by-hand',
      scope: 'a b',
      audience: 'x',
    });
    fixture.authorization.expireTokens();
    expect(await whoami(core)).toBe('the one who signed in');
    expect([fixture.authorization.registrations, fixture.authorization.grants]).toEqual([
      0,
      ['authorization_code', 'refresh_token'],
    ]);
    expect(core.host.core.context.masker.maskText('s3cret-of-the-client')).not.toContain('s3cret-of-the-client');
  });

  test('can keep its secret in the vault only', async () => {
    const fixture = await oauth_({ secret: 's3cret-in-the-vault' });
    const oauth = { clientId: 'by-hand', clientSecret: '${secret:FAR_CLIENT}' };
    const core = await coreWith({ far: { url: fixture.url, oauth } });
    await core.host.core.trust.secrets.set('FAR_CLIENT', 's3cret-in-the-vault');
    await until(() => core.server('far').state.kind === 'pending-sign-in');
    await goThrough(await signInUrl(core, 'far'));
    await until(() => core.server('far').state.kind === 'ready');
    fixture.authorization.expireTokens();
    expect(await whoami(core)).toBe('the one who signed in');
    expect(await written(core.home)).not.toContain('s3cret-in-the-vault');
  });

  test('uses the exact redirect address that was registered', async () => {
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback/here`;
    const { fixture } = await byHand(
      { client_id: 'by-hand', client_secret: 'x1y2z3', redirect_uri: redirectUri },
      { secret: 'x1y2z3', redirectUri },
    );
    expect(fixture.authorization.authorizations[0]?.get('redirect_uri')).toBe(redirectUri);
  });
});

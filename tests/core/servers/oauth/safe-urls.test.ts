/** Addresses that a sign-in may use, checked in the URL, after name resolution and after redirects. */
import type { LookupFunction } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { HttpServerConfig } from '../../../../src-main/core/config/server-config.ts';
import { dialedAddress, HttpFetch } from '../../../../src-main/core/servers/network/http-fetch.ts';
import { addressKindOf, isSafeUrl, dialRule } from '../../../../src-main/core/servers/oauth/safe-urls.ts';
import type { ServerOAuth } from '../../../../src-main/core/servers/oauth/server-oauth.ts';
import { OAuthManager } from '../../../../src-main/core/servers/oauth/oauth-manager.ts';
import { serve } from '../transports/http-harness.ts';
import { plainVault } from '../../../support/plain-vault.ts';

/** Resolves names with the table, one address list per lookup; counts the lookups. */
function names(table: Readonly<Record<string, readonly string[]>>): LookupFunction & { asked: number } {
  const resolve = (host: string, options: { all?: boolean }, callback: (...args: unknown[]) => void): void => {
    const addresses = table[host] ?? [];
    const address = addresses[Math.min(answer.asked++, addresses.length - 1)] ?? '';
    if (address === '') return callback(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }));
    const found = address.split(' ').map((one) => ({ address: one, family: one.includes(':') ? 6 : 4 }));
    if (options.all === true) callback(null, found);
    else callback(null, found[0]?.address, found[0]?.family);
  };
  const answer = Object.assign(resolve as unknown as LookupFunction, { asked: 0 });
  return answer;
}

test.each([
  // A server on the internet.
  ['https://mcp.example/', undefined, 'https://login.example/', true],
  ['https://mcp.example/', undefined, 'http://login.example/', false],
  ['https://mcp.example/', undefined, 'https://10.0.0.1/', false],
  ['https://mcp.example/', undefined, 'https://[fd00::1]/', false],
  ['https://mcp.example/', undefined, 'https://169.254.169.254/latest', false],
  ['https://mcp.example/', undefined, 'https://127.0.0.1/', false],
  ['https://mcp.example/', undefined, 'https://[::ffff:127.0.0.1]/', false],
  ['https://mcp.example/', undefined, 'https://2130706433/', false],
  ['https://mcp.example/', undefined, 'https://0.0.0.0/', false],
  ['https://mcp.example/', '93.184.215.14', 'https://192.168.1.1/', false],
  // A server in the user's private network, whatever its name.
  ['https://mcp.corp.example/', '10.1.2.3', 'https://10.9.9.9/', true],
  ['https://mcp.corp.example/', '10.1.2.3', 'http://10.9.9.9/', false],
  ['https://mcp.corp.example/', '10.1.2.3', 'https://169.254.169.254/', false],
  ['https://mcp.corp.example/', '10.1.2.3', 'https://127.0.0.1/', false],
  ['http://192.168.1.5:8080/', undefined, 'https://192.168.1.6/', true],
  ['http://192.168.1.5:8080/', undefined, 'https://login.example/', true],
  // A server on this computer.
  ['http://127.0.0.1:9/', undefined, 'http://localhost:8080/', true],
  ['http://localhost:9/', undefined, 'https://10.0.0.1/', true],
  ['http://localhost:9/', undefined, 'http://10.0.0.1/', false],
  ['http://localhost:9/', undefined, 'https://user@login.example/', false],
])('for a server at %s that responded from %s, checks whether %s is safe: %s', (server, from, url, safe) => {
  expect(isSafeUrl(new URL(url), addressKindOf(server, from))).toBe(safe);
});

async function dial(http: HttpFetch, url: string): Promise<string> {
  const guarded = http.guarded(dialRule('public'), (host) => new Error(`${host} is refused`));
  return (await guarded(url)).text();
}

function fetchWith(lookup: LookupFunction, env: Record<string, string> = {}): HttpFetch {
  const http = new HttpFetch({ env, lookup });
  onTestFinished(() => http.close());
  return http;
}

test('does not connect to a name that resolves to a private network', async () => {
  const seen: (string | undefined)[] = [];
  const inside = await serve((request, response) => {
    seen.push(request.url);
    response.end('secret');
  });
  const port = new URL(inside.origin).port;
  const http = fetchWith(names({ 'login.example': ['127.0.0.1'], 'both.example': ['127.0.0.1 ::1 10.0.0.1'] }));
  await expect(dial(http, `http://login.example:${port}/`)).rejects.toThrow('login.example is refused');
  await expect(dial(http, `http://both.example:${port}/`)).rejects.toThrow('both.example is refused');
  expect(seen).toEqual([]);
});

test('checks the address of a name at every connection', async () => {
  const inside = await serve((_request, response) => response.end('secret'));
  const port = new URL(inside.origin).port;
  const lookup = names({ 'rebound.example': ['127.0.0.1', '10.0.0.1', '127.0.0.1'] });
  const http = fetchWith(lookup);
  const url = `http://rebound.example:${port}/`;
  const near = http.guarded(dialRule('loopback'), () => new Error('refused'));
  expect(await (await near(url)).text()).toBe('secret');
  await expect(dial(http, url)).rejects.toThrow('is refused');
  await expect(dial(http, url)).rejects.toThrow('is refused');
  expect(lookup.asked).toBe(3);
});

test('does not reuse a connection that was allowed for another server', async () => {
  const inside = await serve((_request, response) => response.end('inside'));
  const port = new URL(inside.origin).port;
  const http = fetchWith(names({ 'login.example': ['127.0.0.1'] }));
  const url = `http://login.example:${port}/`;
  expect(await (await http.fetch(url)).text()).toBe('inside');
  await expect(dial(http, url)).rejects.toThrow('is refused');
});

test('connects only to the allowed ones of several addresses', async () => {
  const inside = await serve((_request, response) => response.end('here'));
  const http = fetchWith(names({ 'login.example': ['10.255.255.1 127.0.0.1'] }));
  const guarded = http.guarded(
    (address) => address === '127.0.0.1',
    () => new Error('refused'),
  );
  const response = await guarded(`http://login.example:${new URL(inside.origin).port}/`);
  expect([await response.text(), dialedAddress(response)]).toEqual(['here', '127.0.0.1']);
});

test('allows a proxy at any address and does not take it for the address of the server', async () => {
  const proxy = await serve((_request, response) => response.end('from the proxy'));
  const http = fetchWith(names({}), { HTTP_PROXY: proxy.origin });
  const guarded = http.guarded(dialRule('public'), (host) => new Error(`${host} is refused`));
  const response = await guarded('http://login.example/');
  expect([await response.text(), dialedAddress(response)]).toEqual(['from the proxy', undefined]);
});

function serverAt(url: string, lookup: LookupFunction): ServerOAuth {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-safe-'));
  const signIns = new OAuthManager({ folder, vault: plainVault(folder), env: {}, lookup });
  onTestFinished(() => {
    signIns.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return signIns.get({ kind: 'http', name: 'far', url, headers: {} } as unknown as HttpServerConfig);
}

function refusal(metadata: string): Response {
  return new Response(null, { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` } });
}

test('does not let a public server make Tooltray request this machine, by address or by name', async () => {
  const seen: (string | undefined)[] = [];
  const inside = await serve((request, response) => {
    seen.push(request.url);
    response.end('{}');
  });
  const port = new URL(inside.origin).port;
  const far = serverAt(
    'https://mcp.example/mcp',
    names({ 'mcp.example': ['127.0.0.1'], 'login.example': ['127.0.0.1'] }),
  );
  for (const url of [`${inside.origin}/m`, `http://login.example:${port}/m`, `https://login.example:${port}/m`]) {
    far.onUsed(refusal(url));
    await expect(far.start()).rejects.toThrow('which is not safe');
  }
  expect(seen).toEqual([]);
});

test('does not follow a redirect of metadata to another origin', async () => {
  const seen: (string | undefined)[] = [];
  const away = await serve((request, response) => {
    seen.push(`away ${request.url}`);
    response.end('{}');
  });
  const here = await serve((request, response) => {
    seen.push(`here ${request.url}`);
    response.writeHead(307, { location: `${away.origin}${request.url}` }).end();
  });
  const near = serverAt(`${here.origin}/mcp`, names({}));
  await expect(near.start()).rejects.toMatchObject({ code: 'server_unauthorized' });
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.filter((one) => one?.startsWith('away'))).toEqual([]);
});

/** Queries registries over HTTP and in files; a failing registry is never treated as an empty one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RegistryConfig } from '../../../src-main/core/config/app-config.ts';
import { fetchRegistry } from '../../../src-main/core/registry/registry-client.ts';
import { Registries } from '../../../src-main/core/registry/registries.ts';
import { HttpFetch } from '../../../src-main/core/servers/network/http-fetch.ts';
import { registryFile, startRegistry, type TestRegistry } from '../../fixtures/registry/registry-server.ts';

const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'tooltray-registry-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function open(place: Partial<RegistryConfig>, limits = { ms: 2000, bytes: 200_000 }): Registries {
  const http = new HttpFetch({ env: {} });
  onTestFinished(() => http.close());
  return new Registries({
    http,
    registries: () => [{ name: 'official', url: '', ...place }],
    now: () => clock,
    limits,
  });
}

let clock = 0;

async function started(answer?: RequestListener): Promise<TestRegistry> {
  const registry = await startRegistry({ answer });
  onTestFinished(() => registry[Symbol.asyncDispose]());
  return registry;
}

const all = { query: '', limit: 30 };

test('follows pages to the last one', async () => {
  const { url, asked } = await started();
  const registries = open({ url });
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await registries.search({ query: 'many/', limit: 20, cursor }, signal);
    names.push(...page.servers.map(({ name }) => name));
    cursor = page.next;
  } while (cursor !== undefined);
  expect([names.length, new Set(names).size, asked.length]).toEqual([45, 45, 3]);
  expect(asked[0]).toBe('/v0.1/servers?search=many%2F&version=latest&limit=20');
});

test('finds the latest or a named version of a server, and rejects an unknown one with not_found', async () => {
  const registries = open(await started());
  const name = 'io.github.modelcontextprotocol/filesystem';
  const found = await Promise.all(
    [undefined, '1.0.2'].map((version) => registries.find(undefined, name, version, signal)),
  );
  expect(found.map(({ server }) => server.version)).toEqual(['1.1.0', '1.0.2']);
  await expect(registries.find(undefined, name, '9.9.9', signal)).rejects.toMatchObject({ code: 'not_found' });
});

test('caches a response for a minute, but not a failure', async () => {
  let isDown = true;
  const registry = await startRegistry({});
  onTestFinished(() => registry[Symbol.asyncDispose]());
  const front = await started((request, response) => {
    if (isDown) return void response.writeHead(503).end();
    return void response.writeHead(307, { location: `${registry.url}${request.url}` }).end();
  });
  const registries = open(front);
  await expect(registries.search(all, signal)).rejects.toThrow('HTTP 503');
  isDown = false;
  await registries.search(all, signal);
  await registries.search(all, signal);
  expect(registry.asked.length).toBe(1);
  clock += 61_000;
  await registries.search(all, signal);
  expect(registry.asked.length).toBe(2);
});

describe('reports the failure of a registry:', () => {
  test.each<[string, RequestListener, string]>([
    ['an error', (_, response) => response.writeHead(500).end('{"servers":[]}'), 'HTTP 500'],
    [
      'another API',
      (_, response) => response.writeHead(404).end(),
      'it returned HTTP 404 and does not seem to be a version 0.1 registry',
    ],
    ['no JSON', (_, response) => response.end('<html>'), 'not JSON'],
    ['something else', (_, response) => response.end('{"servers":{}}'), 'is not a list of servers'],
    ['nothing', (request) => request.socket.destroy(), 'the connection was reset'],
    [
      'too much',
      (_, response) => response.end(JSON.stringify({ servers: ['x'.repeat(300_000)] })),
      'longer than 200 kB',
    ],
    ['nested without end', (_, response) => response.end('['.repeat(100_000)), 'not JSON'],
    [
      'round in circles',
      (_, response) => response.writeHead(302, { location: '/again' }).end(),
      'it has too many redirects',
    ],
    [
      'a way without https',
      (_, response) => response.writeHead(302, { location: 'http://example.com/' }).end(),
      'not safe',
    ],
  ])('%s', async (_, answer, why) => {
    const registries = open(await started(answer));
    const asked = registries.search(all, signal);
    await expect(asked).rejects.toMatchObject({
      code: 'registry_failed',
      message: expect.stringContaining(why) as string,
    });
  });

  test('no response in time', async () => {
    const registries = open(await started(() => undefined), { ms: 100, bytes: 1000 });
    await expect(registries.search(all, signal)).rejects.toThrow('did not respond within 0.1 s');
  });

  test('an endless response', async () => {
    const registries = open(await started((_, response) => void response.write('{"servers":[')), {
      ms: 150,
      bytes: 1000,
    });
    await expect(registries.search(all, signal)).rejects.toThrow('did not respond within 0.15 s');
  });

  test('an unreachable address', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.close();
    await expect(open({ url }).search(all, signal)).rejects.toMatchObject({ code: 'registry_failed' });
  });
});

test('rejects redirects of a public registry to this machine or its networks', async () => {
  const inside = await started();
  const http = new HttpFetch({ env: {} });
  onTestFinished(() => http.close());
  // Behaves like a public host name; it cannot be distinguished from one.
  const leads = async (location: string): Promise<unknown> => {
    const front = await started((_, response) => response.writeHead(302, { location }).end());
    const pretended = Object.assign(Object.create(http) as HttpFetch, {
      fetch: async (url: string | URL, init?: RequestInit) => {
        const response = await http.fetch(String(url).replace('https://out.test', front.url), init);
        return new Response(null, { status: response.status, headers: response.headers });
      },
    });
    return fetchRegistry({ name: 'out', url: 'https://out.test' }, '/v0.1/servers', pretended, signal);
  };
  await expect(leads(`${inside.url}/v0.1/servers`)).rejects.toThrow('not safe');
  await expect(leads('https://10.0.0.1/')).rejects.toThrow('not safe');
  await expect(leads('https://localhost:1/')).rejects.toThrow('not safe');
  expect(inside.asked).toEqual([]);
});

describe('a file', () => {
  test('is searched by every word, in pages, without older versions', async () => {
    const registries = open({ url: registryFile });
    const page = await registries.search({ query: 'weather place', limit: 5 }, signal);
    expect(page.servers.map(({ name }) => name)).toEqual(['io.github.example/weather-mcp']);
    const [first, second] = [{ limit: 6 }, { limit: 6, cursor: '6' }];
    const pages = await Promise.all([first, second].map((part) => registries.search({ query: '', ...part }, signal)));
    expect(pages.map(({ servers, next }) => [servers.length, next])).toEqual([
      [6, '6'],
      [3, undefined],
    ]);
    const older = await registries.find(undefined, 'io.github.modelcontextprotocol/filesystem', '1.0.2', signal);
    expect(older.server.version).toBe('1.0.2');
  });

  test('is rejected if it does not exist or has is not a list of servers', async () => {
    const file = join(folder, 'no-list.json');
    writeFileSync(file, '{"a":1}');
    await expect(open({ url: file }).search(all, signal)).rejects.toThrow('is not a list of servers');
    await expect(open({ url: join(folder, 'none.json') }).search(all, signal)).rejects.toMatchObject({
      code: 'registry_failed',
    });
  });

  test('counts invalid entries and returns the others', async () => {
    const file = join(folder, 'mixed.json');
    writeFileSync(file, JSON.stringify([{ name: 'a/b', version: '1' }, 'nonsense', { server: {} }]));
    expect(await open({ url: file }).search(all, signal)).toMatchObject({ servers: [{ name: 'a/b' }], unreadable: 2 });
  });
});

test('rejects an unknown registry and names the known ones', async () => {
  const asked = open({ url: registryFile }).search({ ...all, registry: 'other' }, signal);
  await expect(asked).rejects.toMatchObject({ code: 'not_found', fix: expect.stringContaining('official') as string });
});

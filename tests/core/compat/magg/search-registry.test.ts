import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { searchRegistry } from '../../../../src-main/core/compat/magg/search-registry.ts';

async function registry(listener: RequestListener): Promise<{ url: string } & AsyncDisposable> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v0/servers`;
  return { url, [Symbol.asyncDispose]: async () => void server.close().closeAllConnections() };
}

const never = new AbortController().signal;

test('servers are found with their page and the command that starts them', async () => {
  let asked = '';
  const repository = { url: 'https://code.test/a' };
  const servers = [
    {
      server: {
        name: 'a',
        description: 'An a.',
        repository,
        packages: [{ registryType: 'npm', identifier: '@x/a', version: '1.2.0' }],
      },
    },
    { server: { name: 'b', remotes: [{ type: 'streamable-http', url: 'https://b.test/mcp' }] } },
    { name: 'c', packages: [{ registryType: 'pypi', identifier: 'c' }] },
    { name: 'too many' },
    'nonsense',
  ];
  await using source = await registry((request, response) => {
    asked = request.url ?? '';
    response.end(JSON.stringify({ servers }));
  });
  const { servers: found } = await searchRegistry('a & b', 3, never, source.url);
  expect(found).toEqual([
    {
      source: 'mcp-registry',
      name: 'a',
      description: 'An a.',
      url: 'https://code.test/a',
      install_command: 'npx -y @x/a@1.2.0',
    },
    { source: 'mcp-registry', name: 'b', description: '', url: 'https://b.test/mcp' },
    { source: 'mcp-registry', name: 'c', description: '', install_command: 'uvx c' },
  ]);
  expect(asked).toBe('/v0/servers?search=a+%26+b&version=latest&limit=3');
});

test.each<[string, RequestListener, string]>([
  ['an error', (_, response) => response.writeHead(500).end('{"servers":[{"name":"a"}]}'), 'HTTP 500'],
  ['no JSON', (_, response) => response.end('<html>'), 'no JSON'],
  ['something else', (_, response) => response.end('{"servers":{}}'), 'no list of servers'],
  ['nothing', (request) => request.socket.destroy(), 'could not be reached'],
])('a registry that answers with %s has no servers, and that is told', async (_, listener, why) => {
  await using source = await registry(listener);
  const failure: unknown = expect.stringMatching(`^The MCP registry was not searched: .*${why}`);
  expect(await searchRegistry('a', 5, never, source.url)).toEqual({ servers: [], failure });
});

/** HttpFetch: proxies and interrupted streams. */
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { HttpFetch } from '../../../../src-main/core/servers/network/http-fetch.ts';
import { handServer, serve } from '../transports/http-harness.ts';

function newFetch(env: Record<string, string>): HttpFetch {
  const http = new HttpFetch({ env });
  onTestFinished(() => http.close());
  return http;
}

test('uses the proxy of the environment unless NO_PROXY names the host', async () => {
  const asked: (string | undefined)[] = [];
  const proxy = await serve((request, response) => {
    asked.push(request.url);
    response.end('from the proxy');
  });
  const http = newFetch({ HTTP_PROXY: proxy.origin, NO_PROXY: 'near.invalid' });
  expect(await (await http.fetch('http://far.invalid/mcp')).text()).toBe('from the proxy');
  await expect(http.fetch('http://near.invalid/mcp')).rejects.toMatchObject({ syscall: 'getaddrinfo' });
  expect(asked).toEqual(['http://far.invalid/mcp']);
});

test('never uses a proxy for servers on this machine', async () => {
  const { url, seen } = await handServer((_seen, response) => response.end('direct'));
  const http = newFetch({ HTTP_PROXY: 'http://127.0.0.1:1' });
  const response = await http.fetch(url, { method: 'POST', body: 'größe', headers: { 'x-a': 'b' } });
  expect([await response.text(), seen[0]?.body, seen[0]?.headers['x-a']]).toEqual(['direct', 'größe', 'b']);
});

test('rejects for the reader of a body that breaks off', async () => {
  const { href } = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setTimeout(() => response.destroy(), 5);
  });
  const response = await newFetch({}).fetch(href);
  await expect(text(response.body as never)).rejects.toThrow();
});

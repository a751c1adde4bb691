/** Errors of proxies, certificates and sign-in pages name what the user can change. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { networkError, statusError } from '../../../../src-main/core/servers/network/http-errors.ts';
import { HttpFetch } from '../../../../src-main/core/servers/network/http-fetch.ts';
import { serversHarness } from '../servers-harness.ts';

const place = { serverName: 's', url: 'http://mcp.example.com/mcp' };

async function failureOf(fetch: HttpFetch): Promise<unknown> {
  return fetch.fetch(place.url).then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('names the proxy that cannot be reached, its variable and NO_PROXY', async () => {
  const fetch = new HttpFetch({ env: { HTTP_PROXY: 'http://127.0.0.1:9' } });
  const { message, fix } = networkError(place, await failureOf(fetch));
  fetch.close();
  expect(message).toContain('127.0.0.1:9 of HTTP_PROXY');
  expect(fix).toContain('add mcp.example.com to NO_PROXY');
});

test.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])(
  'names network.extraCaFile for %s',
  (code) => expect(networkError(place, Object.assign(new Error(code), { code })).fix).toContain('network.extraCaFile'),
);

test('treats a web page as a sign-in page of the network, whatever its status', async () => {
  expect(statusError(place, 511, '<!DOCTYPE html><p>Pay here').data).toMatchObject({ isPage: true });
  const web = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>Welcome to the hotel</html>');
  }).listen(0, '127.0.0.1');
  await once(web, 'listening');
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/mcp`;
  const harness = serversHarness();
  const server = harness.server(harness.http('hotel', url));
  void server.start();
  await expect.poll(() => server.state.kind).toBe('error');
  expect(server.state).toMatchObject({ error: { data: { isPage: true } } });
  await server.stop();
  web.close();
});

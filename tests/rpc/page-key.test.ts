/** The page's signatures on a real server: each signature is accepted once, and the response proves who sent it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signRequest } from '../../src-renderer/lib/page-key.ts';
import { startCore, type TestCore } from '../support/start-core.ts';

let core: TestCore;
const kept = new Map<string, string>();
beforeAll(async () => {
  // Browser APIs that the page's module needs besides crypto.
  globalThis.localStorage = { getItem: (name: string) => kept.get(name) ?? null } as unknown as Storage;
  core = await startCore({ servers: {} }, { askToken: true });
  kept.set('tooltray.key', core.host.pageKey);
});
afterAll(() => core[Symbol.asyncDispose]());

const body = '{}';

function send(path: string, headers: Readonly<Record<string, string>>, text = body): Promise<Response> {
  const url = new URL(path, core.url);
  return fetch(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: text });
}

test('answers a signed request with a proof, and the key is never sent', async () => {
  const { headers, isAnsweredBy } = await signRequest('POST', '/rpc/state', body);
  const response = await send('/rpc/state', headers);
  expect([response.status, isAnsweredBy(response)]).toEqual([200, true]);
  expect(JSON.stringify(headers)).not.toContain(core.host.pageKey);
});

test('accepts a signature once, only for its path and body, and for a limited time', async () => {
  const { headers } = await signRequest('POST', '/rpc/state', body);
  expect((await send('/rpc/setPaused', headers)).status).toBe(401);
  expect((await send('/rpc/state', headers)).status).toBe(200);
  expect((await send('/rpc/state', headers)).status).toBe(401);
  const other = await signRequest('POST', '/rpc/state', body);
  expect((await send('/rpc/state', other.headers, '{"a":1}')).status).toBe(401);
  const [, rest = ''] = /^Tooltray \d+(.*)$/.exec(other.headers['authorization'] ?? '') ?? [];
  expect((await send('/rpc/state', { authorization: `Tooltray ${Date.now()}${rest}` })).status).toBe(401);
});

test('rejects a response of another program', async () => {
  const { isAnsweredBy } = await signRequest('POST', '/rpc/state', body);
  expect(isAnsweredBy(new Response('{}'))).toBe(false);
  expect(isAnsweredBy(new Response('{}', { headers: { 'tooltray-proof': 'x'.repeat(43) } }))).toBe(false);
});

test('the key changes with each start, and an earlier one is rejected', async () => {
  await using next = await startCore({ servers: {} }, { askToken: true });
  expect(next.host.pageKey).not.toBe(core.host.pageKey);
  const { headers } = await signRequest('GET', '/rpc/events');
  expect((await fetch(new URL('/rpc/events', next.url), { headers })).status).toBe(401);
});

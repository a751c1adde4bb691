/** A profile's token opens only the profile's endpoint until it expires, whatever its holder claims to be. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { ask } from '../rpc/dashboard-client.ts';

const config = {
  servers: { one: fixture('echo'), two: fixture('compat', 'A') },
  profiles: { narrow: { servers: ['one'] }, wide: {} },
  appProfiles: { trusted: 'wide' },
};
const day = 24 * 60 * 60_000;

/** Until timers have expired. */
const patience = { timeout: 30_000 };

let core: TestCore;
beforeAll(async () => {
  core = await startCore(config, { askToken: true });
});
afterAll(() => core[Symbol.asyncDispose]());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const give = async (profile = 'narrow', expiresAt = Date.now() + day) =>
  (await ask(core, 'createProfileToken', { profile, expiresAt })) as { id: string; token: string; url: string };

/** The random half of a token, which may contain an underscore itself. */
const secretOf = (token: string) => token.slice(-43);

async function knock(path: string, token?: string): Promise<{ status: number; text: string }> {
  const clientInfo = { name: 'x', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const response = await fetch(`${core.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && bearer(token)),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  return { status: response.status, text: await response.text() };
}

async function toolNames(client: HttpClient, name: string): Promise<string[]> {
  const clientInfo = { name, version: '1' };
  await client.exchange('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  const { message } = await client.exchange('tools/list');
  return (message.result as { tools: { name: string }[] }).tools.map((tool) => tool.name);
}

async function modernNames(client: HttpClient, name: string): Promise<string[]> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name, version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const { message } = await client.exchange('tools/list', { _meta });
  return (message.result as { tools: { name: string }[] }).tools.map((tool) => tool.name);
}

const accessRecords = async (): Promise<string[]> => {
  const { entries } = await ask(core, 'auditEntries', { kinds: ['access', 'refusal'] });
  return (entries as { summary: string }[]).map(({ summary }) => summary);
};

test('a token opens only its own endpoint, for any request', async () => {
  const { token, url } = await give();
  expect(url).toBe(`${core.url}/p/narrow`);
  expect((await knock('/p/narrow', token)).status).toBe(200);
  const others = ['', '/p/wide', '/mode/proxy', '/server/two', '/app/trusted', '/p/nobody'];
  const codes = await Promise.all(others.map(async (path) => (await knock(path, token)).status));
  expect(codes).toEqual(others.map(() => 401));
});

test('a token stays in its profile whatever app it claims to be, in both protocols', async () => {
  const { token, url } = await give();
  const [legacy, modern] = [new HttpClient(url, false, bearer(token)), new HttpClient(url, true, bearer(token))];
  const own = await toolNames(new HttpClient(url, false, bearer(token)), 'nobody');
  expect(own.length).toBeGreaterThan(0);
  expect(own.join()).not.toContain('reverse');
  // An app to which the user assigned a wider profile.
  expect([await toolNames(legacy, 'trusted'), await modernNames(modern, 'trusted')]).toEqual([own, own]);
});

test('stores a token as a hash in a file that only the user can read, and shows it once', async () => {
  const { token, id } = await give();
  const file = join(core.host.paths.dataDir, 'profile-tokens.json');
  const kept = readFileSync(file, 'utf8');
  expect(kept).toContain(id);
  expect(kept).not.toContain(secretOf(token));
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.stringify(await ask(core, 'profiles', {}))).not.toContain(secretOf(token));
});

test('rejects revoked, expired and unknown tokens, and names the reason of the first two', async () => {
  const [revoked, short] = [await give(), await give('narrow', Date.now() + 2000)];
  await ask(core, 'revokeProfileToken', { id: revoked.id });
  await expect.poll(async () => (await knock('/p/narrow', short.token)).status, patience).toBe(401);
  const said = await Promise.all(
    [revoked.token, short.token, 'tooltray_nothing', undefined].map((token) => knock('/p/narrow', token)),
  );
  expect(said.map(({ status, text }) => [status, text])).toEqual([
    [401, expect.stringContaining('This token of the profile narrow was revoked')],
    [401, expect.stringContaining('This token of the profile narrow has expired')],
    [401, expect.stringContaining('This token is not valid for this URL.')],
    [401, expect.stringContaining('Authentication required')],
  ]);
  // At another endpoint it is unknown: the profile's existence is not revealed.
  expect((await knock('/p/wide', revoked.token)).text).toContain('This token is not valid for this URL.');
  // A prefix of it, or with another suffix, is invalid.
  const { token } = await give();
  const near = [
    token.slice(0, -1),
    `${token}A`,
    token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    token.toUpperCase(),
  ];
  expect(await Promise.all(near.map(async (one) => (await knock('/p/narrow', one)).status))).toEqual([
    401, 401, 401, 401,
  ]);
});

test('ends a stream when its token is revoked, and a session when it expires', async () => {
  const began = performance.now();
  const revoked = await give();
  const stream = new HttpClient(revoked.url, false, bearer(revoked.token));
  await stream.initialize();
  const openedMs = performance.now() - began;
  const heard = Promise.withResolvers<void>();
  const ended = stream
    .listen(() => heard.resolve())
    .then(
      () => 'ended',
      () => 'ended',
    );
  await heard.promise;
  await ask(core, 'revokeProfileToken', { id: revoked.id });
  expect(await ended).toBe('ended');

  // Valid for longer than a session takes to open on this computer under its current load.
  const short = await give('narrow', Date.now() + 3000 + Math.ceil(10 * openedMs));
  const running = new HttpClient(short.url, false, bearer(short.token));
  await running.initialize();
  const open = () => core.host.core.clients.sessions.all.filter(({ client }) => client === 'http-client').length;
  expect(open()).toBe(1);
  await expect.poll(open, patience).toBe(0);
});

test('audits that a token was issued, revoked and rejected, without the token', async () => {
  const { id, token } = await give('wide');
  await ask(core, 'revokeProfileToken', { id });
  await knock('/p/wide', token);
  await knock('/p/wide', 'tooltray_nothing');
  const told = await accessRecords();
  expect(told).toEqual(
    expect.arrayContaining([
      expect.stringContaining(`Token ${id} of the profile wide was given.`),
      expect.stringContaining(`Token ${id} of the profile wide was revoked.`),
      expect.stringContaining('This token of the profile wide was revoked'),
      expect.stringContaining('This token is not valid for this URL.'),
    ]),
  );
  expect(told.join()).not.toContain(secretOf(token));
});

test('issues no token for an unknown profile, nor without an expiry within a year', async () => {
  const said = await Promise.all([
    give('nobody'),
    give('narrow', Date.now() - 1000),
    give('narrow', Date.now() + 400 * day),
    ask(core, 'revokeProfileToken', { id: 'nothing' }),
  ]);
  expect(said.map((answer) => (answer as { error?: { message: string } }).error?.message)).toEqual([
    'No profile named "nobody".',
    'A token must expire in the future, within one year.',
    'A token must expire in the future, within one year.',
    'No token with the ID "nothing".',
  ]);
});

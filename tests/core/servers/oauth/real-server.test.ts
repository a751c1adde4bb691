/** Sign-in at a real authorization server (oidc-provider): refresh, rotation, more scopes, two accounts and sign-out. */
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OrphanedSignIns } from '../../../../src-main/core/admin/orphaned-sign-ins.ts';
import { clientMetadataDocument } from '../../../../src-main/core/servers/oauth/client-metadata-document.ts';
import { dispatchRpc } from '../../../../src-main/rpc/dispatch-rpc.ts';
import type { RpcMethods } from '../../../../src-main/rpc/contract.ts';
import { noApps } from '../../../../src-main/rpc/deps.ts';
import { type OidcFixture, startOidcFixture } from '../../../fixtures/servers/oidc-http.ts';
import { startCore, type TestCore } from '../../../support/start-core.ts';
import { until } from '../../../support/until.ts';
import { CookieBrowser } from './browser.ts';

interface World {
  readonly fixture: OidcFixture;
  readonly core: TestCore;
  readonly browser: CookieBrowser;
}

async function world(names: readonly string[], entry: object = {}, settings: object = {}): Promise<World> {
  const fixture = await startOidcFixture();
  const servers = Object.fromEntries(names.map((name) => [name, { url: fixture.url, ...entry }]));
  const core = await startCore({ ...settings, servers });
  onTestFinished(async () => {
    await core[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });
  return { fixture, core, browser: new CookieBrowser() };
}

async function ask<M extends keyof RpcMethods>(
  core: TestCore,
  method: M,
  input: RpcMethods[M]['input'],
): Promise<RpcMethods[M]['output']> {
  const addresses = (): TestCore['host']['addresses'] => core.host.addresses;
  const deps = { ...core.host.core, addresses, stop: () => undefined, desktop: undefined, apps: noApps };
  return dispatchRpc(method, input, deps, new AbortController().signal);
}

async function signIn({ core, browser }: World, server: string): Promise<string> {
  const page = await browser.open((await ask(core, 'signIn', { server })).url);
  await until(() => core.server(server).state.kind === 'ready');
  return page;
}

async function call(core: TestCore, tool: string): Promise<string> {
  const { content } = await ask(core, 'call', { tool, arguments: {} });
  return (content as { text: string }[])[0]?.text ?? '';
}

test('refreshes once for five calls, and a reused refresh token ends the sign-in', async () => {
  const all = await world(['far']);
  const { core, fixture } = all;
  expect(await signIn(all, 'far')).toContain('signed in to far as ana@example.org');
  await fixture.endTokens();
  const answers = await Promise.all(Array.from({ length: 5 }, () => call(core, 'far:whoami')));
  expect(answers).toEqual(Array(5).fill('ana'));
  expect(fixture.grants).toEqual(['authorization_code', 'refresh_token']);
  expect(new Set(fixture.refreshTokens).size).toBe(2);
  // A thief uses the rotated token.
  const [old = ''] = fixture.refreshTokens;
  const metadata = (await (await fetch(`${fixture.issuer}/.well-known/openid-configuration`)).json()) as {
    token_endpoint: string;
  };
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: old,
    client_id: fixture.clients[0] ?? '',
  });
  const stolen = await fetch(metadata.token_endpoint, { method: 'POST', body });
  expect([stolen.status, await stolen.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
  await fixture.endTokens();
  await expect(call(core, 'far:whoami')).rejects.toMatchObject({ code: 'server_unauthorized' });
  await until(() => core.server('far').state.kind === 'pending-sign-in');
  await signIn(all, 'far');
  expect(await call(core, 'far:whoami')).toBe('ana');
});

test('adds rights with the registered client and keeps the granted ones', async () => {
  const all = await world(['far']);
  const { core, browser } = all;
  await signIn(all, 'far');
  await expect(call(core, 'far:save')).rejects.toThrow('change files (files:write)');
  const [item] = (await ask(core, 'inbox', {})).items;
  const { goOn = '' } = await ask(core, 'decide', { id: item?.id ?? '', action: 'give' });
  await browser.open(goOn);
  expect([await call(core, 'far:save'), await call(core, 'far:whoami')]).toEqual(['saved by ana', 'ana']);
});

test('keeps separate accounts for two entries with the same address', async () => {
  const all = await world(['work', 'home']);
  const { core, fixture } = all;
  await signIn(all, 'work');
  fixture.account = 'ben';
  // Another browser or a private window, because this server offers no choice of accounts.
  expect(await signIn({ ...all, browser: new CookieBrowser() }, 'home')).toContain('as ben@example.org');
  expect([await call(core, 'work:whoami'), await call(core, 'home:whoami')]).toEqual(['ana', 'ben']);
  const { servers } = await ask(core, 'state', {});
  expect(servers.map(({ name, signedIn }) => [name, signedIn?.account])).toEqual([
    ['work', 'ana@example.org'],
    ['home', 'ben@example.org'],
  ]);
  await ask(core, 'signOut', { server: 'work' });
  expect([core.server('work').state.kind, await call(core, 'home:whoami')]).toEqual(['pending-sign-in', 'ben']);
});

test('uses a client metadata document without registering, and can refresh and revoke', async () => {
  const published = 'https://example.org/tooltray.json';
  const all = await world(['far'], {}, { oauth: { clientMetadataUrl: published } });
  const { core, fixture } = all;
  fixture.documents.set(published, clientMetadataDocument(published));
  expect(await signIn(all, 'far')).toContain('signed in to far as ana@example.org');
  const { oauth } = core.server('far');
  await oauth?.renew(await oauth.accessToken());
  expect([await call(core, 'far:whoami'), fixture.grants, fixture.clients]).toEqual([
    'ana',
    ['authorization_code', 'refresh_token'],
    [published, published],
  ]);
  const { sentence } = await ask(core, 'signOut', { server: 'far' });
  expect(sentence).toContain('were revoked');
});

test('rejects another account than the one that the entry names', async () => {
  const all = await world(['far'], { oauth: { account: 'ana@example.org' } });
  const { core, fixture, browser } = all;
  fixture.account = 'ben';
  const page = await browser.open((await ask(core, 'signIn', { server: 'far' })).url);
  expect(page).toContain('signed in to as ben@example.org, but its entry requires ana@example.org');
  expect(core.server('far').state.kind).toBe('pending-sign-in');
});

test('revokes the tokens at sign-out', async () => {
  const all = await world(['far']);
  const { core, fixture } = all;
  await signIn(all, 'far');
  const token = await core.server('far').oauth?.accessToken();
  const tried = (): Promise<Response> =>
    fetch(fixture.url, { method: 'POST', body: '{}', headers: { authorization: `Bearer ${token}` } });
  expect((await tried()).status).not.toBe(401);
  const { sentence } = await ask(core, 'signOut', { server: 'far' });
  expect([sentence, (await tried()).status]).toEqual([expect.stringContaining('were revoked'), 401]);
});

describe('Sign-out of a server that is not removed by command', () => {
  /** Its token, its client, and whether they are valid. */
  async function signedIn() {
    const all = await world(['far', 'other']);
    await signIn(all, 'far');
    await signIn(all, 'other');
    const { core, fixture } = all;
    const [client = ''] = fixture.clients;
    const token = await core.server('far').oauth?.accessToken();
    const counts = async (): Promise<boolean[]> => {
      const headers = { authorization: `Bearer ${token}` };
      const { status } = await fetch(fixture.url, { method: 'POST', body: '{}', headers });
      return [status !== 401, await fixture.hasClient(client)];
    };
    expect(await counts()).toEqual([true, true]);
    return { ...all, counts, before: await readFile(core.configFile, 'utf8') };
  }

  test('signs out if the user approves the removal that a model proposed', async () => {
    const { core, counts } = await signedIn();
    const client = await core.open();
    await client.request('tools/call', { name: 'manage_servers', arguments: { action: 'remove', name: 'far' } });
    expect(await counts()).toEqual([true, true]);
    const [item] = (await ask(core, 'inbox', {})).items;
    const { sentence, undo = '' } = await ask(core, 'decide', { id: item?.id ?? '', action: 'approve' });
    expect(sentence).toMatch(/^Approved: .*far.* You are signed out of far\.$/);
    expect([await counts(), await call(core, 'other:whoami')]).toEqual([[false, false], 'ana']);
    await ask(core, 'undoDecision', { id: undo });
    await until(() => core.server('far').state.kind === 'pending-sign-in');
  });

  test('signs out if an edit by the user removes the entry', async () => {
    const { core, counts } = await signedIn();
    const { removals, edits } = core.host.core.servers;
    const { result, signedOut } = await removals.runThenSignOut(() => edits.removeExisting(['far', 'never-there']));
    expect([result, signedOut, await counts()]).toEqual([['far'], ['far'], [false, false]]);
    expect(await call(core, 'other:whoami')).toBe('ana');
  });

  test('signs out once after a removal by hand, but not at once, and not if the entry is back or invalid', async () => {
    const { core, counts, before } = await signedIn();
    const { config } = core.host.core.context;
    const noted: string[] = [];
    const asked: (readonly string[])[] = [];
    const standMs = 600_000;
    const begin = (): (() => void) =>
      follow(
        core,
        standMs,
        (server) => noted.push(server),
        (names) => asked.push(names),
      );
    let stop = begin();
    onTestFinished(() => stop());
    const inBook = (): Promise<string> => readFile(bookOf(core), 'utf8');
    /** Advances the clock, as seen by a core that starts anew. */
    const later = async (): Promise<void> => {
      await expect.poll(inBook).toContain('goneSince');
      stop();
      const aged = (await inBook()).replace(/(?<="goneSince": )\d+/, (at) => String(Number(at) - standMs));
      await writeFile(bookOf(core), aged);
      stop = begin();
    };
    const { servers, ...rest } = JSON.parse(before) as { servers: Record<string, object> };
    const without = { ...rest, servers: { other: servers['other'] ?? {} } };
    const write = async (content: object | string): Promise<void> => {
      await core.write(typeof content === 'string' ? content : JSON.stringify(content));
      await config.reload();
    };
    await write(without);
    expect(core.host.core.servers.manager.find('far')).toBeUndefined();
    await expect.poll(inBook).toContain('goneSince');
    await write(before);
    await expect.poll(inBook).not.toContain('goneSince');
    await write(without);
    await write({ ...rest, servers: { ...servers, far: { url: 7 } } });
    await later();
    // It was checked and still exists.
    await until(() => asked.flat().includes('far'));
    expect([noted, await counts()]).toEqual([[], [true, true]]);
    await write(before);
    await expect.poll(inBook).not.toContain('goneSince');
    await write(without);
    await later();
    await expect.poll(counts).toEqual([false, false]);
    await expect.poll(() => noted).toEqual(['far']);
  });

  test('signs out after a removal by hand while no core ran', async () => {
    const { core, fixture, counts } = await signedIn();
    const stop = follow(core, 400, () => undefined);
    // It is recorded before it is removed.
    await expect.poll(() => readFile(bookOf(core), 'utf8').catch(() => '')).toContain('"far"');
    stop();
    await core.host.stop();
    const later = await startCore({ servers: { other: { url: fixture.url } } }, { home: core.home });
    onTestFinished(() => later[Symbol.asyncDispose]());
    const noted: string[] = [];
    onTestFinished(follow(later, 400, (server, sentence) => noted.push(`${server}: ${sentence}`)));
    await expect.poll(counts).toEqual([false, false]);
    // It is reported after it was revoked.
    await expect.poll(() => noted).toEqual([expect.stringMatching(/^far: far was removed\. .*were revoked\.$/)]);
    expect(await call(later, 'other:whoami')).toBe('ana');
  });

  test('signs out if the same name gets another address', async () => {
    const { core, fixture, counts, before } = await signedIn();
    const { config } = core.host.core.context;
    const noted: string[] = [];
    onTestFinished(follow(core, 400, (server, sentence) => noted.push(`${server}: ${sentence}`)));
    const { servers, ...rest } = JSON.parse(before) as { servers: Record<string, object> };
    const elsewhere = { ...servers, far: { url: fixture.url.replace('/mcp', '/other') } };
    await core.write(JSON.stringify({ ...rest, servers: elsewhere }));
    await config.reload();
    await expect.poll(counts).toEqual([false, false]);
    // It is reported after it was revoked.
    await expect
      .poll(() => noted)
      .toEqual([expect.stringMatching(/^far: The entry of far now points to a different address .*were revoked\.$/)]);
  });

  test('does not sign out if another config with the same home still uses the server', async () => {
    const { core, counts } = await signedIn();
    const book = bookOf(core);
    await expect.poll(() => readFile(book, 'utf8').catch(() => '')).toContain('"far"');
    const known = JSON.parse(await readFile(book, 'utf8')) as Record<string, object[]>;
    await writeFile(book, JSON.stringify({ ...known, '/another/config.json': Object.values(known)[0] }));
    const noted: string[] = [];
    onTestFinished(follow(core, 100, (server) => noted.push(server)));
    await core.write(JSON.stringify({ servers: {} }));
    await core.host.core.context.config.reload();
    await expect.poll(() => readFile(book, 'utf8')).toMatch(/config\.json": \[\]/);
    expect([noted, await counts()]).toEqual([[], [true, true]]);
  });
});

/** As in the core, but in less than an hour; in the core's own records. `onLook`: the names looked up in the file. */
function follow(
  core: TestCore,
  standMs: number,
  onSignedOut: (server: string, sentence: string) => void,
  onLook: (servers: readonly string[]) => void = () => undefined,
): () => void {
  const {
    servers: { signIns },
    context: options,
  } = core.host.core;
  const { config, log } = options;
  const edits = {
    rawEntries: async (servers: readonly string[]) => {
      const entries = await core.host.core.servers.edits.rawEntries(servers);
      onLook(servers);
      return entries;
    },
  };
  return new OrphanedSignIns({ config, edits, signIns, log, file: bookOf(core), standMs, onSignedOut }).watch();
}

function bookOf(core: TestCore): string {
  return join(core.host.paths.dataDir, 'sign-ins-in-use.json');
}

test('unregisters the first client once the sign-in with a new registration has completed', async () => {
  const all = await world(['far']);
  const { core, fixture, browser } = all;
  await signIn(all, 'far');
  const [first = ''] = fixture.clients;
  // The registered port is now used by another program.
  const { url } = await ask(core, 'signIn', { server: 'far' });
  const port = Number(new URL(new URL(url).searchParams.get('redirect_uri') ?? '').port);
  await browser.open(url);
  const taken = createServer();
  // If the port is already used, that is sufficient.
  await new Promise<void>((resolve) => taken.once('error', () => resolve()).listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const given = await ask(core, 'signIn', { server: 'far' });
  const second = new URL(given.url).searchParams.get('client_id') ?? '';
  expect(second).not.toBe(first);
  expect([await fixture.hasClient(first), await fixture.hasClient(second)]).toEqual([true, true]);
  await browser.open(given.url);
  await expect
    .poll(async () => [await fixture.hasClient(first), await fixture.hasClient(second)])
    .toEqual([false, true]);
  await until(() => core.server('far').state.kind === 'ready');
  expect(await call(core, 'far:whoami')).toBe('ana');
});

test('signs out and unregisters a removed server, and undo restores it without the sign-in', async () => {
  const all = await world(['far', 'other']);
  const { core, fixture } = all;
  await signIn(all, 'far');
  await signIn(all, 'other');
  const [client = '', others = ''] = fixture.clients;
  expect(await fixture.hasClient(client)).toBe(true);
  const token = await core.server('far').oauth?.accessToken();
  const before = JSON.parse(await readFile(core.configFile, 'utf8')) as unknown;
  const { sentence, undo } = await ask(core, 'removeServer', { server: 'far' });
  expect(sentence).toBe('far was removed. You are signed out of it, and its tokens were revoked.');
  expect(core.host.core.servers.manager.find('far')).toBeUndefined();
  const answer = await fetch(fixture.url, {
    method: 'POST',
    body: '{}',
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(401);
  expect([await fixture.hasClient(client), await fixture.hasClient(others)]).toEqual([false, true]);
  // The other's data is complete, this one's deleted.
  expect(await core.host.core.trust.vault.names('sign-in/')).toHaveLength(1);
  expect(await call(core, 'other:whoami')).toBe('ana');

  expect(await ask(core, 'undoRemoval', { undo })).toEqual({ server: 'far' });
  expect(JSON.parse(await readFile(core.configFile, 'utf8'))).toEqual(before);
  await until(() => core.server('far').state.kind === 'pending-sign-in');
  await expect(ask(core, 'undoRemoval', { undo })).rejects.toMatchObject({ code: 'not_found' });
});

/** A profile is a boundary: what is out of scope looks as if it did not exist, by every way. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCases } from '../support/all-cases.ts';
import { callerOf } from '../support/caller-of.ts';
import { HttpClient } from '../support/http-client.ts';
import { type Names, shownEverywhere } from '../support/shown-everywhere.ts';
import { textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-profiles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function offers(name: string, offered: object): { command: string; args: string[] } {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(offered));
  return fixture('changing', file);
}

const tool = (name: string, description: string, annotations = {}) => ({
  name,
  description,
  inputSchema: { type: 'object', properties: {} },
  annotations,
});

const desk = offers('desk', {
  tools: [
    tool('see_desk', 'Looks at the desk.', { readOnlyHint: true, openWorldHint: false }),
    tool('shred_paper', 'Destroys a quokka sheet.', { readOnlyHint: false, destructiveHint: true }),
  ],
});
const vault = offers('vault', {
  instructions: 'Full of zirconium.',
  tools: [tool('open_safe', 'Opens the zirconium box.', { readOnlyHint: true })],
  prompts: [{ name: 'combination', description: 'The zirconium numbers.' }],
  resourceTemplates: [{ uriTemplate: 'safe://{id}', name: 'zirconium' }],
});

const config = {
  servers: { desk, vault },
  profiles: { calm: { servers: ['desk'], readOnly: true }, locked: { servers: ['vault'] } },
  appProfiles: { bound: 'calm', lost: 'gone' },
  results: { threshold: 0, thresholds: { 'desk:see_desk': 3 } },
};

/** Tools shown to an app with the profile `locked`; its server has a resource template. */
const ofVault = ['open_safe', 'read_resource'];

let core: TestCore;
beforeAll(async () => {
  core = await startCore(config);
});
afterAll(() => core[Symbol.asyncDispose]());

/** Existing but out-of-scope names, and unknown ones. */
const there: Names = {
  server: 'vault',
  names: [
    'vault:open_safe',
    'open_safe',
    'vault_open_safe',
    'combination',
    'safe://7',
    'desk:shred_paper',
    'shred_paper',
  ],
  query: 'zirconium quokka',
};
const nowhere: Names = {
  server: 'vauxt',
  names: [
    'vauxt:opxn_sxfe',
    'opxn_sxfe',
    'vauxt_opxn_sxfe',
    'coxbinatixn',
    'sxfe://7',
    'desk:shrxd_papxr',
    'shrxd_papxr',
  ],
  query: 'zirxonium quoxka',
};

/** Replaces names by unknown ones and removes what differs between runs. */
function plain(text: string): string {
  const words: readonly (readonly [string, string])[] = [
    ...[['vault', 'vauxt'] as const, ['open_safe', 'opxn_sxfe'] as const, ['combination', 'coxbinatixn'] as const],
    ...[['safe://', 'sxfe://'] as const, ['shred_paper', 'shrxd_papxr'] as const],
    ...[['zirconium', 'zirxonium'] as const, ['quokka', 'quoxka'] as const],
  ];
  return words
    .reduce((told, [real, none]) => told.replaceAll(real, none), text)
    .replace(/\bsafe\b/g, 'sxfe')
    .replace(/tooltray:\/\/spill\/[\w-]+|[\w-]+\.txt|"id\\*":\\*"[\w-]+/g, 'SPILL')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replace(/\d+(\.\d+)?/g, 'N');
}

function sentences(text: string): readonly string[] {
  return plain(text).split(/(?<=[.}])/);
}

const places = {
  'by the option of the shim and by address': {
    hello: { profile: 'calm' },
    paths: () => ['/p/calm'],
  },
  'as an app that is held to it': {
    hello: { app: 'bound' },
    paths: () => ['/app/bound'],
    // A mode shows the same by either way; in this one every helper is called, listed or not.
    ...(!allCases && { modes: ['proxy'] }),
  },
};

describe.each(Object.entries(places))('%s', (_, place) => {
  const modes = 'modes' in place ? `mode ${place.modes.join()}` : 'every mode';
  test(
    `names that are out of scope look as if they did not exist, in ${modes}, for every helper`,
    { timeout: 240_000 },
    async () => {
      const real = await shownEverywhere(core, there, place);
      const none = await shownEverywhere(core, nowhere, place);
      expect(sentences(real)).toEqual(sentences(none));
      expect(real).toContain('see_desk');
      // Texts that were not requested are nowhere: those of the server and of the tool.
      expect(real).not.toMatch(/Full of|Opens the|Destroys a|numbers\./);
    },
  );
});

test('shows nothing to an app whose profile no longer exists', async () => {
  const session = await core.open({}, { app: 'lost', mode: 'proxy' });
  expect(await session.toolNames()).toEqual([]);
  await expect(session.say('see_desk')).rejects.toMatchObject({ code: -32602 });
});

test('rejects the endpoint and the session of an unknown profile, and names no other', async () => {
  const [session, http] = [await core.connect({ profile: 'nothing' }), new HttpClient(`${core.url}/p/nothing`)];
  const said = [await session.initialize().catch(String), await http.initialize().catch(String)];
  expect(said[0]).toContain('No profile named "nothing".');
  expect(await http.exchange('tools/list').catch(String)).not.toHaveProperty('result');
  expect(JSON.stringify(said)).not.toMatch(/calm|locked/);
});

describe('an app with one profile that connects through another', () => {
  const both = (client: string, modern = false) => {
    const clientInfo = { name: client, version: '1' };
    const http = new HttpClient(`${core.url}/p/locked`, modern);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const names = async (params: object): Promise<unknown> => {
      const { message } = await http.exchange('tools/list', { ...params });
      return (message.result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    };
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    return modern ? names({ _meta: meta }) : http.exchange('initialize', hello).then(() => names({}));
  };

  test('gets the intersection, whether initialize, a request or its command names it', async () => {
    // Combining the two profiles would grant what one of them denies.
    const session = await core.open({}, { app: 'bound', profile: 'locked', mode: 'proxy' });
    expect(await session.toolNames()).toEqual([]);
    expect([await both('bound'), await both('bound', true)]).toEqual([[], []]);
    expect([await both('nobody'), await both('nobody', true)]).toEqual([ofVault, ofVault]);
  });

  test('gets no more by claiming to be an app with a wider profile', async () => {
    const wide = { ...config, appProfiles: { ...config.appProfiles, wide: 'everything' } };
    await core.write({ ...wide, profiles: { ...config.profiles, everything: {} } });
    await expect.poll(() => core.host.core.context.config.current.appProfiles['wide']).toBe('everything');
    expect([await both('wide'), await both('wide', true)]).toEqual([ofVault, ofVault]);
    const session = await core.open({}, { app: 'wide', profile: 'locked', mode: 'proxy' });
    expect(await session.toolNames()).toEqual(ofVault);
    await core.write(config);
    await expect.poll(() => core.host.core.context.config.current.appProfiles['wide']).toBeUndefined();
  });
});

test('a server that is out of scope has no endpoint, one in scope shows only what is allowed', async () => {
  const bound = { app: 'bound' };
  const { inProfiles } = core.host.core.clients.services;
  expect(() => inProfiles(['calm']).servers.get('vault')).toThrow('There is no server named "vault".');
  const { viewFor } = await import('../../src-main/core/sessions/views/endpoint.ts');
  expect(() => viewFor({ ...bound, server: 'vault' }, core.host.core.clients.services)).toThrow(
    'There is no server named "vault".',
  );
  const view = viewFor({ ...bound, server: 'desk' }, core.host.core.clients.services);
  expect((await view.list('tools', 'legacy')).map(({ name }) => name)).toEqual(['see_desk']);
  const signal = new AbortController().signal;
  const caller = { principal: callerOf('bound'), sessionId: 's', app: 'bound', mode: 'server' };
  const context = { ...caller, signal, clientCapabilities: {} } as never;
  const refusals = ['shred_paper', 'shrxd_papxr'].map((name) =>
    view.callTool({ name }, context).then(() => 'called', String),
  );
  const [hidden, none] = await Promise.all(refusals);
  expect(hidden).toContain('"shred_paper"');
  expect(plain(hidden ?? '')).toBe(none);
});

test('a spill of one profile is unreadable in another, and looks as if it never existed', async () => {
  const [calm, locked] = [await core.open({}, { profile: 'calm' }), await core.open({}, { profile: 'locked' })];
  const { structuredContent, ...result } = await calm.callTool('see_desk');
  const id = /tooltray:\/\/spill\/([\w-]+)/.exec(JSON.stringify({ structuredContent, result }))?.[1] ?? '';
  expect(id).not.toBe('');
  const read = { resultFile: id, op: 'slice' };
  const own = await calm.callTool('read_result', read);
  const refused = await locked.callTool('read_result', read);
  const foreign = textOf(refused);
  const other = id.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
  const never = textOf(await locked.callTool('read_result', { ...read, resultFile: other }));
  expect(foreign.replaceAll(id, 'X')).toBe(never.replaceAll(other, 'X'));
  expect([own['isError'] ?? false, refused['isError']]).toEqual([false, true]);
});

test('returns 404 for the endpoint of an unknown profile', async () => {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {} },
  };
  const response = await fetch(`${core.url}/p/nobody`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ ...body, params: { ...body.params, clientInfo: { name: 'x', version: '1' } } }),
  });
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('nobody')]);
});

test('assigning an app another profile ends its sessions, and the next one has that profile', async () => {
  const open = await core.open({}, { app: 'moved', mode: 'proxy' });
  expect(await open.toolNames()).toHaveLength(4);
  const closed = once(open.socket, 'close');
  await core.write({ ...config, appProfiles: { ...config.appProfiles, moved: 'calm' } });
  await closed;
  const again = await core.open({}, { app: 'moved', mode: 'proxy' });
  expect(await again.toolNames()).toEqual(['see_desk']);
});

test('ends sessions also for an app that only initialize names', async () => {
  const open = await core.open({}, { mode: 'proxy' });
  expect(await open.toolNames()).toHaveLength(4);
  const bystander = await core.open({}, { app: 'another', mode: 'proxy' });
  const closed = once(open.socket, 'close');
  await core.write({ ...config, appProfiles: { ...config.appProfiles, 'raw-client': 'calm' } });
  await closed;
  const again = await core.open({}, { mode: 'proxy' });
  expect(await again.toolNames()).toEqual(['see_desk']);
  expect(await bystander.toolNames()).toHaveLength(4);
  const over = once(again.socket, 'close');
  await core.write(config);
  await over;
});

test('changed rules apply to open sessions', async () => {
  const session = await core.open({}, { profile: 'locked', mode: 'proxy' });
  expect(await session.toolNames()).toEqual(ofVault);
  await core.write({ ...config, profiles: { ...config.profiles, locked: { servers: ['vault'], noOpenWorld: true } } });
  await expect.poll(() => session.toolNames()).toEqual(['read_resource']);
  await expect(session.say('open_safe')).rejects.toMatchObject({ code: -32602 });
});

test('evicts the least recently used of 500 profile sets that no session shows, and keeps one that is shown', async () => {
  const { sessions, services: sessionServices } = core.host.core.clients;
  const { inProfiles } = sessionServices;
  const first = inProfiles(['none-0']);
  const shown = await core.open({}, { profile: 'calm' });
  const theirs = inProfiles(['calm']);
  let isAnyShown = false;
  sessions.addCatalogUsers(() => isAnyShown);
  for (let at = 1; at <= 510; at++) inProfiles([`none-${at}`]);
  expect(inProfiles(['calm'])).toBe(theirs);
  expect(inProfiles(['none-0'])).not.toBe(first);
  expect(await shown.toolNames()).toEqual(['see_desk']);
  isAnyShown = true;
  expect(() => inProfiles(['one more'])).toThrow('Too many different combinations of profiles are in use.');
  isAnyShown = false;
});

/** MCP extensions between apps and servers: declarations reach the other side over both protocols, and no one else. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import type { Params } from '../support/raw-client.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const ui = 'io.modelcontextprotocol/ui';
const shows = { extensions: { [ui]: { mimeTypes: ['text/html;profile=mcp-app'] } } };
const servers = { east: fixture('views', 'east', 'asks'), west: fixture('views', 'west'), echo: fixture('echo') };

interface Tool {
  readonly name: string;
  readonly _meta?: Record<string, unknown>;
}

const hasView = (tools: readonly Tool[], name: string): boolean =>
  tools.find((tool) => tool.name === name)?._meta?.['ui'] !== undefined;

async function toolsOf(client: SocketClient): Promise<Tool[]> {
  return ((await client.request('tools/list')) as { tools: Tool[] }).tools;
}

/** Number of running processes of a server. */
const processes = ({ host }: TestCore, name: string): number =>
  host.core.servers.processes.owned().filter(({ owner }) => owner === name).length;

interface Said {
  readonly extensions: unknown;
  readonly meta: unknown;
}

const said = async (client: SocketClient, tool: string): Promise<Said> => JSON.parse(await client.say(tool)) as Said;

describe('with servers that list more for an extension', () => {
  let core: TestCore;
  beforeAll(async () => {
    core = await startCore({ servers });
  });
  afterAll(() => core[Symbol.asyncDispose]());

  test('passes what a server lists only for an extension to apps that declare it, and to no others', async () => {
    const [plain, app] = [await core.open(), await core.open(shows)];
    expect(hasView(await toolsOf(app), 'east_show')).toBe(true);
    expect(hasView(await toolsOf(plain), 'east_show')).toBe(false);
    expect((await said(app, 'east_show')).extensions).toEqual(shows.extensions);
    expect((await said(plain, 'east_show')).extensions).toBeNull();
  });

  test('shares one connection among apps of a kind, and needs none for a server that lists the same for all', async () => {
    const before = await core.open(shows);
    await said(before, 'east_show');
    const [one, other] = await Promise.all([core.open(shows), core.open(shows)]);
    await Promise.all([said(one, 'east_show'), said(other, 'east_show'), said(one, 'west_show')]);
    await until(() => processes(core, 'west') === 1);
    expect([processes(core, 'east'), processes(core, 'west')]).toEqual([2, 1]);
  });

  test('merges what servers declare for apps that declare an extension, including unknown names', async () => {
    const client = await core.connect();
    const { capabilities } = (await client.initialize({ extensions: { 'com.example/own': { a: 1 } } })) as {
      capabilities: { extensions?: unknown };
    };
    expect(capabilities.extensions).toEqual({
      'com.example/clock': { zones: ['east', 'west'], by: 'east' },
      [ui]: {},
    });
    const silent = (await (await core.connect()).initialize()) as { capabilities: object };
    expect(silent.capabilities).not.toHaveProperty('extensions');
  });

  test('applies the extensions that each stateless request declares', async () => {
    const line = await core.connect();
    const [plain, app] = [new ModernClient(line), new ModernClient(line, shows)];
    const listed = async (client: ModernClient): Promise<Tool[]> =>
      (await client.once('tools/list')).result?.['tools'] as Tool[];
    expect(hasView(await listed(app), 'east_show')).toBe(true);
    expect(hasView(await listed(plain), 'east_show')).toBe(false);
    const { result } = await app.once('server/discover');
    expect(result?.['capabilities']).toHaveProperty(['extensions', 'com.example/clock']);
  });

  test('applies extensions over HTTP in both protocols', async () => {
    const legacy = new HttpClient(core.url);
    await legacy.initialize(shows);
    const modern = new ModernClient(new HttpClient(core.url, true), shows);
    const plain = new ModernClient(new HttpClient(core.url, true));
    const answers = [
      (await legacy.exchange('tools/list')).message,
      await modern.once('tools/list'),
      await plain.once('tools/list'),
    ];
    const seen = answers.map(({ result }) => hasView(result?.['tools'] as Tool[], 'east_show'));
    expect(seen).toEqual([true, true, false]);
    const called = await modern.call('east_show');
    expect(called.result?.['structuredContent']).toMatchObject({ by: 'east', extensions: shows.extensions });
  });

  test('passes _meta of a request to the server, including unknown names', async () => {
    const app = await core.open(shows);
    const meta = { 'com.example/why': { because: [1, 2.5] } };
    const answer = await app.say('west_show', {}, { _meta: meta });
    expect((JSON.parse(answer) as Said).meta).toEqual(meta);
  });
});

test('remembers across cores what servers list for extensions, and starts no process for it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tooltray-extensions-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  for (const run of ['first', 'second']) {
    await using core = await startCore({ servers }, { home });
    const app = await core.open(shows);
    expect(hasView(await toolsOf(app), 'east_show'), run).toBe(true);
    if (run === 'second') expect([processes(core, 'east'), processes(core, 'west')]).toEqual([1, 1]);
    expect((await said(app, 'east_show')).extensions).toEqual(shows.extensions);
    expect(processes(core, 'east')).toBe(2);
  }
});

test('closes the second connection of a server that is removed or changed', async () => {
  await using core = await startCore({ servers });
  const app = await core.open(shows);
  await said(app, 'east_show');
  await core.write({ servers: { east: fixture('views', 'other', 'asks'), west: servers.west } });
  // While the server is probed for apps with extensions, they get the common list; the second connection starts with a
  // call.
  const who = async (): Promise<unknown> => [await app.say('east_show').catch(String), processes(core, 'east')];
  await expect.poll(who).toEqual([expect.stringContaining('"by":"other"'), 2]);
  await core.write({ servers: { west: servers.west } });
  await until(() => processes(core, 'east') === 0);
});

test('serves apps that declare a fifth set of extensions as if they declared none, and reports it', async () => {
  await using core = await startCore({ servers: { east: servers.east, echo: servers.echo } });
  const set = (nth: number): Params => ({ extensions: { ...shows.extensions, 'com.example/nth': { nth } } });
  const seesView = async (nth: number): Promise<boolean> =>
    hasView(await toolsOf(await core.open(set(nth))), 'east_show');
  for (const nth of [1, 2, 3, 4]) expect(await seesView(nth)).toBe(true);
  expect(core.host.core.clients.extensions.problem).toBeUndefined();

  expect(await seesView(5)).toBe(false);
  expect(core.host.core.clients.extensions.problem).toContain('which is the limit');
  await expect.poll(() => readFileSync(join(core.home, 'logs/core.log'), 'utf8')).toContain('com.example/nth');

  expect(await seesView(1)).toBe(true);
  const stateless = new ModernClient(new HttpClient(core.url, true), set(6));
  expect(hasView((await stateless.once('tools/list')).result?.['tools'] as Tool[], 'east_show')).toBe(false);
});

/** The official example servers of MCP Apps through a core: what an app needs to show their UIs. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allModes } from '../../src-main/compat/all-modes.ts';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import type { Exchange, Params } from '../support/raw-client.ts';
import { startCore, type TestCore } from '../support/start-core.ts';
import { fileOf, havePackages, programOf } from './real-packages.ts';
import { allCases } from '../support/all-cases.ts';

const present = await havePackages();
const shows = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
const names = ['basic-vanillajs', 'basic-svelte', 'basic-vue', 'basic-preact', 'budget-allocator', 'system-monitor'];
const packageOf = (name: string): string => `@modelcontextprotocol/server-${name}`;

interface Tool {
  readonly name: string;
  readonly _meta?: { readonly ui?: { readonly resourceUri?: string; readonly visibility?: string[] } };
}

type Ask = (method: string, params?: Params) => Promise<Params>;

const resultOf = ({ message }: Exchange): Params => message.result ?? { error: message.error };

describe.skipIf(!present)('six servers', () => {
  let core: TestCore;
  beforeAll(async () => {
    const entry = (name: string): object => {
      const { command, args } = programOf(packageOf(name));
      return { command, args: [...args, '--stdio'] };
    };
    core = await startCore({ servers: Object.fromEntries(names.map((name) => [name, entry(name)])) });
  });
  afterAll(() => core[Symbol.asyncDispose]());

  /** An app that shows views, over each connection to the core. */
  async function asks(mode: string): Promise<Readonly<Record<string, Ask>>> {
    const [line, url] = [await core.open(shows, { mode }), `${core.url}/mode/${mode}`];
    const http = new HttpClient(url);
    await http.initialize(shows);
    const [modernLine, modernHttp] = [await core.connect({ mode }), new HttpClient(url, true)].map(
      (each) => new ModernClient(each, shows),
    );
    return {
      'socket, 2025-11-25': async (method, params) => resultOf(await line.exchange(method, params)),
      'socket, 2026-07-28': async (method, params) => (await modernLine?.once(method, params))?.result ?? {},
      'HTTP, 2025-11-25': async (method, params) => resultOf(await http.exchange(method, params)),
      'HTTP, 2026-07-28': async (method, params) => (await modernHttp?.once(method, params))?.result ?? {},
    };
  }

  test.each(allModes.modes.map(({ name }) => name))(
    "in mode %s each tool with a UI is listed, and the UI is its server's, byte for byte",
    async (mode) => {
      const ways = Object.entries(await asks(mode));
      const turn = allModes.modes.findIndex(({ name }) => name === mode) % ways.length;
      // Each mode over one connection, and each connection for some modes, prove the same in a quarter of the time.
      for (const [way, ask] of allCases ? ways : ways.slice(turn, turn + 1)) {
        const tools = (await ask('tools/list'))['tools'] as Tool[];
        const views = tools.flatMap((tool) => tool._meta?.ui?.resourceUri ?? []);
        expect(new Set(views).size, way).toBe(names.length);
        const shown = await Promise.all(views.map(async (uri) => ask('resources/read', { uri })));
        const read = shown.map(({ contents }) => (contents as Params[])[0]);
        expect(read.map((one) => one?.['uri'])).toEqual(views);
        const own = names.map((name) => readFileSync(fileOf(packageOf(name), 'dist/mcp-app.html'), 'utf8'));
        expect(new Set(read.map((one) => one?.['text']))).toEqual(new Set(own));
      }
    },
  );

  test("UIs call tools by their servers' names, or get a readable error", async () => {
    for (const [way, ask] of Object.entries(await asks('search'))) {
      const stats = await ask('tools/call', { name: 'poll-system-stats', arguments: {} });
      expect(stats['structuredContent'], way).toHaveProperty('cpu');
      const budget = await ask('tools/call', { name: 'get-budget-data', arguments: {} });
      expect(budget['structuredContent'], way).toHaveProperty('config');
    }
    const app = await core.open(shows, { mode: 'search' });
    expect(await app.say('get-time')).toContain('it is unclear which user interface calls it');
    await app.callTool('basic-svelte_get-time');
    expect(await app.say('get-time')).toMatch(/\d{4}-\d\d-\d\dT/);
    const own = new HttpClient(`${core.url}/server/basic-vue`);
    await own.initialize(shows);
    expect(JSON.stringify(await own.exchange('tools/call', { name: 'get-time' }))).toMatch(/\d{4}-\d\d-\d\dT/);
  });

  test("an app without UI support finds no UI-only tool, not even at the server's endpoint", async () => {
    const [plain, own] = [await core.open({}, { mode: 'proxy' }), new HttpClient(`${core.url}/server/system-monitor`)];
    await own.initialize();
    expect(await plain.toolNames()).toContain('system-monitor_get-system-info');
    expect(await plain.toolNames()).not.toContain('system-monitor_poll-system-stats');
    await expect(plain.say('poll-system-stats')).rejects.toThrow('Unknown tool');
    const answers = [await own.exchange('tools/list'), await own.exchange('tools/call', { name: 'poll-system-stats' })];
    expect(JSON.stringify(answers[0]?.message.result)).not.toContain('poll-system-stats');
    expect(answers[1]?.message.error?.code).toBe(-32602);
  });
});

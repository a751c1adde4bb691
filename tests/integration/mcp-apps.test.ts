/** Tools with UIs (MCP Apps, SEP-1865) through a whole core: listed for apps that support them, in every mode. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allModes } from '../../src-main/compat/all-modes.ts';
import { allCases, someOf } from '../support/all-cases.ts';
import { ModernClient } from '../support/modern-client.ts';
import type { Params } from '../support/raw-client.ts';
import { inputsFor, type Names, shownEverywhere } from '../support/shown-everywhere.ts';
import { type SocketClient, textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

const shows = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
const servers = {
  west: fixture('views', 'west'),
  east: fixture('views', 'east', 'unlisted'),
  lamp: fixture('views', 'lamp', 'named', 'big'),
  echo: fixture('echo'),
};

interface Tool {
  readonly name: string;
  readonly _meta?: { readonly ui?: { readonly resourceUri?: string; readonly visibility?: string[] } };
}

const open = (core: TestCore, mode: string, app?: string): Promise<SocketClient> =>
  core.open(shows, { mode, ...(app !== undefined && { app }) });

async function toolsOf(client: SocketClient): Promise<Tool[]> {
  return ((await client.request('tools/list')) as { tools: Tool[] }).tools;
}

const viewsIn = (tools: readonly Tool[]): Record<string, string> =>
  Object.fromEntries(
    tools.flatMap(({ name, _meta }) => (_meta?.ui?.resourceUri ? [[name, _meta.ui.resourceUri]] : [])),
  );

const forViews = (tools: readonly Tool[]): string[] =>
  tools.flatMap(({ name, _meta }) => (_meta?.ui?.visibility?.join() === 'app' ? [name] : []));

const uriOf = (server: string): string => `ui://tooltray/${server}/clock/view.html`;
const views = { west_show: uriOf('west'), east_show: uriOf('east'), 'lamp_lamp-show': uriOf('lamp') };

describe('tools with a UI', () => {
  let core: TestCore;
  beforeAll(async () => {
    core = await startCore({ servers, results: { threshold: 300 } });
  });
  afterAll(() => core[Symbol.asyncDispose]());

  test.each(allModes.modes.map(({ name }) => name))(
    'in mode %s lists tools with a UI as themselves, each with the URI of its own UI',
    async (mode) => {
      const tools = await toolsOf(await open(core, mode));
      expect(viewsIn(tools)).toEqual(views);
      expect(forViews(tools)).toEqual(['lamp-show', 'lamp-tick', 'lamp-plain']);
    },
  );

  test.each(allModes.modes.map(({ name }) => name))(
    'in mode %s an app without UI support gets the same list, byte for byte, whoever else is connected',
    async (mode) => {
      const [plain, off] = [await core.open({}, { mode }), await core.open({ roots: {} }, { mode })];
      const before = await plain.exchange('tools/list', {}, { id: 'same' });
      await toolsOf(await open(core, mode));
      expect((await off.exchange('tools/list', {}, { id: 'same' })).line).toBe(before.line);
      expect(before.line).not.toContain('tick');
      expect(before.line).not.toContain('ui://tooltray');
    },
  );

  test('reads UIs with the same URI from their own servers, whole, listed or not', async () => {
    const app = await open(core, 'search');
    for (const server of ['west', 'east', 'lamp']) {
      const uri = uriOf(server);
      const { contents } = (await app.request('resources/read', { uri })) as { contents: Params[] };
      const [{ text, ...rest } = { text: '' }] = contents;
      expect(String(text).length).toBeGreaterThan(server === 'lamp' ? 3_000_000 : 10);
      expect(String(text)).toContain(`<p>${server}</p>`);
      const ui = {
        csp: { connectDomains: ['https://api.example.com'] },
        permissions: { camera: {} },
        domain: 'a.example',
      };
      expect(rest).toEqual({ uri, mimeType: 'text/html;profile=mcp-app', _meta: { ui } });
    }
    const { resources } = (await app.request('resources/list')) as { resources: { uri: string }[] };
    expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining([uriOf('west'), uriOf('lamp')]));
  });

  test("a UI calls tools by their server's names if only one server has them", async () => {
    const app = await open(core, 'search');
    expect(JSON.parse(await app.say('lamp-tick'))).toMatchObject({ by: 'lamp', name: 'lamp-tick' });
    expect(JSON.parse(await app.say('lamp-plain'))).toMatchObject({ by: 'lamp', name: 'lamp-plain' });
  });

  test('calls a shared name at the server whose UI is open, and rejects it if that is unclear', async () => {
    const app = await open(core, 'search');
    expect(await app.say('tick')).toContain('"tick" is a tool of west and east, and it is unclear which');
    await app.callTool('east_show');
    expect(JSON.parse(await app.say('tick'))).toMatchObject({ by: 'east' });
    await app.callTool('west_show');
    expect(await app.say('tick')).toContain('/mcp/server/west');
    // Another session has not opened anything.
    expect(await (await open(core, 'search')).say('tick')).toContain('it is unclear which user interface calls it');
  });

  test("rejects a UI's call to a tool that is only for models", async () => {
    const app = await open(core, 'search');
    expect(await app.say('lamp-think')).toContain('is only available to models');
    expect(JSON.parse(await app.say('lamp_lamp-think'))).toMatchObject({ by: 'lamp' });
  });

  test('a result through call_tool or a program carries the UI of the one tool that was called', async () => {
    const [search, code] = [await open(core, 'search'), await open(core, 'code')];
    const called = await search.callTool('call_tool', { name: 'west_show', arguments: {} });
    expect(called['_meta']).toMatchObject({ ui: { resourceUri: uriOf('west') }, 'ui/resourceUri': uriOf('west') });
    const run = (source: string): Promise<Params> => code.callTool('execute', { code: source, language: 'javascript' });
    const one = await run('return await call_tool("west_show", {})');
    expect(one['_meta']).toMatchObject({ ui: { resourceUri: uriOf('west') } });
    const two = await run('await call_tool("west_show", {}); return await call_tool("east_show", {})');
    expect(two['_meta'] ?? {}).not.toHaveProperty('ui');
    const plain = await core.open({}, { mode: 'search' });
    expect((await plain.callTool('call_tool', { name: 'west_show', arguments: {} }))['_meta'] ?? {}).not.toHaveProperty(
      'ui',
    );
  });

  test('passes what a UI shows whole, even where other results are spilled', async () => {
    const app = await open(core, 'search');
    const zone = 'x'.repeat(2000);
    for (const name of ['west_show', 'lamp-tick']) {
      const answer = await app.callTool(name, { zone });
      expect(answer['structuredContent'], name).toMatchObject({ args: { zone } });
    }
    const other = await app.callTool('call_tool', { name: 'west_plain', arguments: { zone } });
    expect(textOf(other)).not.toContain(zone);
    // Text written by a model through a helper tool is the model's own.
    expect(other['structuredContent']).toBeUndefined();
  });

  test('records a call by a UI as one', async () => {
    const app = await open(core, 'search', 'Recorded');
    await app.say('lamp-tick');
    await app.say('lamp_lamp-show');
    const own = async (): Promise<unknown[]> =>
      (await core.host.core.activity.log.ask('recentCalls'))
        .filter(({ app }) => app === 'Recorded')
        .map(({ tool, via }) => [tool, via]);
    await expect.poll(own).toEqual([
      ['lamp-show', undefined],
      ['lamp-tick', 'view'],
    ]);
  });

  test('declares the UI extension to apps that declare it', async () => {
    const declared = async (capabilities: Params): Promise<unknown> => {
      const client = await core.connect({ mode: 'search' });
      return ((await client.initialize(capabilities)) as { capabilities: { extensions?: unknown } }).capabilities
        .extensions;
    };
    expect(await declared(shows)).toHaveProperty(['io.modelcontextprotocol/ui'], {});
    expect(await declared({})).toBeUndefined();
  });

  test('lists and calls tools with a UI over the stateless protocol', async () => {
    const app = new ModernClient(await core.connect({ mode: 'search' }), shows);
    const { result } = await app.once('tools/list');
    expect(viewsIn(result?.['tools'] as Tool[])).toEqual(views);
    expect((await app.call('lamp-tick')).result?.['structuredContent']).toMatchObject({ by: 'lamp' });
  });

  const tick: Names = {
    server: 'lamp',
    names: ['lamp:lamp-tick', 'lamp_lamp-tick', 'lamp-tick', 'lamp__lamp-tick', 'c3:lamp-tick', 'lamp.lamp-tick'],
    query: 'tick of a clock',
  };
  const wasCalled = /\\"name\\":\\"lamp-tick\\"/;

  test('hides a UI-only tool everywhere from an app without UI support, and rejects calls to it', async () => {
    const said = await shownEverywhere(core, tick);
    expect(said).not.toMatch(wasCalled);
    expect(said).not.toContain('The tick of a clock');
    expect(said).toContain('The show of a clock');
  });

  test.each(
    someOf(
      3,
      allModes.modes.map(({ name }) => name),
    ),
  )('in mode %s no helper tool shows or calls a UI-only tool, even for an app with UI support', async (mode) => {
    const app = await open(core, mode);
    const said: unknown[] = [await app.request('prompts/list')];
    for (const { definition } of allModes.helpers.values()) {
      for (const input of inputsFor(definition.inputSchema, tick)) {
        said.push(await app.callTool(definition.name, input).catch(String));
      }
    }
    const text = JSON.stringify(said);
    expect(text).not.toMatch(wasCalled);
    expect(text).not.toContain('The tick of a clock');
  });
});

describe('the setting ui', () => {
  test('"on-demand" lists tools with a UI like all others, and results still carry their UIs', async () => {
    await using core = await startCore({ servers, ui: 'on-demand' });
    const app = await open(core, 'search');
    const tools = await toolsOf(app);
    expect(viewsIn(tools)).toEqual({});
    expect(forViews(tools)).toContain('lamp-tick');
    const called = await app.callTool('call_tool', { name: 'west_show', arguments: {} });
    expect(called['_meta']).toMatchObject({ ui: { resourceUri: uriOf('west') } });
  });

  test('"off" treats one app, or all, as if it declared no UI support', async () => {
    await using core = await startCore({ servers, appUi: { cursor: 'off' } });
    const [off, plain] = [await open(core, 'search', 'cursor'), await core.open({}, { mode: 'search' })];
    const lines = await Promise.all([off, plain].map((one) => one.exchange('tools/list', {}, { id: 'same' })));
    expect(lines[0]?.line).toBe(lines[1]?.line);
    await expect(off.say('lamp-tick')).rejects.toThrow('Unknown tool');
    expect(viewsIn(await toolsOf(await open(core, 'search', 'other')))).toEqual(views);
  });

  test.runIf(allCases)('"auto" counts what listing tools with a UI costs, and says so', async () => {
    const many = Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`m${at}`, fixture('eight-tools')]));
    await using core = await startCore({ servers: { ...servers, ...many }, mode: 'auto' });
    const app = await core.open(shows);
    await app.toolNames();
    const [session] = core.host.core.clients.sessions.all.filter(({ view }) => view.reason?.includes('user interface'));
    expect(session?.view.reason).toMatch(
      /with search and programs, .* Of that, 3 tools with a user interface cost about \d+\.$/,
    );
  });
});

/**
 * The official example servers of MCP Apps in an app built with the SDK's own host code, in a real browser: through
 * Tooltray in every mode, over the shim and HTTP, with both protocols. Each app view shows and calls its own server.
 */
import { expect, type FrameLocator, test } from '@playwright/test';
import { allModes } from '../../src-main/compat/all-modes.ts';
import { havePackages, programOf } from '../real/real-packages.ts';
import { ServedCore } from './serve-core.ts';
import { bundleScripts, UiHost } from './ui-host/host.ts';

interface Example {
  readonly tool: string;
  /** Resolves when the view has rendered the call, and its own requests were answered. */
  readonly works: (frame: FrameLocator) => Promise<void>;
  /** The tool that the view calls, by its server's own name. */
  readonly calls?: string;
}

const clock: Example = {
  tool: 'get-time',
  calls: 'get-time',
  works: async (frame) => {
    const time = frame.locator('code').first();
    await expect(time).toHaveText(/^\d{4}-\d\d-\d\dT/);
    const given = await time.innerText();
    await frame.getByRole('button', { name: 'Get Server Time' }).click();
    await expect(time).not.toHaveText(given);
    await expect(time).toHaveText(/^\d{4}-\d\d-\d\dT/);
  },
};

const examples: Readonly<Record<string, Example>> = {
  'basic-vanillajs': clock,
  'basic-svelte': clock,
  'basic-vue': clock,
  'basic-preact': clock,
  'budget-allocator': {
    tool: 'get-budget-data',
    works: async (frame) => {
      await expect(frame.locator('canvas').first()).toBeVisible();
      await expect(frame.getByRole('slider').first()).toBeVisible();
    },
  },
  'system-monitor': {
    tool: 'get-system-info',
    calls: 'poll-system-stats',
    works: async (frame) => {
      await expect(frame.locator('#info-platform')).toContainText(process.platform);
      await expect(frame.locator('#memory-percent')).toHaveText(/[1-9]\d*%/);
    },
  },
};

/** How a model calls a tool in each mode that does not list it: `"ui": "on-demand"`. */
const waysIn: Readonly<Record<string, (server: string, tool: string) => [string, Record<string, unknown>]>> = {
  proxy: (server, tool) => [`${server}_${tool}`, {}],
  gateway: (server, tool) => [server, { tool }],
  meta: (server, tool) => ['invoke', { name: `${server}_${tool}` }],
  search: (server, tool) => ['call_tool', { name: `${server}_${tool}` }],
  code: (server, tool) => ['execute', { code: `return await call_tool("${server}_${tool}", {})` }],
  dispatch: (server, tool) => ['proxy-dispatch', { action: 'call', tool: `${server}_${tool}` }],
  universal: (server, tool) => ['proxy', { action: 'call', type: 'tool', path: `${server}_${tool}` }],
  retrieve: (server, tool) => ['call_tool_write', { name: `${server}:${tool}` }],
};

const names = Object.keys(examples);
const modeNames = allModes.modes.map(({ name }) => name);
const eras = ['2025-11-25', '2026-07-28'] as const;
const doors = {
  shim: (mode: string): readonly string[] => ['--mode', mode],
  HTTP: (mode: string): string => `/mcp/mode/${mode}`,
};
type Door = keyof typeof doors;

let scripts: Awaited<ReturnType<typeof bundleScripts>> = {};
let listed: ServedCore;

const startCore = async (servers = names, config: object = {}): Promise<ServedCore> => {
  const entry = (name: string): object => {
    const { command, args } = programOf(`@modelcontextprotocol/server-${name}`);
    return { command, args: [...args, '--stdio'] };
  };
  const core = await ServedCore.start({
    config: { ...config, servers: Object.fromEntries(servers.map((name) => [name, entry(name)])) },
  });
  const isListed = async (): Promise<boolean> => {
    const said = await core.ask('tools', '--json');
    return servers.every((name) => said.includes(`"${name}:`));
  };
  try {
    await expect.poll(isListed, { timeout: 60_000 }).toBe(true);
  } catch (error) {
    await core.remove();
    throw error;
  }
  return core;
};

test.beforeAll(async () => {
  test.setTimeout(600_000);
  test.skip(!(await havePackages()), 'The example servers are not here.');
  [scripts, listed] = await Promise.all([bundleScripts(), startCore()]);
});

test.afterAll(async () => {
  await listed?.remove();
});

interface Case {
  readonly mode: string;
  readonly era: (typeof eras)[number];
  readonly door: Door;
  readonly server: string;
}

/**
 * Each in its own session: four of the servers use the same tool name, and several open ones could not be
 * distinguished.
 */
async function showsItself(host: UiHost, { mode, era, door, server }: Case): Promise<void> {
  const line = [mode, era, door, server].join(' ');
  const { tool, works } = examples[server] as Example;
  await host.connect(line, `host ${server}`, era, doors[door](mode));
  const tools = await host.tools(line);
  const own = tools.find(({ name, view }) => view !== undefined && name === `${server}_${tool}`);
  expect(own, line).toBeDefined();
  const shown = await host.show({ line, frame: line, name: `${server}_${tool}`, arguments: {}, view: own?.view });
  expect(shown.type, line).toBe('text/html;profile=mcp-app');
  await works(host.frame(line));
  await host.end(line);
}

interface Recorded {
  readonly server: string;
  readonly tool: string;
  readonly via?: string;
}

/** Calls of an app's session, as recorded by the core. */
async function recorded(core: ServedCore, app: string): Promise<readonly Recorded[]> {
  const said = await core.ask('activity', '--json', '--app', app, '--limit', '1000');
  return (JSON.parse(said) as { calls: readonly Recorded[] }).calls;
}

/** Servers that answered views of an app. */
async function answered(core: ServedCore, app: string): Promise<string[]> {
  const calls = await recorded(core, app);
  return [...new Set(calls.flatMap(({ via, server, tool }) => (via === 'view' ? `${server}:${tool}` : [])))];
}

async function expectOwnAnswers(core: ServedCore, server: string): Promise<void> {
  const calls = examples[server]?.calls;
  const own = calls === undefined ? [] : [`${server}:${calls}`];
  await expect.poll(() => answered(core, `host ${server}`)).toEqual(own);
}

for (const [at, mode] of modeNames.entries()) {
  // Each mode with one server, each server with two modes, all combinations in the long run.
  const server = names[at % names.length] as string;
  const era = eras[at % 2] ?? '2025-11-25';
  const door = at % 4 < 2 ? 'shim' : 'HTTP';
  // A mode that lists servers' tools, and one that leads to them; the rest in the long run.
  const tag = ['proxy', 'search'].includes(mode) ? [] : '@long';
  test(
    `in mode ${mode} the app view of ${server} appears, and its calls return (${door}, ${era})`,
    { tag },
    async ({ page }) => {
      await using host = await UiHost.open(page, listed, scripts);
      await showsItself(host, { mode, era, door, server });
      await expectOwnAnswers(listed, server);
    },
  );

  test(`in mode ${mode} all six app views appear over every transport and protocol version @long`, async ({ page }) => {
    test.setTimeout(300_000);
    await using host = await UiHost.open(page, listed, scripts);
    for (const each of eras)
      for (const way of ['shim', 'HTTP'] as const)
        for (const one of names) await showsItself(host, { mode, era: each, door: way, server: one });
    for (const one of names) await expectOwnAnswers(listed, one);
  });
}

test('keeps app views of two servers with the same URI apart', async ({ page }) => {
  await using host = await UiHost.open(page, listed, scripts);
  await host.connect('all', 'host of both', '2025-11-25', ['--mode', 'search']);
  const two = ['basic-vanillajs', 'basic-svelte'] as const;
  const views = new Map((await host.tools('all')).map(({ name, view }) => [name, view]));
  for (const server of two) {
    const name = `${server}_get-time`;
    await host.show({ line: 'all', frame: server, name, arguments: {}, view: views.get(name) });
  }
  const [vanilla, svelte] = [host.frame(two[0]), host.frame(two[1])];
  await expect(vanilla.locator('#server-time')).toHaveText(/^\d{4}-/);
  await expect(svelte.locator('main[class*="svelte"] code')).toHaveText(/^\d{4}-/);
  // Both are open and call the same tool name: each reaches its own server.
  await svelte.getByRole('button', { name: 'Get Server Time' }).click();
  await expect(svelte.locator('code').first()).not.toHaveText(/^\d{4}-/);
  expect(await answered(listed, 'host of both')).toEqual([]);

  const shown = [];
  for (const server of two) {
    await host.connect(server, `host beside ${server}`, '2026-07-28', `/mcp/server/${server}`);
    const [tool] = await host.tools(server);
    const frame = `${server} alone`;
    shown.push(await host.show({ line: server, frame, name: 'get-time', arguments: {}, view: tool?.view }));
    await clock.works(host.frame(frame));
  }
  expect(shown.map(({ view }) => view)).toEqual([shown[0]?.view, shown[0]?.view]);
  for (const server of two) {
    const calls = async (): Promise<string[]> =>
      (await recorded(listed, `host beside ${server}`)).map((call) => `${call.server}:${call.tool}`);
    await expect.poll(calls).toEqual([`${server}:get-time`, `${server}:get-time`]);
  }
});

test.describe('app views listed on demand', () => {
  let core: ServedCore;
  test.beforeAll(async () => {
    // With a single server, tools have their own names, and the caller cannot be determined.
    core = await startCore(['basic-preact', 'budget-allocator'], { ui: 'on-demand' });
  });
  test.afterAll(() => core.remove());

  test('covers every mode', () => {
    expect(Object.keys(waysIn).toSorted(), 'say in `waysIn` above how it calls').toEqual(modeNames.toSorted());
  });

  for (const mode of modeNames) {
    const tag = mode === 'search' ? '' : ' @long';
    test(`in mode ${mode} the result links to a working app view${tag}`, async ({ page }) => {
      await using host = await UiHost.open(page, core, scripts);
      await host.connect(mode, 'host basic-preact', '2025-11-25', ['--mode', mode]);
      const tools = await host.tools(mode);
      const listedView = tools.find(({ view }) => view !== undefined)?.view;
      // If the mode lists servers' tools unchanged, the definition names the view.
      expect(listedView !== undefined).toBe(mode === 'proxy');
      const [name, args] = waysIn[mode]?.('basic-preact', 'get-time') ?? [];
      await host.show({ line: mode, frame: mode, name: name ?? '', arguments: args ?? {}, view: listedView });
      await clock.works(host.frame(mode));
      await expectOwnAnswers(core, 'basic-preact');
    });
  }
});

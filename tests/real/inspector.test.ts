/** The MCP Inspector's command line with six real servers: both transports, every protocol, both modes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shimCommand } from './built-core.ts';
import { browserCall, type RealCall, realCalls } from './real-calls.ts';
import { havePackages, programOf } from './real-packages.ts';
import { browserIfAny } from './real-servers.ts';
import { type Outcome, runProgram } from './run-program.ts';
import { openWorld, type World } from './world.ts';

const present = await havePackages();
const browser = browserIfAny();

interface Way {
  readonly door: 'stdio' | 'http';
  readonly era: 'legacy' | 'auto' | 'modern';
  readonly mode: 'proxy' | 'search';
}

const ways: readonly Way[] = (['stdio', 'http'] as const).flatMap((door) =>
  (['legacy', 'auto', 'modern'] as const).flatMap((era) =>
    (['proxy', 'search'] as const).map((mode) => ({ door, era, mode })),
  ),
);

interface Shown {
  readonly result: { readonly tools?: { name: string }[]; readonly content?: { text?: string }[] };
}

describe.skipIf(!present)('mcp-inspector --cli', () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld(browser);
  }, 120_000);
  afterAll(() => world?.[Symbol.asyncDispose]());

  function inspect({ door, era, mode }: Way, ...more: string[]): Promise<Outcome> {
    const { command, args } = programOf('@modelcontextprotocol/inspector', 'mcp-inspector');
    const options = ['--cli', '--quiet', '--protocol-era', era, '--format', 'json', ...more];
    const shim = shimCommand('inspector', '--mode', mode);
    // It passes only a few variables to servers; ours needs the location of this test's core.
    const target =
      door === 'http'
        ? [`${world.core.url}/mode/${mode}`, '--transport', 'http']
        : ['-e', `TOOLTRAY_HOME=${world.home.env['TOOLTRAY_HOME']}`, shim.command, ...shim.args];
    return runProgram(command, [...args, ...options, ...target], { env: world.home.env, cwd: world.home.workFolder });
  }

  async function call(way: Way, tool: string, input: object): Promise<string> {
    const outcome = await inspect(
      way,
      '--method',
      'tools/call',
      '--tool-name',
      tool,
      '--tool-args-json',
      JSON.stringify(input),
    );
    expect({ tool, code: outcome.code, stderr: outcome.stderr }).toEqual({ tool, code: 0, stderr: '' });
    return textOf(JSON.parse(outcome.stdout) as Shown);
  }

  /** In mode `search` a tool is called through our own tool. */
  function callReal(way: Way, { tool, args }: RealCall): Promise<string> {
    return way.mode === 'proxy' ? call(way, tool, args) : call(way, 'call_tool', { name: tool, arguments: args });
  }

  test.each(ways)('lists every tool, and schemas pass --strict: $door, $era, mode $mode', async (way) => {
    const { code, stdout, stderr } = await inspect(way, '--method', 'tools/list', '--strict');
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const names = (JSON.parse(stdout) as Shown).result.tools?.map(({ name }) => name) ?? [];
    expect(names.sort()).toEqual(way.mode === 'proxy' ? world.names : ['call_tool', 'read_resource', 'search_tools']);
  });

  const calling: readonly Way[] = [
    { door: 'stdio', era: 'legacy', mode: 'proxy' },
    { door: 'http', era: 'legacy', mode: 'search' },
    { door: 'stdio', era: 'modern', mode: 'search' },
    { door: 'http', era: 'modern', mode: 'proxy' },
  ];

  test.each(calling)(
    'calls tools of every server and gets the expected results: $door, $era, mode $mode',
    async (way) => {
      for (const one of realCalls(world.material, `${way.door} ${way.era}`)) {
        const text = await callReal(way, one);
        for (const expected of one.says) expect(text).toContain(expected);
      }
    },
    60_000,
  );

  test.each(ways.filter(({ mode }) => mode === 'search'))('finds a tool by what it does: $door, $era', async (way) => {
    const text = await call(way, 'search_tools', { query: 'read the text of a file', limit: 3 });
    // After the list is the number of weaker matches.
    const [list = ''] = text.split('\n');
    const found = (JSON.parse(list) as { name: string }[]).map(({ name }) => name);
    expect(found).toContain('filesystem_read_text_file');
  });

  test.skipIf(browser === undefined).each(calling.slice(0, 2))(
    'opens a page in a browser: $door, $era, mode $mode',
    async (way) => {
      expect(await callReal(way, browserCall)).toContain(browserCall.says[0]);
    },
    60_000,
  );
});

function textOf({ result }: Shown): string {
  return (result.content ?? []).map(({ text }) => text ?? '').join('\n');
}

/** Compares real servers through Tooltray and directly, with the Inspector: the results must be the same. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { havePackages, programOf } from './real-packages.ts';
import { runProgram } from './run-program.ts';
import { openWorld, type World } from './world.ts';

const present = await havePackages();

type Listed = Readonly<Record<string, unknown>>;

describe.skipIf(!present)('at the endpoint of one server', () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);
  afterAll(() => world?.[Symbol.asyncDispose]());

  async function inspect(target: readonly string[], ...more: string[]): Promise<Listed> {
    const { command, args } = programOf('@modelcontextprotocol/inspector', 'mcp-inspector');
    const all = [...args, '--cli', '--quiet', '--format', 'json', ...more, ...target];
    const { stdout, stderr } = await runProgram(command, all, { env: world.home.env, cwd: world.home.workFolder });
    expect(stderr).toBe('');
    return (JSON.parse(stdout) as { result: Listed }).result;
  }

  const through = (server: string, ...more: string[]): Promise<Listed> =>
    inspect([`${world.core.url}/server/${server}`, '--transport', 'http'], ...more);

  function directly(server: string, ...more: string[]): Promise<Listed> {
    const { command, args, env = {} } = world.entries[server] ?? { command: '', args: [] };
    const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    return inspect([...variables, '--', command, ...args], ...more);
  }

  test.each(['everything', 'filesystem', 'memory', 'sequential-thinking', 'playwright', 'git'])(
    'every tool of %s has the definition of its server',
    async (server) => {
      const [direct, seen] = await Promise.all([
        directly(server, '--method', 'tools/list'),
        through(server, '--method', 'tools/list'),
      ]);
      const own = direct['tools'] as Listed[];
      const names = new Set(own.map(({ name }) => name));
      // server-everything lists fewer tools to this client than to Tooltray.
      expect((seen['tools'] as Listed[]).filter(({ name }) => names.has(name))).toEqual(own);
    },
  );

  test.each(['resources/list', 'resources/templates/list', 'prompts/list'])(
    '%s of everything is the same as directly',
    async (method) => {
      const [direct, seen] = await Promise.all([
        directly('everything', '--method', method),
        through('everything', '--method', method),
      ]);
      expect(seen).toEqual(direct);
    },
  );

  test.each([
    { tool: 'get-tiny-image', args: {} },
    { tool: 'get-resource-links', args: { count: 3 } },
    { tool: 'get-resource-reference', args: { resourceType: 'Text', resourceId: 1 } },
    { tool: 'get-annotated-message', args: { messageType: 'error', includeImage: true } },
  ])('the result of $tool is the same as directly, including images, links and annotations', async ({ tool, args }) => {
    const call = ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)];
    const [direct, seen] = await Promise.all([directly('everything', ...call), through('everything', ...call)]);
    expect(withoutTime(seen)).toEqual(withoutTime(direct));
  });
});

/** Some texts of server-everything contain the current time. */
function withoutTime(result: Listed): unknown {
  return JSON.parse(JSON.stringify(result).replace(/\d+:\d\d:\d\d [AP]M/g, 'now'));
}

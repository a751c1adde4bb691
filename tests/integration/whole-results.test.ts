/**
 * Apps that receive `structuredContent` show their model nothing else. So a helper tool returns either none, or its
 * whole result in it, in every mode.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registryFile } from '../fixtures/registry/registry-server.ts';
import { allModes } from '../../src-main/compat/all-modes.ts';
import type { Mode } from '../../src-main/core/modes/mode.ts';
import { allCases } from '../support/all-cases.ts';
import { handleIn } from '../support/finished.ts';
import type { Params } from '../support/raw-client.ts';
import { type SocketClient, textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { writeAtomically } from '../support/write-atomically.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-whole-'));
const servers = { a: fixture('compat', 'A'), x: fixture('compat-results') };

type Calls = readonly Params[];

const called = (name: string, more: Params = {}): Calls => [
  { name: 'a:echo_tool', ...more },
  { name: 'a:reverse_tool', args: { text: 'abc' }, ...more },
  ...['structured', 'iserr', 'rpcerr', 'picture', 'big'].map((tool) => ({ name: `x:${tool}`, ...more })),
  { name: `${name}:nothing`, ...more },
];
const dispatched = (input: Params): Params => ({ action: 'call', connection: 'x', ...input });

/** For each helper tool, valid inputs, and some that fail. `FILE` stands for a spill. */
const inputs: Readonly<Record<string, Calls>> = {
  get_tool_schema: [{ name: 'echo_tool' }, { tools: ['echo_tool', 'nothing'] }, { name: 'nothing' }],
  get_tool_count: [{}],
  list_all_tools: [{}, { server: 'a' }, { server: 'nobody' }],
  catalog_tools: [{}],
  invoke: called('x'),
  search_tools: [
    { query: 'reverse a text' },
    { query: 'revrse' },
    { query: 'zzzz' },
    { query: 'count', detail: 'full' },
  ],
  call_tool: called('x'),
  search: [{ query: 'reverse' }, { query: 'zzzz' }],
  get_schema: [{ tools: ['a_echo_tool'] }, { tools: ['nothing'] }],
  execute: [
    { code: 'return await call_tool("x:structured", {})', language: 'javascript' },
    { code: 'console.log(1); throw new Error("no")' },
  ],
  'proxy-dispatch': [
    ...[{ action: 'status' }, { action: 'list' }, { action: 'list', format: 'detail' }],
    ...[
      { action: 'search', query: 'echo' },
      { action: 'search', query: 'echo', format: 'detail' },
      { action: 'nothing' },
    ],
    ...['structured', 'iserr', 'rpcerr', 'picture', 'big', 'nothing'].map((tool) => dispatched({ tool })),
    dispatched({ tool: 'structured', resultToFile: true }),
    { action: 'readresult', resultFile: 'FILE', op: 'head' },
    { action: 'readresult', resultFile: 'nothing' },
  ],
  proxy: [
    ...['tool', 'resource', 'prompt'].map((type) => ({ action: 'list', type })),
    { action: 'info', type: 'tool', path: 'a_echo_tool' },
    ...called('x').map(({ name, args }) => ({ action: 'call', type: 'tool', path: name, args: args ?? {} })),
    { action: 'batch', operations: [{ action: 'call', type: 'tool', path: 'x:structured' }, { action: 'info' }] },
  ],
  read_skill: [{}, { uri: 'skill://nobody/nothing/SKILL.md' }],
  retrieve_tools: [{ query: 'reverse' }, { query: 'zzzz' }],
  describe_tool: [{ tool_ids: ['a:echo_tool'] }, { tool_ids: ['a:echo_tool', 'a:no'] }],
  call_tool_read: called('x'),
  call_tool_write: called('x'),
  call_tool_destructive: called('x'),
  manage_servers: [{ action: 'list' }, { action: 'validate' }, { action: 'add', name: 'n', command: 'node' }, {}],
  optimize_descriptions: [{ action: 'status' }, { action: 'generate' }, { action: 'save' }],
  read_resource: [{}, { uri: 'nothing://here' }],
  read_result: [{ resultFile: 'FILE', op: 'head' }, { resultFile: 'nothing' }],
  upstream_servers: [{ operation: 'list' }, { operation: 'nothing' }],
  code_execution: [{ code: 'call_tool("x", "structured", {})', language: 'javascript' }, { code: 'nothing()' }],
  await_result: [{ handle: 'nothing' }],
};

/** The tools of gateway mode that represent a server are helper tools, too. */
const gatewayInputs: Calls = [{}, ...called('x').map(({ name, ...rest }) => ({ tool: name, ...rest }))];

/** What an app that reads only `structuredContent` lacks compared with one that reads only content. */
function unsaid({ structuredContent, content }: Params): unknown[] {
  if (structuredContent === undefined) return [];
  const meant = [structuredContent, (structuredContent as Params)['result']].map((value) => JSON.stringify(value));
  return (content as Params[]).filter(({ type, text }) => type !== 'text' || !meant.some((one) => one === json(text)));
}

function json(text: unknown): string | undefined {
  try {
    return JSON.stringify(JSON.parse(String(text)));
  } catch {
    return JSON.stringify(text);
  }
}

let core: TestCore;
let file: string;
const open = (mode: string): Promise<SocketClient> => core.open({}, { mode });

beforeAll(async () => {
  core = await startCore({ servers, registries: [{ name: 'official', url: registryFile }] });
  const client = await open('proxy');
  const kept = textOf(await client.callTool('proxy-dispatch', dispatched({ tool: 'big', resultToFile: true })));
  file = /resultFile='([^']+)'/.exec(kept)?.[1] ?? '';
});
afterAll(async () => {
  await core[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

test('inputs covers every helper tool', () => {
  expect(Object.keys(inputs).sort(), 'add inputs for it to `inputs` above').toEqual(
    [...allModes.helpers.keys()].sort(),
  );
});

/** In `proxy` every helper tool, listed or not; in the other modes those that they list (all cases: every one). */
function inputsIn({ name, helpers }: Mode): readonly [helper: string, all: Calls][] {
  const listed = new Set(helpers.map(({ definition }) => definition.name));
  return Object.entries(inputs).filter(([helper]) => allCases || name === 'proxy' || listed.has(helper));
}

describe.each(allModes.modes.map((mode) => [mode.name, mode] as const))('in mode %s', (name, mode) => {
  let client: SocketClient;
  beforeAll(async () => {
    client = await open(name);
  });

  test.each(inputsIn(mode))('%s repeats its whole text in structuredContent, or has none', async (name, all) => {
    for (const input of all) {
      const args = JSON.parse(JSON.stringify(input).replaceAll('FILE', file)) as Params;
      const result = await client.callTool(name, args);
      expect({ args, unsaid: unsaid(result) }).toEqual({ args, unsaid: [] });
      expect((result['content'] as unknown[]).length > 0 || result['structuredContent'] !== undefined).toBe(true);
    }
  });

  test.each(['a', 'x'])('the tool of server %s does so too, wherever it was called before', async (server) => {
    for (const input of [...gatewayInputs, ...gatewayInputs]) {
      const result = await client.callTool(server, input);
      expect({ input, unsaid: unsaid(result) }).toEqual({ input, unsaid: [] });
    }
  });
});

test('returns only the summary of a spilled result through every helper', async () => {
  await using small = await startCore({ servers: { x: servers.x }, results: { threshold: 10 } });
  for (const mode of allModes.modes.map(({ name }) => name)) {
    const client = await small.open({}, { mode });
    const ways: [string, Params][] = [
      ['structured', {}],
      ['call_tool', { name: 'structured' }],
      ['invoke', { name: 'structured' }],
      ['call_tool_write', { name: 'x:structured' }],
      ['proxy', { action: 'call', type: 'tool', path: 'structured' }],
      ['proxy-dispatch', dispatched({ tool: 'structured' })],
      ['x', { tool: 'structured' }],
      ['proxy', { action: 'list', type: 'tool' }],
    ];
    for (const [name, args] of ways) {
      const result = await client.callTool(name, args);
      expect([name, result['structuredContent']]).toEqual([name, undefined]);
      expect(textOf(result)).toMatch(/stored in full on disk|temporary JSON file/);
    }
  }
});

test('a slow call returns a handle, and later its result in the same form', async () => {
  const args = [join(import.meta.dirname, 'servers/slow.ts'), join(folder, 'log')];
  await using slow = await startCore({ servers: { slow: { command: process.execPath, args } }, slowCallSeconds: 0.1 });
  for (const mode of allModes.modes.map(({ name }) => name)) {
    const client = await slow.open({}, { mode });
    const file = join(folder, mode);
    const pending = await client.callTool('work', { file });
    writeAtomically(file, 'done');
    for (const result of [pending, await client.callTool('await_result', { handle: handleIn(pending) })])
      expect([mode, unsaid(result), textOf(result).length > 0]).toEqual([mode, [], true]);
  }
});

/** Mode `auto` with a large catalog, over a real core: search, calls, and programs with restricted permissions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { estimateTokens } from '../../../src-main/core/condense/estimate-tokens.ts';
import { searchAndCodeMode } from '../../../src-main/core/modes/auto-mode.ts';
import { type SocketClient, textOf } from '../../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

const effects = { command: process.execPath, args: [`${import.meta.dirname}/../../compat/mcpproxy/effects-server.ts`] };
const many = Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`m${at}`, fixture('eight-tools')]));
const names = ['search', 'call_tool', 'execute', 'read_result'];

let core: TestCore;
let client: SocketClient;
beforeAll(async () => {
  core = await startCore({ servers: { fx: effects, ...many }, mode: 'auto' });
  client = await core.open({}, { mode: 'auto' });
});
afterAll(() => core[Symbol.asyncDispose]());

const run = async (code: string, allow?: unknown): Promise<{ isError: unknown; text: string }> => {
  const result = await client.callTool('execute', {
    code,
    language: 'javascript',
    ...(allow !== undefined && { allow }),
  });
  return { isError: result['isError'] ?? false, text: textOf(result) };
};

test('lists search, calls, programs, and reading of results for at most 450 tokens', async () => {
  expect(await client.toolNames()).toEqual(names);
  expect(estimateTokens(searchAndCodeMode.helpers.map(({ definition }) => definition))).toBeLessThanOrEqual(450);
});

test('reports the mode of the session with its reason', () => {
  const [session] = core.host.core.clients.sessions.all;
  expect([session?.view.mode, session?.view.reason]).toEqual(['auto', expect.stringContaining('search and programs')]);
});

test('lists search alone if programs are switched off', async () => {
  await using without = await startCore({ servers: many, mode: 'auto', code: { enabled: false } });
  const other = await without.open({}, { mode: 'auto' });
  expect(await other.toolNames()).toEqual(['search_tools', 'call_tool']);
});

describe('search', () => {
  const search = async (input: Record<string, unknown>): Promise<string> =>
    textOf(await client.callTool('search', input));

  test('groups hits by need, gives the signature of the best one, and states what nothing fits', async () => {
    const text = await search({ query: 'wipe a thing; zzzqq xxyyq; edit a thing' });
    expect(text).toMatch(/^\d+ of 90 tools:\nwipe a thing:\n- fx_wipe\(path, lines\?: integer\): /);
    expect(text).toContain('\nzzzqq xxyyq: no matches\n');
    expect(text).toMatch(/\nedit a thing:\n- fx_edit\(path/);
  });

  test('states that nothing fits a single need', async () => {
    expect(await search({ query: 'zzzqq xxyyq' })).toBe('Nothing fits.');
  });

  test('returns a schema only if it is requested', async () => {
    expect(await search({ query: 'wipe' })).not.toContain('inputSchema');
    expect(await search({ query: 'wipe', detail: 'full', limit: 1 })).toContain('"inputSchema"');
  });
});

describe('a program', () => {
  /** Whether a program may call a tool with each value of `allow`, by the tool's annotations. */
  const matrix: [tool: string, unset: boolean, read: boolean, write: boolean, destructive: boolean][] = [
    ['look', true, true, true, true],
    ['plain', true, true, true, true],
    ['edit', false, false, true, true],
    ['wipe', false, false, false, true],
  ];

  test.each(matrix)('calls %s if allowed', async (tool, ...allowed) => {
    const ways = [undefined, 'read', 'write', 'destructive'];
    for (const code of [
      `return await call_tool("fx_${tool}", { path: "/a" })`,
      `return (await call_tools([{ name: "fx_${tool}", args: { path: "/a" } }]))[0]`,
      `return await call_tool("invoke", { name: "fx_${tool}", args: { path: "/a" } })`,
    ]) {
      const answers = await Promise.all(ways.map((allow) => run(code, allow)));
      expect([code, answers.map(({ text }) => text.includes('"path":"/a"'))]).toEqual([code, allowed]);
    }
  });

  test('is refused a call beyond with the word to raise, goes on if it catches that, and reaches no server', async () => {
    const { isError, text } = await run('return await call_tool("fx_wipe", { path: "/blocked" })', 'write');
    expect([isError, text]).toEqual([true, expect.stringContaining('allow: "destructive"')]);
    const caught =
      'try { await call_tool("fx_edit", { path: "/b" }) } catch { return await call_tool("fx_look", { path: "/c" }) }';
    expect((await run(caught)).text).toContain('"path":"/c"');
    const recent = await core.host.core.activity.log.ask('recentCalls');
    const last = recent.find(({ tool, outcome }) => tool === 'wipe' && outcome === 'blocked');
    expect(last).toMatchObject({ via: 'execute', error: { code: 'not_allowed' }, bytes: { serverResult: 0 } });
  });

  test('records each call of its own', async () => {
    await run('for (const path of ["/r1", "/r2"]) await call_tool("fx_look", { path }); return 1');
    const recent = await core.host.core.activity.log.ask('recentCalls');
    const calls = recent.filter(({ tool, outcome }) => tool === 'look' && outcome === 'ok').slice(0, 2);
    expect(calls).toMatchObject([
      { via: 'execute', server: 'fx' },
      { via: 'execute', server: 'fx' },
    ]);
  });

  test('may not call a helper tool that changes servers', async () => {
    const { isError, text } = await run('return await call_tool("manage_servers", { action: "list" })');
    expect([isError, text]).toEqual([true, expect.stringContaining('allow: "')]);
  });

  test('is rejected with an unknown value of allow', async () => {
    const { isError, text } = await run('return 1', 'all');
    expect([isError, text]).toEqual([true, expect.stringContaining('"allow"')]);
  });
});

test('leads to read_result in a preview, and reads with it', async () => {
  const big = await client.callTool('execute', { code: 'return "x\\n".repeat(90000)', language: 'javascript' });
  expect(textOf(big)).toContain('read_result {"resultFile"');
  const [, id = ''] = /tooltray:\/\/spill\/([\w-]+)/.exec(JSON.stringify(big)) ?? [];
  expect(textOf(await client.callTool('read_result', { resultFile: id, op: 'stat' }))).toContain('180000 bytes');
});

test('mode code runs programs without limits, as ToolMux does', async () => {
  const other = await core.open({}, { mode: 'code' });
  const code = 'return await call_tool("fx_wipe", { path: "/a" })';
  expect(textOf(await other.callTool('execute', { code, language: 'javascript' }))).toContain('"path":"/a"');
});

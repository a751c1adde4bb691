/** Tests MCPProxy's tools over a real socket, a real core and real servers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countTokens } from '../../../src-main/core/activity/activity-worker/count-tokens.ts';
import { type SocketClient, textOf } from '../../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

const effects = { command: process.execPath, args: [`${import.meta.dirname}/effects-server.ts`] };

let core: TestCore;
let client: SocketClient;
beforeAll(async () => {
  core = await startCore({
    // The five megabytes of one case are returned, not spilled.
    results: { threshold: 0 },
    servers: {
      fx: effects,
      a: { ...fixture('compat', 'A'), disabledTools: ['reverse_tool'] },
      off: { ...fixture('compat', 'B'), enabled: false },
    },
  });
  client = await core.open({}, { mode: 'retrieve' });
});
afterAll(() => core[Symbol.asyncDispose]());

type Json = Record<string, unknown>;

async function call(tool: string, input: Json): Promise<{ isError: unknown; text: string }> {
  const result = await client.callTool(tool, input);
  return { isError: result['isError'], text: textOf(result) };
}

async function json(tool: string, input: Json): Promise<Json> {
  return JSON.parse((await call(tool, input)).text) as Json;
}

test('lists five tools, which cost at most 600 tokens with the instructions', async () => {
  const fresh = await core.connect({ mode: 'retrieve' });
  const { instructions } = (await fresh.initialize()) as { instructions?: string };
  const list = await fresh.request('tools/list');
  expect((list as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual([
    'retrieve_tools',
    'describe_tool',
    'call_tool_read',
    'call_tool_write',
    'call_tool_destructive',
  ]);
  expect(instructions).toContain('fx, a');
  expect(countTokens(JSON.stringify(list) + String(instructions))).toBeLessThanOrEqual(600);
});

test('a search result can be called with the name and the helper that it gives', async () => {
  const { tools } = (await json('retrieve_tools', { query: 'wipe a thing' })) as { tools: Json[] };
  expect(tools[0]).toMatchObject({
    name: 'fx:wipe',
    sig: '(path, lines?: integer)',
    call_with: 'call_tool_destructive',
  });
  expect(await json(String(tools[0]?.['call_with']), { name: tools[0]?.['name'], args: { path: '/a' } })).toEqual({
    name: 'wipe',
    args: { path: '/a' },
  });
});

test.each(['proxy', 'search'])('the helpers work in mode %s', async (mode) => {
  const other = await core.open({}, { mode });
  const answer = await other.callTool('call_tool_read', { name: 'fx:look', args_json: '{"path":"/a"}' });
  expect(JSON.parse(textOf(answer))).toEqual({ name: 'look', args: { path: '/a' } });
  expect(textOf(await other.callTool('upstream_servers', { operation: 'list' }))).toContain('"total":3');
  expect(await other.toolNames()).not.toContain('upstream_servers');
});

describe('declared intent', () => {
  /** Whether each variant may call the tool, by its annotations. */
  const matrix: [tool: string, read: boolean, write: boolean, destructive: boolean][] = [
    ['look', true, true, true],
    ['edit', false, true, true],
    ['wipe', false, false, true],
    ['plain', true, true, true],
  ];

  test.each(matrix)('%s', async (tool, ...allowed) => {
    for (const [place, variant] of ['read', 'write', 'destructive'].entries()) {
      const nested = { intent: { operation_type: variant } };
      for (const intent of [{}, nested, { intent_reason: 'because', intent_data_sensitivity: 'public' }]) {
        const { isError, text } = await call(`call_tool_${variant}`, {
          name: `fx:${tool}`,
          args: { path: 'x' },
          ...intent,
        });
        expect([variant, isError ?? false]).toEqual([variant, !allowed[place]]);
        if (isError === true) expect(JSON.parse(text)).toMatchObject({ error_code: 'SERVER_MISMATCH' });
      }
    }
  });

  test('a rejected call never reaches the server and is recorded as blocked', async () => {
    const intent = { operation_type: 'read', data_sensitivity: 'private', reason: 'a look' };
    await call('call_tool_read', { name: 'fx:wipe', args: { path: '/blocked' }, intent });
    const calls = await core.host.core.activity.log.ask('recentCalls');
    const last = calls.find(({ tool, outcome }) => tool === 'wipe' && outcome === 'blocked');
    expect(last).toMatchObject({ via: 'call_tool_read', error: { code: 'not_allowed' }, bytes: { serverResult: 0 } });
    expect(last?.declared).toEqual({ reason: 'a look', sensitivity: 'private' });
  });

  test('the error names the variant that would work', async () => {
    expect(await json('call_tool_read', { name: 'fx:edit', args: { path: '/' } })).toMatchObject({
      use: 'call_tool_write',
    });
    expect(await json('call_tool_write', { name: 'fx:wipe', args: { path: '/' } })).toMatchObject({
      use: 'call_tool_destructive',
    });
  });

  test('rejects a declaration that contradicts the variant', async () => {
    const { isError, text } = await call('call_tool_read', {
      name: 'fx:look',
      args: { path: '/' },
      intent: { operation_type: 'destructive' },
    });
    expect([isError, text]).toEqual([true, expect.stringContaining('INTENT_MISMATCH')]);
  });
});

describe('arguments', () => {
  test.each([
    { args: { path: '/a' } },
    { args_json: '{"path":"/a"}' },
    { arguments: { arguments: { path: '/a' } } },
    { params: '{"args":{"path":"/a"}}' },
    { path: '/a', intent_reason: 'because' },
  ])('are found in %j', async (input) => {
    expect(await json('call_tool_read', { name: 'fx:look', ...input })).toEqual({ name: 'look', args: { path: '/a' } });
  });

  test('that do not fit return the schema and the nearest names', async () => {
    const { isError, text } = await call('call_tool_read', { name: 'fx:look', args: { pth: '/a' } });
    expect(isError).toBe(true);
    expect(JSON.parse(text)).toMatchObject({
      error: expect.stringContaining('"path" is missing') as string,
      error_type: 'invalid_params',
      tool: 'fx:look',
      hint: expect.stringContaining('Did you mean "path" instead of "pth"?') as string,
      input_schema: { properties: { path: { type: 'string' } } },
    });
  });

  test('are checked through the helpers of other modes, but not in a direct call', async () => {
    const { isError, text } = await call('call_tool', { name: 'fx:look', arguments: { path: 5 } });
    expect([isError, JSON.parse(text)]).toMatchObject([true, { error_type: 'invalid_params', tool: 'fx:look' }]);
    expect(await json('fx_look', { path: 5, other: { arguments: 1 } })).toEqual({
      name: 'look',
      args: { path: 5, other: { arguments: 1 } },
    });
  });

  test('of five megabytes reach the server', async () => {
    const { text } = await call('call_tool_read', { name: 'fx:look', args: { path: 'x'.repeat(5_000_000) } });
    expect(text.length).toBeGreaterThan(5_000_000);
  });
});

test('ignores blanks around the colon of an ID', async () => {
  expect(await json('call_tool_read', { name: ' fx : look ', args: { path: '/a' } })).toMatchObject({ name: 'look' });
});

test('describes and rejects a disabled tool as disabled, with a fix', async () => {
  const helps = expect.stringContaining('Continue without it, or ask the user to enable it in Tooltray.') as string;
  expect(await json('describe_tool', { tool_ids: ['a:reverse_tool'] })).toMatchObject({
    errors: [{ id: 'a:reverse_tool', error: 'not_allowed', remediation: helps }],
  });
  for (const name of ['a:reverse_tool', 'a_reverse_tool']) {
    const { isError, text } = await call('call_tool_read', { name, args: { message: 'x' } });
    expect([isError, text]).toEqual([true, expect.stringMatching(/^TOOL_BLOCKED: a:reverse_tool .*enable it/)]);
  }
});

describe('errors', () => {
  test.each<[Json, RegExp]>([
    [{ name: 'fx:refuse', args: { path: '' } }, /"error":"bad params","error_type":"invalid_params".*"input_schema"/],
    [{ name: 'fx:nope' }, /Unknown tool/],
    [{ name: 'nope' }, / Use the form server:tool\./],
    [{ name: 'zz:look' }, /There is no server \\"zz\\".*fx, a, off/],
    [{ name: 'off:echo_tool' }, /^TOOL_BLOCKED:/],
    [{}, /The tool name is missing\./],
    [{ name: 'fx:look', args: '{' }, /not valid JSON/],
  ])('%j', async (input, text) => {
    const answer = await call('call_tool_read', input);
    expect(answer).toEqual({ isError: true, text: expect.stringMatching(text) as string });
  });

  test('returns an error result of the tool unchanged', async () => {
    expect(await call('call_tool_read', { name: 'fx:fail', args: { path: '' } })).toEqual({
      isError: true,
      text: 'it failed',
    });
  });
});

test("tail_log returns a server's log without its secrets", async () => {
  const expected = { server_name: 'fx', lines_requested: 5, lines_returned: 1, server_status: { enabled: true } };
  const answer = await json('upstream_servers', { operation: 'tail_log', name: 'fx', lines: 5 });
  expect(answer).toMatchObject(expected);
  expect(answer['log_lines']).toEqual(['effects: listening with token=***']);
});

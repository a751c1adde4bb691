/**
 * What a model receives for a tool whose server is unavailable: a table of ways to call and server states, on a real core. Each way
 * returns the state of the named server, its cause and a fix.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppError } from '../../src-main/core/base/errors.ts';
import { allModes } from '../../src-main/compat/all-modes.ts';
import { coreHandlers } from '../../src-main/rpc/handlers/core.ts';
import { allCases } from '../support/all-cases.ts';
import type { Params } from '../support/raw-client.ts';
import { goThrough } from '../core/servers/oauth/browser.ts';
import { type OAuthFixture, startOAuthFixture } from '../fixtures/servers/oauth-http.ts';
import { HttpClient } from '../support/http-client.ts';
import { type SocketClient, textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestConfig, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-states-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gated = (gate: string): object => ({
  command: process.execPath,
  args: [join(import.meta.dirname, 'servers/gated.ts'), join(folder, gate)],
});
const open = (gate: string): void => writeFileSync(join(folder, gate), '');

const good = fixture('compat', 'A');
const away = fixture('compat', 'B');

/** Everything a client app received, including protocol errors. */
async function told(client: SocketClient, name: string, args: Params): Promise<string> {
  const answer = await client.exchange('tools/call', { name, arguments: args });
  return answer.line.replaceAll('\\"', '"').replaceAll('\\\\"', '"');
}

/** Ways to call a tool of a server. `work` is the tool's name. */
const ways: Record<string, (client: SocketClient, server: string, tool: string) => Promise<string>> = {
  'a direct call': (client, server, tool) => told(client, `${server}_${tool}`, {}),
  call_tool: (client, server, tool) => told(client, 'call_tool', { name: `${server}:${tool}`, arguments: {} }),
  'call_tool with the server beside it': (client, server, tool) =>
    told(client, 'call_tool', { name: tool, server, arguments: {} }),
  invoke: (client, server, tool) => told(client, 'invoke', { name: `${server}_${tool}`, args: {} }),
  call_tool_read: (client, server, tool) => told(client, 'call_tool_read', { name: `${server}:${tool}`, args: {} }),
  call_tool_write: (client, server, tool) => told(client, 'call_tool_write', { name: `${server}:${tool}`, args: {} }),
  call_tool_destructive: (client, server, tool) =>
    told(client, 'call_tool_destructive', { name: `${server}:${tool}`, args: {} }),
  'proxy call': (client, server, tool) =>
    told(client, 'proxy', { action: 'call', type: 'tool', path: `${server}_${tool}` }),
  'proxy info': (client, server, tool) =>
    told(client, 'proxy', { action: 'info', type: 'tool', path: `${server}.${tool}` }),
  'proxy batch': (client, server, tool) =>
    told(client, 'proxy', {
      action: 'batch',
      operations: [{ action: 'call', type: 'tool', path: `${server}_${tool}` }],
    }),
  'proxy-dispatch call': (client, server, tool) =>
    told(client, 'proxy-dispatch', { action: 'call', tool: `${server}:${tool}`, arguments: {} }),
  'proxy-dispatch call on a connection': (client, server, tool) =>
    told(client, 'proxy-dispatch', { action: 'call', tool, connection: server, arguments: {} }),
  get_tool_schema: (client, server, tool) => told(client, 'get_tool_schema', { name: `${server}/${tool}` }),
  get_schema: (client, server, tool) => told(client, 'get_schema', { tools: [`${server}:${tool}`] }),
  describe_tool: (client, server, tool) => told(client, 'describe_tool', { tool_ids: [`${server}:${tool}`] }),
  execute: (client, server, tool) =>
    told(client, 'execute', { code: `return await call_tool("${server}:${tool}", {})`, language: 'javascript' }),
  code_execution: (client, server, tool) =>
    told(client, 'code_execution', { code: `call_tool("${server}", "${tool}", {})` }),
  "the server's tool of mode gateway": (client, server, tool) => told(client, server, { tool, arguments: {} }),
};

interface State {
  readonly server: string;
  readonly tool: string;
  /** What every response contains: the state, its cause, a fix. */
  readonly words: readonly RegExp[];
}

const states: Record<string, State> = {
  dead: {
    server: 'dead',
    tool: 'work',
    words: [/dead did not start/, /no-such-command-here/, /Install it/],
  },
  'switched off, and listed by an earlier core': {
    server: 'off',
    tool: 'echo_tool',
    words: [/off is disabled/, /tooltray enable off/],
  },
  'waiting for sign-in': {
    server: 'cloud',
    tool: 'whoami',
    words: [/cloud /, /tooltray login cloud/],
  },
  'in review': {
    server: 'held',
    tool: 'work',
    words: [/held needs the user.s review/, /before it starts/, /tooltray inbox show held/],
  },
  'written wrongly in the config': {
    server: 'broken',
    tool: 'work',
    words: [/entry of broken in the config cannot be used|tooltray config validate/, /tooltray config validate/],
  },
  'not there at all': {
    server: 'nobody',
    tool: 'work',
    words: [/no server|Unknown tool|not.found|not available|Unknown connection/i],
  },
};

let core: TestCore;
let client: SocketClient;
let cloud: OAuthFixture;

beforeAll(async () => {
  cloud = await startOAuthFixture();
  const home = mkdtempSync(join(tmpdir(), 'tooltray-states-home-'));
  // Listed by an earlier core.
  await using _before = await startCore({ servers: { good, off: away } }, { home });
  await _before.host.stop();
  core = await startCore(
    {
      servers: {
        good,
        dead: { command: 'no-such-command-here' },
        off: { ...away, enabled: false },
        cloud: { url: cloud.url },
        held: { ...fixture('compat', 'E'), quarantined: true },
        broken: { command: 5 },
      },
    },
    { home },
  );
  client = await core.open();
  await until(() => core.server('cloud').state.kind === 'pending-sign-in');
});
afterAll(async () => {
  await core[Symbol.asyncDispose]();
  rmSync(core.home, { recursive: true, force: true, maxRetries: 5 });
  await cloud[Symbol.asyncDispose]();
});

describe.each(Object.entries(states))('a tool of a server that is %s', (_state, { server, tool, words }) => {
  test.each(Object.entries(ways))('by %s returns that state', async (way, call) => {
    if (server === 'nobody' && way.includes('gateway')) return;
    const text = await call(client, server, tool);
    for (const word of words) expect(text).toMatch(word);
    // Another server has tools of the same names: it must not be suggested.
    expect(text).not.toMatch(/good[:_]/);
    expect(text).not.toMatch(/Did you mean/);
  });

  test('by tooltray call returns that state', async () => {
    const context = core.host.rpcDeps;
    const asked = coreHandlers.call({ tool: `${server}:${tool}`, arguments: {} }, context, never);
    const error = await asked.then(
      () => undefined,
      (reason: AppError) => reason,
    );
    for (const word of words) expect(error?.text).toMatch(word);
  });
});

const never = new AbortController().signal;

test.each<[string, Params]>([
  ['list_all_tools', {}],
  ['catalog_tools', {}],
  ['search_tools', { query: 'echo' }],
  ['search', { query: 'echo' }],
  ['retrieve_tools', { query: 'echo' }],
  ['proxy', { action: 'list', type: 'tool' }],
])('%s names the servers whose tools are missing, with the reason', async (name, args) => {
  expect(await told(client, name, args)).toMatch(
    /dead: [^;]*"no-such-command-here"[^;]*; off: [^;]+; cloud: [^;]+; held: [^;]+; broken: /,
  );
});

test('get_tool_count names each of them once', async () => {
  const text = await told(client, 'get_tool_count', {});
  expect(text).toMatch(/"failed_servers":\{"dead":.*"cloud":/);
  expect(text).toContain('"not_listed":"off: disabled; held: waits for review; broken: its entry has an error"');
});

test('proxy-dispatch lists them with their problems', async () => {
  const text = await told(client, 'proxy-dispatch', { action: 'list' });
  expect(text).toMatch(/"alias":"c2".{0,30}"lastError":"dead did not start/);
  expect(text).toContain('"not_listed":"off: disabled; held: waits for review; broken: its entry has an error"');
});

test('a list for one server reports only that server', async () => {
  expect(await told(client, 'list_all_tools', { server: 'off' })).toContain('"not_listed":"off: disabled"');
  expect(await told(client, 'list_all_tools', { server: 'good' })).not.toContain('not_listed');
});

test.each([
  ['serach_tools', /\bsearch_tools\b/],
  ['good', /good is a server|Missing 'tool' argument/],
  ['good:ecko_tool', /\bgood:echo_tool\b/],
  ['off:ecko_tool', /\boff:echo_tool\b/],
])('%s suggests similar names of that server only', async (name, text) => {
  expect(await told(client, 'call_tool', { name })).toMatch(text);
});

describe('a starting server', () => {
  /** A core with one ready server and one that starts when the test says so. */
  async function startingCore(gate: string, more: Partial<TestConfig> = {}): Promise<TestCore> {
    const started = await startCore({ servers: { good, slow: gated(gate) }, ...more }, { settled: false });
    await until(() => started.host.core.servers.manager.find('good')?.state.kind === 'ready');
    return started;
  }

  test('delays every call to its tools until it is ready, with progress', async () => {
    await using slow = await startingCore('every-way');
    const app = await slow.open();
    const calls = Object.entries(ways).map(async ([way, call]) => [way, await call(app, 'slow', 'work')] as const);
    const direct = app.request('tools/call', { name: 'slow_work', _meta: { progressToken: 'p' } });
    await app.notification('notifications/progress');
    open('every-way');
    for (const [way, text] of await Promise.all(calls)) {
      expect([way, text]).toEqual([way, expect.stringMatching(/worked|"work"|work"|### .*work|slow:work/) as string]);
    }
    expect(await direct).toMatchObject({ content: [{ text: 'worked' }] });
    const progress = app.notifications.filter(({ method }) => method === 'notifications/progress');
    expect(progress[0]?.params).toMatchObject({
      progressToken: 'p',
      progress: expect.toSatisfy((value: number) => value < 0) as number,
      message: expect.stringMatching(/^slow is starting, \d+ s$/) as string,
    });
  });

  test('adds its tools to a list that is requested once it is ready', async () => {
    await using slow = await startingCore('checked');
    const app = await slow.open();
    open('checked');
    expect(await told(app, 'list_all_tools', {})).toContain('slow_work');
  });

  test.runIf(allCases)('delays no request for another server, and no mode with a fixed list', async () => {
    await using slow = await startingCore('never');
    const fixed = allModes.modes.filter(({ fixedList }) => fixedList === true).map(({ name }) => name);
    expect(fixed).toContain('search');
    for (const mode of fixed) {
      const app = await slow.open({}, { mode });
      expect((await app.toolNames()).length).toBeGreaterThan(0);
    }
    const app = await slow.open();
    expect(await told(app, 'call_tool', { name: 'good:echo_tool', arguments: { message: 'x' } })).toContain(
      '"who":"A"',
    );
    expect(await told(app, 'good_echo_tool', { message: 'x' })).toContain('"who":"A"');
    const { message } = await app.exchange('tools/call', { name: 'good:nope', arguments: {} });
    expect(message.error?.code).toBe(-32602);
    expect(slow.server('slow').state.kind).toBe('connecting');
  });

  test('delays requests for its prompts and resources', async () => {
    await using slow = await startingCore('prompts');
    const app = await slow.open();
    const asked = Object.values(requests).map((request) => app.exchange(...request('slow')));
    await app.request('ping');
    expect(slow.server('slow').state.kind).toBe('connecting');
    open('prompts');
    for (const { message } of await Promise.all(asked)) expect(message.error?.message).not.toContain('starting');
  });

  test.runIf(allCases)('delays no name without a server, and is named in the error', async () => {
    await using slow = await startingCore('bare');
    const app = await slow.open();
    for (const [method, params] of [
      ['tools/call', { name: 'nobody_has_this' }],
      ['tools/call', { name: 'call_tool', arguments: { name: 'nobody_has_this' } }],
      ['prompts/get', { name: 'nobody_has_this' }],
    ] as const)
      expect((await app.exchange(method, params)).line).toMatch(/Not listed: slow: starting/);
    expect(slow.server('slow').state.kind).toBe('connecting');
  });

  test('returns the cause if it does not start in time', async () => {
    await using slow = await startCore(
      { servers: { good, slow: { ...gated('too-late'), initTimeoutSeconds: 1 } } },
      { settled: false },
    );
    const app = await slow.open();
    expect(await told(app, 'call_tool', { name: 'slow:work' })).toMatch(
      /slow.*within 1 s.*(?:Next retry in \d+ s|Retrying now)/,
    );
  });

  test('starts regardless of a client app that cancels its call', async () => {
    await using slow = await startingCore('given-up');
    const app = await slow.open();
    app.writeText(JSON.stringify({ jsonrpc: '2.0', id: 'mine', method: 'tools/call', params: { name: 'slow_work' } }));
    app.notify('notifications/cancelled', { requestId: 'mine' });
    await app.request('ping');
    open('given-up');
    await until(() => slow.server('slow').state.kind === 'ready');
    expect(await app.say('slow_work')).toBe('worked');
  });
});

test.runIf(allCases)('a lazy server reports progress while a call starts it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tooltray-states-home-'));
  open('woken');
  const config = { servers: { slow: { ...gated('woken'), lazy: true } } };
  await using first = await startCore(config, { home });
  await until(() => first.server('slow').listedAt !== undefined);
  await first.host.stop();
  rmSync(join(folder, 'woken'));
  await using second = await startCore(config, { home });
  const app = await second.open();
  expect(await app.toolNames()).toEqual(['work']);
  const call = app.request('tools/call', { name: 'work', _meta: { progressToken: 1 } });
  const { params } = await app.notification('notifications/progress');
  expect(params).toMatchObject({ message: expect.stringContaining('slow is starting') as string });
  open('woken');
  expect(await call).toMatchObject({ content: [{ text: 'worked' }] });
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

/** Requests for prompts and resources of a server. */
const requests: Record<string, (server: string) => readonly [string, Params]> = {
  'a prompt': (server) => ['prompts/get', { name: `${server}_greet` }],
  'the completion of a prompt': (server) => [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: `${server}_greet` }, argument: { name: 'a', value: '' } },
  ],
  'a resource': (server) => ['resources/read', { uri: `tooltray://${server}/notes://today` }],
  'a subscription': (server) => ['resources/subscribe', { uri: `tooltray://${server}/notes://today` }],
};

const absent = Object.entries(states).filter(([state]) => state !== 'not there at all');

describe.each(Object.entries(requests))('%s of such a server returns its state:', (_what, request) => {
  test.each(absent)('%s', async (_state, { server, words }) => {
    const [method, params] = request(server);
    const { message } = await client.exchange(method, params);
    expect(message.error?.code).toBe(-32602);
    for (const word of words) expect(message.error?.message).toMatch(word);
  });

  test('has no state for an unknown server', async () => {
    const { message } = await client.exchange(...request('nobody'));
    expect(message.error).toMatchObject({ code: -32602, message: expect.stringContaining('nobody') as string });
  });
});

test.each(absent)('the proxy tool returns the state as well: %s', async (_state, { server, words }) => {
  const wrapped = `tooltray://${server}/notes://today`;
  for (const input of [
    { action: 'call', type: 'resource', path: wrapped },
    { action: 'info', type: 'resource', path: wrapped },
    { action: 'call', type: 'prompt', path: `${server}_greet` },
    { action: 'info', type: 'prompt', path: `${server}_greet` },
  ])
    for (const word of words)
      expect([input, await told(client, 'proxy', input)]).toEqual([input, expect.stringMatching(word)]);
});

test.runIf(allCases)('knows the last listing of a server by bare name and URI', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tooltray-states-home-'));
  await using first = await startCore({ servers: { good, asker: fixture('asker') } }, { home });
  await first.host.stop();
  await using second = await startCore({ servers: { good, asker: { ...fixture('asker'), enabled: false } } }, { home });
  const app = await second.open();
  for (const [method, params] of [
    ['resources/read', { uri: 'asker://counter' }],
    ['prompts/get', { name: 'paint' }],
  ] as const) {
    const { message } = await app.exchange(method, params);
    expect(message.error).toMatchObject({ message: expect.stringContaining('asker is disabled') as string });
  }
  expect(await told(app, 'proxy', { action: 'call', type: 'resource', path: 'asker://counter' })).toContain(
    'asker is disabled',
  );
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

test('an error of a reading tool names the tool that was called', async () => {
  const text = await told(client, 'call_tool', {
    name: 'read_result',
    arguments: { resultFile: 'x', op: 'query', pattern: 'y' },
  });
  expect(text).toContain("read_result with op='query' requires a 'query'");
});

test('returns the state over HTTP as a result that the model reads', async () => {
  const http = new HttpClient(core.url);
  await http.initialize();
  const { message } = await http.exchange('tools/call', { name: 'off_echo_tool', arguments: {} });
  expect(message.result).toMatchObject({ isError: true });
});

/** Lists a tool `echo`. */
const diesOfACall = `
import { anyTool, serveRaw } from ${JSON.stringify(join(import.meta.dirname, '../fixtures/servers/raw/raw-server.ts'))};
serveRaw({ name: 'dies', listTools: () => ({ tools: [anyTool('echo')] }), call: () => process.exit(3) });`;

test('a server that needs another sign-in says so in its tools and is listed last, until it is signed in', async () => {
  await using shut = await startOAuthFixture();
  await using twin = await startOAuthFixture();
  await using asking = await startCore({ servers: { shut: { url: shut.url }, twin: { url: twin.url } } });
  const one = await asking.open();
  const signIn = async (name: string): Promise<void> => {
    const attempt = await asking.server(name).signIn();
    await goThrough(attempt.url);
    await attempt.done;
    await until(() => asking.host.core.calls.catalog.current.tools.some((tool) => tool.server === name && !tool.down));
  };
  await Promise.all(['shut', 'twin'].map(signIn));
  const description = async (): Promise<string | undefined> => {
    const { tools } = (await one.request('tools/list')) as { tools: { name: string; description: string }[] };
    return tools.find(({ name }) => name === 'shut_whoami')?.description;
  };
  const found = async (): Promise<string[]> => {
    const hits = JSON.parse(textOf(await one.callTool('search_tools', { query: 'whoami' }))) as { name: string }[];
    return hits.map(({ name }) => name);
  };
  const before = await description();
  expect([before, await found()]).toEqual([expect.stringMatching(/^Says who/), ['shut_whoami', 'twin_whoami']]);
  shut.authorization.revoke();
  await told(one, 'shut_whoami', {});
  await until(() => asking.server('shut').state.kind === 'pending-sign-in');
  expect([await description(), await found()]).toEqual([`[needs sign-in] ${before}`, ['twin_whoami', 'shut_whoami']]);
  const refused = await told(one, 'shut_whoami', {});
  expect(refused).toMatch(/tooltray login shut.*Similar tool: twin_whoami\./);
  await signIn('shut');
  expect(await description()).toBe(before);
  expect(await told(one, 'shut_whoami', {})).toContain('the one who signed in');
});

test.runIf(allCases)('a server that has failed for long says so in its tools, until it is back', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tooltray-ill-'));
  const program = join(home, 'program.ts');
  const works = `import ${JSON.stringify(fixture('echo').args[0])};`;
  writeFileSync(program, works);
  await using ill = await startCore(
    {
      servers: { ill: { command: process.execPath, args: [program] }, twin: fixture('echo') },
      dispatch: { deny: ['twin:echo'] },
    },
    { home },
  );
  const one = await ill.open();
  const description = async (): Promise<string> => {
    const { tools } = (await one.request('tools/list')) as { tools: { name: string; description: string }[] };
    return tools.find(({ name }) => name === 'ill_echo')?.description ?? '';
  };
  const before = await description();
  writeFileSync(program, 'process.exit(1);');
  const server = ill.server('ill');
  await server.sleep();
  void server.ready().catch(() => undefined);
  await until(() => ill.host.core.calls.catalog.current.tools.some(({ down }) => down !== undefined));
  expect(await description()).toMatch(/^\[not responding\] /);
  await one.notification('notifications/tools/list_changed');
  const found = await one.callTool('search_tools', { query: 'echo' });
  const hits = JSON.parse(textOf(found)) as { name: string }[];
  expect(hits.map(({ name }) => name).at(-1)).toBe('ill_echo');
  const refused = await one.callTool('ill_echo', { message: 'x' });
  expect(textOf(refused)).toMatch(/ill .*Similar tool: twin_echo\./s);
  // What a setting hides, or a program may not call, is not named.
  const dispatched = { action: 'call', tool: 'ill:echo', arguments: { message: 'x' } };
  expect(await told(one, 'proxy-dispatch', dispatched)).toMatch(/^(?!.*Similar tool:).*ill/s);
  const code = 'call_tool("ill", "echo", { message: "x" })';
  const allowed = { options: { allowed_servers: ['ill'] } };
  expect(await told(one, 'code_execution', { code, ...allowed })).toMatch(/^(?!.*Similar tool:).*ill/s);
  expect(await told(one, 'code_execution', { code })).toContain('Similar tool: twin_echo.');
  // Back again, it accepts the call and crashes: calling another server might execute it twice.
  expect(ill.host.core.calls.catalog.current.lookup.tools.byId('ill:echo')[0]?.down).toBeDefined();
  writeFileSync(program, diesOfACall);
  let last = '';
  while (!last.includes('code 3')) last = textOf(await one.callTool('ill_echo', { message: 'x' }));
  expect(last).not.toContain('Similar tool:');
  writeFileSync(program, works);
  // It may have restarted by itself already.
  await server.sleep();
  await server.retry();
  expect(await description()).toBe(before);
});

/** Which results are cached, for how long, and what invalidates them. */
import { describe, expect, test } from 'vitest';
import { parseJson, type JsonObject } from '../../../src-main/core/base/json.ts';
import type { CallerContext } from '../../../src-main/core/calls/call-tool.ts';
import { type CachedServer, ResultCache } from '../../../src-main/core/calls/result-cache.ts';
import type { CatalogEntry } from '../../../src-main/core/catalog/catalog.ts';
import { type Result, RpcError } from '../../../src-main/core/wire/message.ts';
import { RawJson, toObject } from '../../../src-main/core/wire/raw-json.ts';
import { callerOf } from '../../support/caller-of.ts';

const harmless = { readOnlyHint: true, idempotentHint: true };

function tool(annotations: JsonObject | undefined = harmless, name = 'status', server = 'git'): CatalogEntry {
  return { id: `${server}:${name}`, server, name, listedName: name, definition: { annotations } };
}

function caller(more: Partial<CallerContext> = {}): CallerContext {
  return {
    principal: callerOf('test-app'),
    sessionId: 's1',
    app: 'Cursor',
    mode: 'proxy',
    clientInfo: {},
    clientCapabilities: {},
    signal: new AbortController().signal,
    onLog: () => undefined,
    askClient: async () => ({}),
    acceptsInputRequired: false,
    ...more,
  };
}

interface Wishes {
  readonly params?: JsonObject;
  readonly tool?: CatalogEntry;
  readonly context?: CallerContext;
  readonly answer?: (context: CallerContext, count: number) => Promise<Result> | Result;
}

/** A cache with a clock and a server that counts its calls. */
class Bench {
  now = Date.parse('2026-11-21T10:00:00Z');
  asked = 0;
  seconds: Record<string, number> = { git: 60 };
  server: CachedServer | undefined = { hash: 'h1', listing: {}, handshake: {} };
  readonly cache: ResultCache;

  constructor(maxTotalBytes?: number) {
    this.cache = new ResultCache({
      settings: () => ({ cacheSeconds: this.seconds }),
      server: () => this.server,
      now: () => this.now,
      ...(maxTotalBytes !== undefined && { maxTotalBytes }),
    });
  }

  call({
    params = { name: 'status', arguments: {} },
    context = caller(),
    answer,
    ...more
  }: Wishes = {}): Promise<Result> {
    return this.cache.cachedCall(more.tool ?? tool(), params, context, async (own) => {
      this.asked += 1;
      return answer === undefined ? { content: [this.asked] } : answer(own, this.asked);
    });
  }

  /** Calls of the server for two requests. */
  async twice(wishes: Wishes = {}, second: Wishes = wishes): Promise<number> {
    await this.call(wishes).catch(() => undefined);
    await this.call(second).catch(() => undefined);
    return this.asked;
  }
}

test('returns a cached result for the configured time, and marks it', async () => {
  const bench = new Bench();
  const first = await bench.call();
  expect(first).toEqual({ content: [1] });
  bench.now += 59_000;
  expect(await bench.call()).toEqual({
    content: [1],
    _meta: { 'tooltray/cached': { at: '2026-11-21T10:00:00.000Z', ageSeconds: 59 } },
  });
  bench.now += 1000;
  expect(await bench.call()).toEqual({ content: [2] });
});

test('keeps the _meta of a result beside the mark', async () => {
  const bench = new Bench();
  const answer = (): Result => ({ content: [], _meta: { vendor: 1 } });
  await bench.call({ answer });
  expect(await bench.call({ answer })).toMatchObject({ _meta: { vendor: 1, 'tooltray/cached': { ageSeconds: 0 } } });
});

test('returns a result held as bytes as bytes again', async () => {
  const bench = new Bench();
  const answer = (): Result => new RawJson([Buffer.from('{"content":[12345678901234567890]}')]);
  await bench.call({ answer });
  const again = await bench.call({ answer });
  expect(again).toBeInstanceOf(RawJson);
  expect(toObject(again)).toMatchObject({ _meta: { 'tooltray/cached': { ageSeconds: 0 } } });
  expect((again as RawJson).text()).toContain('12345678901234567890');
});

describe('cache time', () => {
  test.each<[string, Record<string, number>, number]>([
    ['of a tool takes precedence over that of its server', { git: 60, 'git:status': 0 }, 2],
    ['may be set for a tool only', { 'git:status': 60 }, 1],
    ['of another server does not apply', { github: 60 }, 2],
    ['is zero by default', {}, 2],
  ])('%s', async (_what, seconds, asked) => {
    const bench = new Bench();
    bench.seconds = seconds;
    expect(await bench.twice()).toBe(asked);
  });

  test('does not grow when the clock is set back', async () => {
    const bench = new Bench();
    await bench.call();
    bench.now -= 1000;
    await bench.call();
    expect(bench.asked).toBe(2);
  });
});

test('caches a read-only tool, whether or not it is marked idempotent', async () => {
  expect(await new Bench().twice({ tool: tool({ readOnlyHint: true }) })).toBe(1);
});

describe('uncached calls', () => {
  test.each<[string, CatalogEntry]>([
    ['a tool without annotations', tool({})],
    ['a tool that is only idempotent', tool({ idempotentHint: true })],
  ])('does not cache calls of %s', async (_what, entry) => {
    expect(await new Bench().twice({ tool: entry })).toBe(2);
  });

  test.each<[string, (context: CallerContext) => Promise<Result> | Result]>([
    ['a failure of the tool', () => ({ content: [], isError: true })],
    ['a failure held as bytes', () => new RawJson([Buffer.from('{"isError":true}')], { isError: true })],
    ['an error of the server', () => Promise.reject(new RpcError(-32000, 'no'))],
    ['a question', () => ({ resultType: 'input_required', inputRequests: {} })],
    ['a task', () => ({ task: { taskId: '1' } })],
    [
      'a result that depends on a request to the client app',
      async ({ askClient }) => ({ content: [await askClient('roots/list', {}, new AbortController().signal)] }),
    ],
  ])('does not cache %s', async (_what, answer) => {
    expect(await new Bench().twice({ answer })).toBe(2);
  });

  test.each<[string, JsonObject]>([
    ['a task', { task: { ttl: 1 } }],
    ['the state of a retry', { requestState: 'x' }],
    ['an unknown member', { vendor: 1 }],
    ['a task by _meta', { _meta: { 'io.modelcontextprotocol/related-task': {} } }],
  ])('does not cache a request with %s', async (_what, more) => {
    expect(await new Bench().twice({ params: { name: 'status', arguments: {}, ...more } })).toBe(2);
  });

  test.each<[string, (bench: Bench, server: CachedServer) => void]>([
    ['listing', (bench, server) => void (bench.server = { ...server, listing: {} })],
    ['connection', (bench, server) => void (bench.server = { ...server, handshake: {} })],
    ['entry in the config', (bench, server) => void (bench.server = { ...server, hash: 'h2' })],
    ['resource', (bench) => bench.cache.invalidate('git')],
  ])('drops cached results when the server has another %s', async (_what, change) => {
    const bench = new Bench();
    await bench.call();
    change(bench, bench.server as CachedServer);
    await bench.call();
    expect(bench.asked).toBe(2);
  });

  test('does not cache a result if the server changed during the call', async () => {
    const bench = new Bench();
    const answer = (): Result => {
      bench.server = { hash: 'h1', listing: {}, handshake: bench.asked };
      return {};
    };
    expect(await bench.twice({ answer })).toBe(2);
  });
});

describe('cache key', () => {
  const named = (args: unknown, more: JsonObject = {}): Wishes => ({
    params: { name: 'status', arguments: args, ...more },
  });

  test.each<[string, Wishes, Wishes, number]>([
    ['ignores the order of members', named({ a: 1, b: { c: 2, d: 3 } }), named({ b: { d: 3, c: 2 }, a: 1 }), 1],
    [
      'ignores the progress token',
      named({}, { _meta: { progressToken: 1 } }),
      named({}, { _meta: { progressToken: 2 } }),
      1,
    ],
    ['treats missing arguments as empty', { params: { name: 'status' } }, named({}), 1],
    ['includes the order of lists', named({ a: [1, 2] }), named({ a: [2, 1] }), 2],
    ['includes the spelling of numbers', named(parseJson('{"a":1.0}')), named(parseJson('{"a":1}')), 2],
    ['distinguishes lists from objects', named({ members: [['a', 1]] }), named({ a: 1 }), 2],
    ['includes the tool', named({}), { ...named({}), tool: tool(harmless, 'log') }, 2],
  ])('%s', async (_what, one, other, asked) => {
    expect(await new Bench().twice(one, other)).toBe(asked);
  });

  test('ignores the session unless the client app can be asked for its roots', async () => {
    const plain = await new Bench().twice({ context: caller() }, { context: caller({ sessionId: 's2' }) });
    const clientCapabilities = { roots: {} };
    const first = caller({ clientCapabilities });
    const second = caller({ clientCapabilities, sessionId: 's2' });
    expect([plain, await new Bench().twice({ context: first }, { context: second })]).toEqual([1, 2]);
  });
});

test('evicts the least recently used result when memory is full', async () => {
  // Enough for three results of 36 bytes.
  const bench = new Bench(110);
  const call = (name: string): Promise<Result> =>
    bench.call({
      params: { name: 'status', arguments: { name } },
      answer: () => ({ content: ['x'.repeat(20)] }),
    });
  for (const name of ['a', 'b', 'a', 'c', 'd', 'a', 'c', 'd']) await call(name);
  expect(bench.asked).toBe(4);
  await call('b');
  expect(bench.asked).toBe(5);
});

/** Messages pass through the core unchanged: unknown members, odd types, and the notation of numbers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Exchange, Params, RawMessage } from '../support/raw-client.ts';
import { oddNumbers } from '../fixtures/servers/odd/calls.ts';
import { oddInitializeResult } from '../fixtures/servers/odd/handshake.ts';
import { oddTools } from '../fixtures/servers/odd/tools.ts';
import { HttpClient } from '../support/http-client.ts';
import { textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

/** A session over one transport and protocol. */
interface Door {
  /** Prefix of each tool's name. */
  readonly prefix: string;
  readonly notifications: readonly RawMessage[];
  exchange(method: string, params?: Params): Promise<Exchange>;
  /** Sends params as JSON text. */
  exchangeText(method: string, params: string): Promise<Exchange>;
  onRequest(method: string, answer: (params: Params) => unknown): void;
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { 'vendor.test/capability': 1 },
  'io.modelcontextprotocol/clientInfo': { name: 'modern', version: '1' },
};

async function socketDoor(core: TestCore): Promise<Door> {
  const client = await core.open();
  let id = 100;
  return {
    prefix: 'odd_',
    notifications: client.notifications,
    exchange: (method, params) => client.exchange(method, params),
    exchangeText: (method, params) => {
      id += 1;
      client.writeText(`{"jsonrpc":"2.0","id":"raw-${id}","method":${JSON.stringify(method)},"params":${params}}`);
      return client.answer(`raw-${id}`);
    },
    onRequest: (method, answer) => client.onRequest(method, answer),
  };
}

async function legacyHttpDoor(core: TestCore): Promise<Door> {
  const client = new HttpClient(`${core.url}/server/odd`);
  await client.initialize();
  return {
    prefix: '',
    notifications: client.notifications,
    exchange: (method, params) => client.exchange(method, params),
    exchangeText: (method, params) =>
      client.exchangeText('raw', `{"jsonrpc":"2.0","id":"raw","method":${JSON.stringify(method)},"params":${params}}`),
    onRequest: (method, answer) => client.onRequest(method, answer),
  };
}

async function modernHttpDoor(core: TestCore): Promise<Door> {
  const client = new HttpClient(`${core.url}/server/odd`, true);
  const withMeta = (params: string): string => {
    const given = JSON.parse(params) as Params;
    const own = JSON.stringify({ ...(given['_meta'] as Params | undefined), ...meta });
    return `${params.slice(0, -1)}${Object.keys(given).length === 0 ? '' : ','}"_meta":${own}}`;
  };
  const exchangeText = (method: string, params: string): Promise<Exchange> =>
    client.exchangeText(
      'raw',
      `{"jsonrpc":"2.0","id":"raw","method":${JSON.stringify(method)},"params":${withMeta(params)}}`,
    );
  return {
    prefix: '',
    notifications: client.notifications,
    exchange: (method, params = {}) => exchangeText(method, JSON.stringify(params)),
    exchangeText,
    onRequest: () => undefined,
  };
}

describe.each([
  ['the merged endpoint over the socket', 'legacy', socketDoor],
  ['the endpoint of the server over HTTP, handshake era', 'legacy', legacyHttpDoor],
  ['the endpoint of the server over HTTP, 2026-07-28', 'modern', modernHttpDoor],
])('through %s', (_name, era, open) => {
  let core: TestCore;
  let door: Door;
  beforeAll(async () => {
    core = await startCore({ servers: { odd: fixture('odd'), other: fixture('echo') }, raw: true });
    door = await open(core);
  });
  afterAll(() => core[Symbol.asyncDispose]());

  const call = (name: string, args: Params = {}, more: Params = {}): Promise<Exchange> =>
    door.exchange('tools/call', { name: door.prefix + name, arguments: args, ...more });
  const resultOf = async (name: string): Promise<Params> => (await call(name)).message.result ?? {};

  test('definitions keep every member, known or unknown', async () => {
    const { message } = await door.exchange('tools/list');
    const listed = message.result?.['tools'] as Params[];
    const [decorated] = oddTools.filter((tool) => (tool as Params)['name'] === 'decorated') as Params[];
    // Stateful clients reject a list with an output schema that is not an object; the server's own endpoint still passes it.
    const { outputSchema, execution, ...rest } = decorated as Params;
    // 2026-07-28 has no `execution` any more.
    const known = era === 'modern' ? rest : { ...rest, execution };
    const expected = door.prefix === '' ? { ...known, outputSchema } : known;
    expect(listed.find(({ name }) => name === `${door.prefix}decorated`)).toEqual({
      ...expected,
      name: `${door.prefix}decorated`,
    });
  });

  test('results keep unknown members, content types, annotations and _meta', async () => {
    const odd = (await call('unknown_result_keys')).message.result;
    expect(odd).toMatchObject({
      content: [
        { type: 'text', text: 'x', annotations: { audience: ['user'], vendorAnnotation: 1 }, _meta: { block: 1 } },
        { type: 'resource_link', uri: 'odd://link', name: 'link', vendorLink: 1 },
        { type: 'resource', resource: { uri: 'odd://inside', text: 't', vendorResource: 1 } },
      ],
      structuredContent: { n: 1 },
      isError: false,
      vendorKey: { kept: true },
      _meta: { 'vendor.test/result': { deep: [1] } },
    });
    const [hologram, beside] = (await resultOf('hologram'))['content'] as Params[];
    expect(hologram).toEqual({ type: 'hologram', data: { points: [1, 2, 3] }, _meta: { 'vendor.test/block': 1 } });
    expect(beside).toEqual({ type: 'text', text: 'beside', vendorBlock: 1 });
  });

  test('structured content may be an array', async () => {
    expect((await resultOf('array_output'))['structuredContent']).toEqual([1, 'two', { three: null }]);
  });

  test("numbers in results keep the server's notation", async () => {
    const { line } = await call('numbers');
    expect(line).toContain(`"structuredContent":${oddNumbers}`);
    expect(line.split(oddNumbers.slice(1, -1))).toHaveLength(3);
  });

  test("numbers in arguments keep the client's notation", async () => {
    const args = `{"big":12345678901234567890,"list":[1.0,-0,1e400,0.10],"text":"ä😀\\"","deep":{"n":9007199254740993}}`;
    const { message } = await door.exchangeText(
      'tools/call',
      `{"name":"${door.prefix}echo_arguments","arguments":${args}}`,
    );
    expect(textOf(message.result ?? {})).toBe(args);
  });

  test('unknown members of the params, and of their _meta, reach the server', async () => {
    const params = { vendorParam: { deep: [null] }, _meta: { 'vendor.test/param': { kept: true } } };
    const text = textOf((await call('echo_line', { a: 1 }, params)).message.result ?? {});
    const received = (JSON.parse(text) as RawMessage).params;
    expect(received).toEqual({ name: 'echo_line', arguments: { a: 1 }, ...params });
  });

  test('errors keep code, message and data', async () => {
    const data = { reason: 'odd', vendorData: [1, { two: null }] };
    expect((await call('fail')).message.error).toEqual({
      code: -31999,
      message: 'A vendor error: to the letter.',
      data,
    });
    expect((await call('fail_url')).message.error).toMatchObject({
      code: -32042,
      message: 'This needs a page.',
      data: { elicitations: [{ elicitationId: 'odd-1', message: 'Open it.' }], vendorData: 1 },
    });
  });

  test('accepts a response with unknown members beside the result', async () => {
    expect(await resultOf('vendor_top_level')).toMatchObject({ content: [] });
  });

  test('keeps a lone surrogate unchanged', async () => {
    expect(textOf(await resultOf('lone_surrogate'))).toBe('half \ud83d only');
  });

  test('progress and log messages keep unknown members', async () => {
    const levels = era === 'modern' ? { 'io.modelcontextprotocol/logLevel': 'debug' } : {};
    const before = door.notifications.length;
    await call('notify', {}, { _meta: { progressToken: 'mine', ...levels } });
    const heard = new Map(door.notifications.slice(before).map(({ method, params }) => [method, params]));
    expect(heard.get('notifications/progress')).toMatchObject({
      progressToken: 'mine',
      progress: 1,
      total: 2,
      message: 'half',
      vendorProgress: 1,
      _meta: { 'vendor.test/p': 1 },
    });
    expect(heard.get('notifications/message')).toMatchObject({
      level: 'info',
      logger: 'odd',
      data: { a: 1 },
      vendorLog: 1,
    });
  });

  test('resources, prompts and completions keep unknown members', async () => {
    const { message: resources } = await door.exchange('resources/list');
    expect(resources.result?.['resources']).toEqual([{ uri: 'odd://thing', name: 'thing', vendorField: 1 }]);
    const { message: read } = await door.exchange('resources/read', { uri: 'odd://thing' });
    expect(read.result).toMatchObject({
      contents: [{ uri: 'odd://thing', text: 'odd', vendorContent: 1 }],
      vendorKey: 1,
    });
    const prompt = door.prefix === '' ? 'odd prompt' : 'odd_odd_prompt';
    const { message: got } = await door.exchange('prompts/get', { name: prompt, arguments: { a: 'x' } });
    expect(got.result).toMatchObject({ messages: [{ content: { vendorBlock: 1 } }], vendorKey: 1 });
    const ref = { type: 'ref/prompt', name: prompt };
    const { message: completed } = await door.exchange('completion/complete', {
      ref,
      argument: { name: 'a', value: '' },
    });
    expect(completed.result).toMatchObject({ completion: { values: ['odd'], vendorCompletion: 1 }, vendorKey: 1 });
  });

  test.runIf(era === 'legacy')(
    'passes a request that no specification defines to the client app, and its response to the server',
    async () => {
      door.onRequest('vendor/question', (params) => ({ answered: params, vendorAnswer: [null] }));
      const answer = JSON.parse(textOf(await resultOf('ask_vendor'))) as RawMessage;
      expect(answer.result).toEqual({ answered: { q: 1, vendorParam: [null] }, vendorAnswer: [null] });
    },
  );

  test.runIf(open !== socketDoor)('passes methods that no specification defines to the server', async () => {
    const { message } = await door.exchange('vendor/echo', { a: [null], b: { c: 1 } });
    expect(message.result).toMatchObject({ params: { a: [null], b: { c: 1 } }, vendorKey: 1 });
    const { message: answer } = await door.exchangeText('vendor/line', '{"big":12345678901234567890,"one":1.0}');
    expect((answer.result as { line: string }).line).toContain('"big":12345678901234567890,"one":1.0');
  });

  test.runIf(open === legacyHttpDoor)("returns the server's own initialize result at its endpoint", async () => {
    const client = new HttpClient(`${core.url}/server/odd`);
    expect(await client.initialize()).toEqual(oddInitializeResult({ protocolVersion: '2025-11-25' }));
  });
});

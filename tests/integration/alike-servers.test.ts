/** Servers with the same resources, templates and prompts, and tools named like helper tools: each remains reachable. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Params } from '../support/raw-client.ts';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { type SocketClient, textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

let core: TestCore;
let client: SocketClient;

beforeAll(async () => {
  core = await startCore({ servers: { a: fixture('library', 'A'), 'b/ö': fixture('library', 'B') } });
  client = await core.open();
});
afterAll(() => core[Symbol.asyncDispose]());

const [first, wrapped] = ['tooltray://a/', 'tooltray://b%2F%C3%B6/'];

const list = async (method: string, key: string): Promise<Params[]> => (await client.request(method))[key] as Params[];

describe('resources', () => {
  test("are listed once each, and one that two servers have carries its server's name", async () => {
    const resources = await list('resources/list', 'resources');
    expect(resources.map(({ uri, vendor }) => [uri, vendor])).toEqual([
      [`${first}data://same`, { who: 'A' }],
      ['data://A', { who: 'A' }],
      [`${wrapped}data://same`, { who: 'B' }],
      ['data://B', { who: 'B' }],
    ]);
    const templates = await list('resources/templates/list', 'resourceTemplates');
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual([`${first}item://{id}`, `${wrapped}item://{id}`]);
  });

  test.each([
    [`${first}data://same`, 'A: data://same'],
    [`${wrapped}data://same`, 'B: data://same'],
    ['data://B', 'B: data://B'],
    [`${first}item://7`, 'A: item://7'],
    [`${wrapped}item://7`, 'B: item://7'],
    [`${first}data://hidden`, 'A: data://hidden'],
    [`${wrapped}data://hidden`, 'B: data://hidden'],
  ])('reads %s from its server', async (uri, text) => {
    const { contents } = (await client.request('resources/read', { uri })) as { contents: Params[] };
    expect(contents[0]?.['text']).toBe(text);
  });

  test.each(['data://same', 'item://7'])(
    'rejects %s, which two servers have, until the server is named',
    async (uri) => {
      await expect(client.request('resources/read', { uri })).rejects.toThrow(`${first}${uri} or ${wrapped}${uri}`);
    },
  );

  test('are rejected if no server has them', async () => {
    await expect(client.request('resources/read', { uri: 'data://nowhere' })).rejects.toMatchObject({
      code: -32602,
      data: { uri: 'data://nowhere' },
    });
    await expect(client.request('resources/read', {})).rejects.toMatchObject({ code: -32602 });
  });

  test('report updates under the URI that the list shows', async () => {
    const subscriber = await core.open();
    for (const uri of [`${first}data://same`, `${wrapped}data://same`]) {
      await subscriber.request('resources/subscribe', { uri });
      await subscriber.notification('notifications/resources/updated', (params) => params['uri'] === uri);
    }
    expect(client.notifications).toEqual([]);
  });
});

describe('prompts', () => {
  test('are listed under their server, including one named like a helper tool', async () => {
    const names = (await list('prompts/list', 'prompts')).map(({ name }) => name);
    expect(names).toEqual(['a_greet', 'a_search_tools', 'b-_greet', 'b-_search_tools']);
  });

  test.each([
    ['b-_greet', 'B: greet'],
    ['b/ö:greet', 'B: greet'],
    ['c1:search_tools', 'A: search_tools'],
  ])('gets %s from its server', async (name, text) => {
    const { messages } = (await client.request('prompts/get', { name })) as { messages: { content: Params }[] };
    expect(messages[0]?.content['text']).toBe(text);
  });

  test('are rejected if they do not exist or two servers have them', async () => {
    await expect(client.request('prompts/get', { name: 'nope' })).rejects.toMatchObject({ code: -32602 });
    await expect(client.request('prompts/get', { name: 'greet' })).rejects.toThrow(/a:greet, b\/ö:greet/);
  });
});

test.each([
  [{ type: 'ref/prompt', name: 'b-_greet' }, 'B: {"type":"ref/prompt","name":"greet"}'],
  [{ type: 'ref/resource', uri: `${wrapped}item://{id}` }, 'B: {"type":"ref/resource","uri":"item://{id}"}'],
  [
    { type: 'ref/resource', uri: `${first}item://{id}`, vendor: 1 },
    'A: {"type":"ref/resource","uri":"item://{id}","vendor":1}',
  ],
])("completes %j at its server, under the server's own name for it", async (ref, value) => {
  const { completion } = (await client.request('completion/complete', {
    ref,
    argument: { name: 'id', value: '' },
  })) as { completion: Params };
  expect(completion['values']).toEqual([value]);
});

describe('tools named like helper tools', () => {
  test('are callable under their own names, with one server and with several, and so are the helper tools', async () => {
    await using single = await startCore({ servers: { lib: fixture('library', 'L') }, mode: 'search' });
    const one = await single.open({}, { mode: 'proxy' });
    expect(await one.toolNames()).toEqual(['lib_call_tool', 'lend', 'lib_search_tools', 'read_resource']);
    expect(await one.say('lib_search_tools', { q: 1 })).toBe('L: search_tools {"q":1}');
    expect(await one.say('call_tool', { name: 'lib:call_tool', arguments: { x: 1 } })).toBe('L: call_tool {"x":1}');
    expect(await one.say('search_tools', { query: 'lend' })).toMatch(/^\[\{"name":"lend"/);
    expect(await client.say('c2:call_tool')).toBe('B: call_tool {}');
    expect(await client.say('search_tools', { query: 'books', limit: 1 })).toContain('"a_search_tools"');
  });

  test('keep their names on the endpoint of their server', async () => {
    const own = new HttpClient(`${core.url}/server/${encodeURIComponent('b/ö')}`);
    await own.initialize();
    const { tools } = (await own.exchange('tools/list')).message.result as { tools: Params[] };
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'call_tool', 'lend']);
    const { message } = await own.exchange('tools/call', { name: 'search_tools', arguments: { q: 1 } });
    expect(textOf(message.result ?? {})).toBe('B: search_tools {"q":1}');
  });
});

test('both protocols get the same instructions, and the same lists in the same order each time', async () => {
  const line = await core.connect();
  const modern = new ModernClient(line);
  const fresh = await core.connect();
  const { instructions } = await fresh.initialize();
  const { result } = await modern.once('server/discover');
  expect(instructions).toBe(
    'Tools of a, b/ö through Tooltray. Large results are stored; their summary says how to read them.\n\n# a\nThis is A.\n\n# b/ö\nThis is B.',
  );
  expect(result?.['instructions']).toBe(instructions);
  const texts = await Promise.all(
    [1, 2].map(async () => JSON.stringify((await modern.once('tools/list')).result?.['tools'])),
  );
  expect(texts[0]).toBe(texts[1]);
  expect(JSON.parse(texts[0] ?? '')).toEqual(await list('tools/list', 'tools'));
});

describe('arguments that are not an object', () => {
  const call = async (name: string, args: unknown, path = ''): Promise<[unknown, string]> => {
    const http = new HttpClient(core.url + path);
    await http.initialize();
    const { result = {} } = (await http.exchange('tools/call', { name, arguments: args })).message;
    return [result['isError'] ?? false, textOf(result)];
  };

  test.each([
    ['a:lend', ''],
    ['lend', '/server/a'],
  ])('of %s at /mcp%s are parsed if they are the JSON text of an object, else rejected', async (name, path) => {
    expect(await call(name, '{"x":1.50}', path)).toEqual([false, 'A: lend {"x":1.5}']);
    expect(await call(name, null, path)).toEqual([false, 'A: lend {}']);
    for (const wrong of [[1], 5, 'text']) {
      expect(await call(name, wrong, path)).toEqual([
        true,
        expect.stringMatching(/^"arguments" (must be an object|is not valid JSON)\./),
      ]);
    }
  });

  test('of a helper tool are treated the same way', async () => {
    expect((await call('search_tools', '{"query":"lend","limit":1.0}'))[1]).toContain('"a_lend"');
    expect(await call('search_tools', [1])).toEqual([true, expect.stringContaining('"arguments" must be an object')]);
  });
});

test('rejects a malformed call with a text that names no internals', async () => {
  const result = await client.callTool('call_tool', { name: 'a:lend', arguments: [1] });
  expect([result['isError'], textOf(result)]).toEqual([
    true,
    '"arguments" must be an object. Pass a JSON object or a JSON string.',
  ]);
});

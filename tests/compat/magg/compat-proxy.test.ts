/** Compatibility cases 24 to 34: Magg's tool `proxy`, over a real socket and a real server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Params } from '../../support/raw-client.ts';
import { type SocketClient, textOf } from '../../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

interface Item extends Params {
  readonly type: string;
  readonly text?: string;
  readonly resource?: { uri: string; mimeType?: string; text?: string; contentType?: string; blob?: string };
  readonly annotations: Params;
  readonly _meta: Params;
}

const metaKey = 'app.tooltray/proxy';

let core: TestCore;
let client: SocketClient;
beforeAll(async () => {
  core = await startCore({ servers: { m: fixture('capabilities'), e: fixture('compat', 'E') } });
  client = await core.open({}, { mode: 'universal' });
});
afterAll(() => core[Symbol.asyncDispose]());

async function items(input: Params): Promise<Item[]> {
  return ((await client.callTool('proxy', input)) as { content: Item[] }).content;
}

async function item(input: Params): Promise<Item> {
  const [first] = await items(input);
  return first as Item;
}

const parsed = ({ resource }: Item): unknown => JSON.parse(resource?.text ?? '');
const names = (value: Item): unknown => (parsed(value) as { name: string }[]).map(({ name }) => name);

test('lists one tool', async () => {
  expect(await client.toolNames()).toEqual(['proxy']);
});

describe('list', () => {
  test('24: returns a page of tools with its facts in annotations and _meta', async () => {
    const page = await item({ action: 'list', type: 'tool', limit: 1, filter_server: 'm_' });
    expect([page.type, page.resource?.uri, page.resource?.mimeType]).toEqual([
      'resource',
      'proxy:list/tool',
      'application/json',
    ]);
    const facts = {
      pythonType: 'Tool',
      many: true,
      proxyAction: 'list',
      proxyType: 'tool',
      totalCount: 3,
      offset: 0,
      limit: 1,
    };
    expect(page.annotations).toEqual(facts);
    expect(page._meta).toEqual({ [metaKey]: facts });
    expect(names(page)).toEqual(['m_add']);
  });

  test('25: lists resources before templates', async () => {
    const page = await item({ action: 'list', type: 'resource' });
    expect(page.annotations['pythonType']).toBe('mcp.types.Resource | mcp.types.ResourceTemplate');
    expect(parsed(page)).toEqual([
      { uri: 'data://cfg', name: 'cfg' },
      { uri: 'data://plain', name: 'plain' },
      { uri: 'data://bin', name: 'bin' },
      { uriTemplate: 'data://item/{id}', name: 'item' },
    ]);
  });

  test('lists prompts', async () => {
    const page = await item({ action: 'list', type: 'prompt' });
    expect([page.annotations['pythonType'], names(page)]).toEqual(['Prompt', ['m_greet']]);
  });

  test('lists neither itself nor any other helper tool', async () => {
    expect(names(await item({ action: 'list', type: 'tool' }))).toEqual([
      ...['m_add', 'm_boom', 'm_pic'],
      ...['e_count_tool', 'e_echo_tool', 'e_reverse_tool'],
    ]);
  });

  test.each([
    [{ filter_server: 'm' }, ['m_add', 'm_boom', 'm_pic']],
    [{ filter_server: 'c2' }, ['e_count_tool', 'e_echo_tool', 'e_reverse_tool']],
    [{ filter: { prefix: 'm_b' } }, ['m_boom']],
    [{ filter: { tags: ['math', 'art'] } }, ['m_add']],
    [{ offset: 4 }, ['e_echo_tool', 'e_reverse_tool']],
    [{ offset: 99 }, []],
    [{ filter_server: 'nobody' }, []],
  ])('filters and pages by %j', async (input, found) => {
    expect(names(await item({ action: 'list', type: 'tool', ...input }))).toEqual(found);
  });
});

describe('info', () => {
  test('26: returns a tool with its whole schema', async () => {
    const info = await item({ action: 'info', type: 'tool', path: 'm_add' });
    expect(info.resource?.uri).toBe('proxy:info/tool/m_add');
    expect(info.annotations).toEqual({
      pythonType: 'Tool',
      proxyAction: 'info',
      proxyType: 'tool',
      proxyPath: 'm_add',
    });
    expect(parsed(info)).toMatchObject({
      name: 'm_add',
      description: 'Adds two numbers. The second sentence says more.',
      inputSchema: { properties: { a: { type: 'number', description: 'The first one.' } }, required: ['a', 'b'] },
    });
  });

  test.each([
    ['cfg', 'Resource'],
    ['data://cfg', 'Resource'],
    ['data://m/cfg', 'Resource'],
    ['item', 'ResourceTemplate'],
    ['data://item/{id}', 'ResourceTemplate'],
  ])('27: returns the resource %s', async (path, pythonType) => {
    const info = await item({ action: 'info', type: 'resource', path });
    expect([info.annotations['pythonType'], info.annotations['proxyPath']]).toEqual([pythonType, path]);
  });
});

describe('call', () => {
  test.each([{ a: 5, b: 3 }, '{"a": 5, "b": 3}'])('28: calls a tool with the arguments %j', async (args) => {
    const result = await client.callTool('proxy', { action: 'call', type: 'tool', path: 'm_add', args });
    const facts = { proxyType: 'tool', proxyAction: 'call', proxyPath: 'm_add' };
    expect(result).toEqual({
      content: [{ type: 'text', text: '8', annotations: facts, _meta: { [metaKey]: facts } }],
      structuredContent: { result: 8 },
    });
  });

  test('29: marks every item of a result, and leaves it otherwise unchanged', async () => {
    const [text, image] = await items({ action: 'call', type: 'tool', path: 'm_pic' });
    expect([text?.annotations['proxyPath'], image?.annotations['proxyPath']]).toEqual(['m_pic', 'm_pic']);
    expect(image).toMatchObject({ type: 'image', data: 'AAEC', mimeType: 'image/png' });
  });

  test('30: returns the error of a tool', async () => {
    const result = await client.callTool('proxy', { action: 'call', type: 'tool', path: 'm_boom' });
    expect([result['isError'], textOf(result)]).toEqual([true, 'kaboom']);
  });

  test.each(['data://cfg', 'data://m/cfg'])('31: returns JSON under another MIME type as JSON (%s)', async (path) => {
    const read = await item({ action: 'call', type: 'resource', path });
    expect(read.resource).toEqual({
      uri: 'data://cfg',
      mimeType: 'application/json',
      contentType: 'text/plain',
      text: '{"k":"v"}',
    });
    expect(read._meta[metaKey]).toMatchObject({ proxyPath: path, contentType: 'text/plain' });
  });

  test.each([
    ['data://plain', { uri: 'data://plain', mimeType: 'text/plain', text: 'just words' }],
    ['data://bin', { uri: 'data://bin', mimeType: 'application/octet-stream', blob: 'AAEC' }],
    ['data://m/item/7', { uri: 'data://item/7', mimeType: 'text/plain', text: 'item 7' }],
  ])('31: returns anything else unchanged (%s)', async (path, resource) => {
    expect((await item({ action: 'call', type: 'resource', path })).resource).toEqual(resource);
  });

  test('32: returns a prompt', async () => {
    const prompt = await item({ action: 'call', type: 'prompt', path: 'm_greet', args: { name: 'Bo' } });
    expect([prompt.resource?.uri, prompt.annotations]).toEqual([
      'proxy:m_greet',
      { pythonType: 'GetPromptResult', proxyType: 'prompt', proxyAction: 'call', proxyPath: 'm_greet' },
    ]);
    expect(parsed(prompt)).toMatchObject({ messages: [{ role: 'user', content: { text: 'Hello Bo' } }] });
  });
});

describe('batch', () => {
  test('runs operations in order, each under its number, and goes on after one that fails', async () => {
    const operations = [
      { action: 'call', type: 'tool', path: 'm_add', args: { a: 1, b: 2 } },
      { action: 'call', type: 'tool', path: 'nope' },
      { action: 'list', type: 'prompt' },
    ];
    const result = await client.callTool('proxy', { action: 'batch', operations });
    const content = result['content'] as Item[];
    expect(result['isError']).toBeUndefined();
    expect(content.map(({ text, annotations }) => [text, annotations['operation'], annotations['isError']])).toEqual([
      ['1. m_add:', 0, undefined],
      ['3', 0, undefined],
      ['2. nope:', 1, undefined],
      [expect.stringContaining(`Unknown tool: 'nope'`), 1, true],
      ['3. list prompt:', 2, undefined],
      [undefined, 2, undefined],
    ]);
    expect(content[1]?._meta[metaKey]).toMatchObject({ operation: 0, proxyPath: 'm_add' });
  });

  test('omits the number of a single operation', async () => {
    const operations = [{ action: 'call', type: 'tool', path: 'm_add', args: { a: 1, b: 2 } }];
    expect(textOf(await client.callTool('proxy', { action: 'batch', operations }))).toBe('3');
  });

  test('is an error when all operations fail', async () => {
    const result = await client.callTool('proxy', { action: 'batch', operations: [{ action: 'batch' }] });
    expect([result['isError'], textOf(result)]).toEqual([true, expect.stringContaining('another batch')]);
  });
});

describe('33: rejected inputs', () => {
  test.each([
    [{ action: 'call', type: 'tool' }, `'path' is required for action`],
    [{ action: 'info', type: 'prompt' }, `'path' is required for action`],
    [{ action: 'list', type: 'tool', path: 'm_add' }, `'path' should not be provided`],
    [{ action: 'info', type: 'tool', path: 'm_add', args: { a: 1 } }, `'args' should not be provided`],
    [{ action: 'list', type: 'tool', args: { a: 1 } }, `'args' should not be provided`],
    [{ action: 'info', type: 'tool', path: 'm_add', limit: 5 }, `only allowed for 'list'`],
    [{ action: 'call', type: 'tool', path: 'm_add', filter_server: 'm' }, `only allowed for 'list'`],
    [{ action: 'zap', type: 'tool' }, 'validation error'],
    [{ action: 'list', type: 'zap' }, 'validation error'],
    [{ action: 'list', type: 'tool', limit: 0 }, 'validation error'],
    [{ action: 'list', type: 'tool', limit: 1001 }, 'validation error'],
    [{ action: 'list', type: 'tool', offset: -1 }, 'validation error'],
    [{ action: 'batch' }, `'operations' is required`],
    [{ action: 'info', type: 'tool', path: 'zz' }, `Tool 'zz' not found`],
    [{ action: 'info', type: 'resource', path: 'zz' }, `Resource 'zz' not found`],
    [{ action: 'info', type: 'prompt', path: 'zz' }, `Prompt 'zz' not found`],
    [{ action: 'call', type: 'tool', path: 'nope' }, `Unknown tool: 'nope'`],
    [{ action: 'call', type: 'tool', path: 'proxy', args: {} }, `Unknown tool: 'proxy'`],
    [{ action: 'call', type: 'resource', path: 'data://nope' }, `Resource 'data://nope' not found`],
    [{ action: 'call', type: 'prompt', path: 'nope' }, `Prompt 'nope' not found`],
  ])('%j', async (input, fragment) => {
    const result = await client.callTool('proxy', input);
    expect([result['isError'], textOf(result)]).toEqual([true, expect.stringContaining(fragment)]);
  });

  test('accepts empty arguments in any form', async () => {
    const page = await item({ action: 'list', type: 'prompt', args: '{}' });
    expect(page.annotations['totalCount']).toBe(1);
  });
});

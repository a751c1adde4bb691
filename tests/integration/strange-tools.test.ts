/** Tools with unusual names, counts and schemas: listed so that every client app accepts the list, and callable. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as V2Client, StreamableHTTPClientTransport as V2Transport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oddNames } from '../fixtures/servers/odd/tools.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

const everyClient = /^[A-Za-z0-9_-]{1,60}$/;
const info = { name: 'strict', version: '1.0.0' };

type Strict = V1Client | V2Client;

/** Parsed by the SDK's clients, which reject a list with one invalid entry. */
async function strictly<T>(
  url: string,
  read: (client: Strict) => Promise<T>,
): Promise<{ v1: T; legacy: T; modern: T }> {
  const v1 = new V1Client(info);
  await v1.connect(new V1Transport(new URL(url)));
  const legacy = new V2Client(info, { versionNegotiation: { mode: 'legacy' } });
  await legacy.connect(new V2Transport(new URL(url)));
  const modern = new V2Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await modern.connect(new V2Transport(new URL(url)));
  const found = { v1: await read(v1), legacy: await read(legacy), modern: await read(modern) };
  await Promise.all([v1, legacy, modern].map((client) => client.close()));
  return found;
}

/** Without the tool for slow calls, which a list of 2026-07-28 contains from the start if there is room. */
const toolNames = async (client: Strict): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name).filter((name) => name !== 'await_result');

describe.each([
  ['alone', {}],
  ['beside another', { other: fixture('echo') }],
])('a server with odd names, %s', (_where, others) => {
  let core: TestCore;
  beforeAll(async () => {
    core = await startCore({ servers: { odd: fixture('odd'), ...others } });
  });
  afterAll(() => core[Symbol.asyncDispose]());

  test('every listed name fits all client apps, is unique, and calls its tool', async () => {
    const client = await core.open();
    const names = await client.toolNames();
    expect(names.filter((name) => !everyClient.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    const { tools } = core.host.core.calls.catalog.current;
    const listed = oddNames.map(
      (name) => tools.find((tool) => tool.server === 'odd' && tool.name === name)?.listedName ?? '',
    );
    expect(names).toEqual(expect.arrayContaining(listed));
    const answers = await Promise.all(listed.map((name) => client.say(name)));
    expect(answers).toEqual(oddNames.map((name) => `called ${name}`));
  });

  test('each tool is found by its canonical ID', async () => {
    const client = await core.open({}, { mode: 'search' });
    const answers = await Promise.all(oddNames.map((name) => client.say('call_tool', { name: `odd:${name}` })));
    expect(answers).toEqual(oddNames.map((name) => `called ${name}`));
  });

  test('names of object members and empty names are unknown tools', async () => {
    const client = await core.open();
    for (const name of ['valueOf', 'isPrototypeOf', '__defineGetter__', '', ' ', ':', 'odd:', 'odd_']) {
      await expect(client.callTool(name)).rejects.toMatchObject({ code: -32602 });
    }
  });

  test('strict clients accept the whole list', async () => {
    const expected = await (await core.open()).toolNames();
    expect(await strictly(core.url, toolNames)).toEqual({ v1: expected, legacy: expected, modern: expected });
  });
});

describe('invalid schemas', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-schemas-'));
  const file = join(folder, 'tools.json');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const servers = {
    bad: { command: process.execPath, args: [`${import.meta.dirname}/servers/listed.ts`, file] },
    other: fixture('echo'),
  };
  const schema = { type: 'object' };

  const tools = [
    { name: 'no_schema' },
    { name: 'null_schema', inputSchema: null },
    { name: 'list_schema', inputSchema: [] },
    { name: 'true_schema', inputSchema: true },
    { name: 'string_type', inputSchema: { type: 'string' } },
    { name: 'list_type', inputSchema: { type: ['object', 'null'] } },
    { name: 'word_properties', inputSchema: { type: 'object', properties: 'none' } },
    { name: 'list_properties', inputSchema: { type: 'object', properties: [] } },
    { name: 'null_properties', inputSchema: { type: 'object', properties: null, required: null } },
    { name: 'null_property', inputSchema: { type: 'object', properties: { a: null, b: { type: 'string' } } } },
    { name: 'word_required', inputSchema: { type: 'object', properties: {}, required: 'all' } },
    { name: 'numbers_required', inputSchema: { type: 'object', properties: { a: {} }, required: [1, 'a'] } },
    { name: 'unknown_type', inputSchema: { type: 'object', properties: { a: { type: 'gizmo' } } } },
    {
      name: 'draft_4',
      inputSchema: {
        $schema: 'http://json-schema.org/draft-04/schema#',
        type: 'object',
        properties: { a: { required: true } },
      },
    },
    {
      name: 'proto_property',
      inputSchema: JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
      ) as unknown,
    },
    { name: 'number_description', description: 7, inputSchema: schema },
    { name: 'word_annotations', inputSchema: schema, annotations: 'readOnly' },
    { name: 'odd_annotations', inputSchema: schema, annotations: { readOnlyHint: 'yes', title: 5 } },
    { name: 'word_meta', inputSchema: schema, _meta: 'meta' },
    { name: 'word_output', inputSchema: schema, outputSchema: 'text' },
    { name: 'list_output', inputSchema: schema, outputSchema: { type: 'array', items: {} } },
    { name: 'true_property', inputSchema: { type: 'object', properties: { a: true, b: false } } },
    { name: 'odd_icons', inputSchema: schema, icons: [{ src: 'a.png', theme: 'dusk', sizes: '48x48' }, 'b.png'] },
    { name: 'word_icons', inputSchema: schema, icons: 'icon.png' },
    { name: 'number_title', inputSchema: schema, title: 5 },
    { name: 'word_execution', inputSchema: schema, execution: 'async' },
  ];

  test.each([
    ['condensed', false],
    ['raw', true],
  ])('strict clients accept the %s list with every tool, and each can be called', async (_how, raw) => {
    writeFileSync(file, JSON.stringify({ tools: [...tools, { description: 'without a name' }, null, 'tool', 5] }));
    await using core = await startCore({ servers, raw });
    const expected = [...tools.map(({ name }) => `bad_${name}`).sort(), 'other_echo'];
    expect(await strictly(core.url, toolNames)).toEqual({ v1: expected, legacy: expected, modern: expected });
    const client = await core.open();
    for (const { name } of tools) expect(await client.say(`bad_${name}`)).toBe(`called ${name}`);
    expect(core.server('bad').health).toMatchObject({
      level: 'attention',
      detail: expect.stringContaining('entry without name') as string,
    });
  });
});

test('strict clients accept malformed resources, templates and prompts in the lists', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-lists-'));
  const file = join(folder, 'lists.json');
  const odd = {
    title: 5,
    description: [],
    icons: 'x',
    _meta: 1,
    annotations: { priority: 7, audience: ['all'], lastModified: 'today' },
  };
  writeFileSync(
    file,
    JSON.stringify({
      resources: [{ uri: 'x://no-name' }, { uri: 'x://odd', name: 5, size: 'big', mimeType: 1, ...odd }],
      resourceTemplates: [{ uriTemplate: 'x://{id}' }, { uriTemplate: 'y://{id}', name: {}, ...odd }],
      prompts: [
        { name: 'odd', ...odd, arguments: [{ name: 'a', required: 'yes', description: 1 }, 'b', {}] },
        { name: 'word', arguments: 'a' },
      ],
    }),
  );
  const bad = { command: process.execPath, args: [`${import.meta.dirname}/servers/listed.ts`, file] };
  await using core = await startCore({ servers: { bad, other: fixture('odd') } });
  const found = await strictly(core.url, async (client) => [
    (await client.listResources()).resources.map(({ uri }) => uri),
    (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    (await client.listPrompts()).prompts.map(({ name }) => name),
  ]);
  const lists = [
    ['x://no-name', 'x://odd', 'odd://thing'],
    ['x://{id}', 'y://{id}', 'odd://item/{id}'],
    ['bad_odd', 'bad_word', 'other_odd_prompt'],
  ];
  expect(found).toEqual({ v1: lists, legacy: lists, modern: lists });
  rmSync(folder, { recursive: true, force: true });
});

test('lists, finds and calls 10,000 tools, without delay for another server', async () => {
  await using core = await startCore({
    servers: { many: fixture('misbehaving', 'many', '10000'), other: fixture('echo') },
  });
  const client = await core.open();
  const names = await client.toolNames();
  expect([names.length, new Set(names).size]).toEqual([10_001, 10_001]);
  expect(await client.say('many_tool_9999')).toBe('tool_9999');
  expect(await client.say('other_echo', { message: 'well' })).toBe('well');
  const searching = await core.open({}, { mode: 'search' });
  const found = JSON.parse(await searching.say('search_tools', { query: 'thing number 4711' })) as { name: string }[];
  expect(found[0]?.name).toBe('many_tool_4711');
});

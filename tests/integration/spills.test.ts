/**
 * Results over the limit, in every mode: a summary is returned, the whole is on disk, and the suggested way to read on
 * works.
 */
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isObject } from '../../src-main/core/base/json.ts';
import { allModes } from '../../src-main/compat/all-modes.ts';
import { fromToon } from '../../src-main/core/spills/toon.ts';
import { someOf } from '../support/all-cases.ts';
import type { Params } from '../support/raw-client.ts';
import { HttpClient } from '../support/http-client.ts';
import { type SocketClient, textOf } from '../support/socket-client.ts';
import { fixture, startCore } from '../support/start-core.ts';

const servers = { x: fixture('compat-results'), y: fixture('echo') };

/** With an explicit language, because code that is also valid Python runs in a separate process. */
const inJavaScript = (code: string): Params => ({ code, language: 'javascript' });

/** How each mode calls `x:big`, and `read_result` afterwards. */
const waysIn: Readonly<Record<string, { call: [string, Params]; read: (input: Params) => [string, Params] }>> = {
  proxy: { call: ['x_big', {}], read: (input) => ['read_result', input] },
  gateway: { call: ['x', { tool: 'big' }], read: (input) => ['x', { tool: 'read_result', arguments: input }] },
  meta: {
    call: ['invoke', { name: 'x_big' }],
    read: (input) => ['invoke', { name: 'read_result', args: input }],
  },
  search: {
    call: ['call_tool', { name: 'x_big' }],
    read: (input) => ['call_tool', { name: 'read_result', arguments: input }],
  },
  code: {
    call: ['execute', inJavaScript('return await call_tool("x_big", {})')],
    read: (input) => ['execute', inJavaScript(`return await call_tool("read_result", ${JSON.stringify(input)})`)],
  },
  dispatch: {
    call: ['proxy-dispatch', { action: 'call', tool: 'big' }],
    read: (input) => ['proxy-dispatch', { action: 'readresult', ...input }],
  },
  universal: {
    call: ['proxy', { action: 'call', type: 'tool', path: 'x_big' }],
    read: (input) => ['proxy', { action: 'call', type: 'tool', path: 'read_result', args: input }],
  },
  retrieve: {
    call: ['call_tool_read', { name: 'x:big' }],
    read: (input) => ['call_tool_read', { name: 'read_result', args: input }],
  },
};

test('waysIn covers every mode', () => {
  expect(Object.keys(waysIn).toSorted(), 'say in `waysIn` above how it calls and reads on').toEqual(
    allModes.modes.map(({ name }) => name).toSorted(),
  );
});

describe.each(someOf(3, Object.keys(waysIn)))('in mode %s', (mode) => {
  const { call, read } = waysIn[mode] as (typeof waysIn)[string];

  test('spills 80 kB, and the summary names calls that read the spill', async () => {
    await using core = await startCore({ servers, mode });
    const client = await core.open();
    const given = await client.callTool(...call);
    const text = textOf(given);
    const [, first] = /^Read (?:on:|it with) ([\w-]+)/m.exec(text) ?? [];
    if (first === undefined) expect(text).toContain('Read it in full with resources/read: tooltray://spill/');
    // In mode gateway "the same tool", which is listed.
    else expect(['the', ...(await client.toolNames())]).toContain(first);
    const [spill] = await core.host.core.calls.spills.list();
    expect(spill).toMatchObject({ kind: 'json' });
    expect([JSON.stringify(given).length < 8000, text.includes(spill?.file ?? 'no file')]).toEqual([true, true]);
    const found = textOf(await client.callTool(...read({ resultFile: spill?.id, op: 'grep', pattern: 'item 1[05]"' })));
    expect([found.includes('item 10'), found.includes('item 15')]).toEqual([true, true]);
    expect(core.host.core.calls.spills.list()).toHaveLength(1);
  });
});

test('the summary points to the resource if the reading tool is not listed, else to the tool', async () => {
  await using core = await startCore({ servers });
  const few = await core.open();
  expect(await few.toolNames()).not.toContain('read_result');
  const text = textOf(await few.callTool('x_big'));
  expect(text).not.toContain('read_result');
  const uri = /resources\/read: (\S+)/.exec(text)?.[1];
  expect(JSON.stringify(await few.request('resources/read', { uri }))).toContain('item 15');
  await using more = await startCore({ servers, extraTools: ['read_result'] });
  const all = await more.open();
  expect(await all.toolNames()).toContain('read_result');
  expect(textOf(await all.callTool('x_big'))).toContain('Read on: read_result {');
});

test('only the owner can read the file and its folder', async () => {
  await using core = await startCore({ servers });
  await (await core.open()).callTool('x_big');
  const file = (await core.host.core.calls.spills.list())[0]?.file ?? '';
  const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
  expect([await modeOf(file), await modeOf(dirname(file))]).toEqual(['600', '700']);
});

test('the linked resource returns the whole result', async () => {
  await using core = await startCore({ servers });
  const client = await core.open();
  const { content } = (await client.callTool('x_big')) as { content: Params[] };
  const link = content.find(({ type }) => type === 'resource_link');
  const read = (await client.request('resources/read', { uri: link?.['uri'] })) as { contents: { text: string }[] };
  const files = (JSON.parse(read.contents[0]?.text ?? '{}') as { files: unknown[] }).files;
  expect([link?.['mimeType'], files.length]).toEqual(['application/json', 30]);
});

test('sends no link to an app of a revision without links', async () => {
  await using core = await startCore({ servers });
  const client = await core.connect();
  const clientInfo = { name: 'old', version: '1' };
  await client.request('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo });
  const { content } = (await client.callTool('x_big')) as { content: Params[] };
  expect(content.map(({ type }) => type)).toEqual(['text']);
});

test('returns large results whole to an app that stores them itself', async () => {
  await using core = await startCore({ servers });
  const client = await core.open({}, { app: 'claude-code' });
  expect(textOf(await client.callTool('x_big')).length).toBeGreaterThan(70_000);
});

test('the endpoint of one server passes everything unchanged', async () => {
  await using core = await startCore({ servers });
  const client = new HttpClient(`${core.url}/server/x`);
  await client.initialize();
  const { message } = await client.exchange('tools/call', { name: 'big', arguments: {} });
  expect(textOf(message.result ?? {}).length).toBeGreaterThan(70_000);
});

test.each([
  ['everyone', { threshold: 0 }],
  ['its server', { threshold: 100, thresholds: { x: 0 } }],
  ['itself', { threshold: 100, thresholds: { x: 100, 'x:big': 0 } }],
])("returns a tool's result whole if the limit of %s is 0", async (_whose, results) => {
  await using core = await startCore({ servers, results });
  expect(textOf(await (await core.open()).callTool('x_big')).length).toBeGreaterThan(70_000);
});

test("spills a tool's result at the tool's own limit", async () => {
  await using core = await startCore({ servers, results: { threshold: 0, thresholds: { 'y:echo': 200 } } });
  const client = await core.open();
  await client.callTool('y_echo', { message: 'x'.repeat(100) });
  const short = (await core.host.core.calls.spills.list()).length;
  await client.callTool('y_echo', { message: 'x'.repeat(300) });
  expect([short, (await core.host.core.calls.spills.list()).length]).toEqual([0, 1]);
});

test("spills at an app's own limit for that app only, but a tool's limit wins", async () => {
  const results = { threshold: 0, appThresholds: { Zed: 200, constructor: 0 }, thresholds: { 'x:big': 1_000_000 } };
  await using core = await startCore({ servers, results });
  const kept = async (app: string, tool: string): Promise<boolean> => {
    const before = (await core.host.core.calls.spills.list()).length;
    await (await core.open({}, { app })).callTool(tool, { message: 'x'.repeat(300) });
    return (await core.host.core.calls.spills.list()).length > before;
  };
  expect([await kept('Zed', 'y_echo'), await kept('Zed', 'x_big'), await kept('Cursor', 'y_echo')]).toEqual([
    ...[true, false, false],
  ]);
});

test("returns an image over the app's limit, but spills it over a limit that the user set", async () => {
  const picture = (results: Params) => startCore({ servers, results });
  const isShown = async (client: SocketClient): Promise<boolean> => {
    const { content } = (await client.callTool('x_picture')) as { content: Params[] };
    return content.some((block) => isObject(block) && block['type'] === 'image');
  };
  await using free = await picture({});
  await using strict = await picture({ threshold: 10 });
  expect([await isShown(await free.open()), await isShown(await strict.open())]).toEqual([true, false]);
  expect((await strict.host.core.calls.spills.list()).map(({ kind }) => kind)).toContain('image');
});

test('rejects an unknown spill like any unknown resource', async () => {
  await using core = await startCore({ servers });
  const client = await core.open();
  const read = client.request('resources/read', { uri: 'tooltray://spill/nothing' });
  await expect(read).rejects.toMatchObject({ code: -32602 });
});

test('passes arguments beside the name in call_tool to a tool that has such parameters', async () => {
  await using core = await startCore({ servers, mode: 'search' });
  const client = await core.open();
  expect(textOf(await client.callTool('call_tool', { name: 'y_echo', message: 'hoisted' }))).toContain('hoisted');
});

test('records a spill with its call, with sizes before and after', async () => {
  await using core = await startCore({ servers });
  await (await core.open()).callTool('x_big');
  const [record] = await core.host.core.activity.log.ask('recentCalls');
  expect(record).toMatchObject({ spillId: (await core.host.core.calls.spills.list())[0]?.id, outcome: 'ok' });
  expect(record?.bytes.serverResult).toBeGreaterThan((record?.bytes.modelResult ?? 0) * 10);
});

test('returns TOON if enabled and shorter, and it decodes to the same data', async () => {
  await using core = await startCore({ servers, results: { toon: true, threshold: 0 } });
  const rows = Array.from({ length: 50 }, (_, id) => ({ id, name: `row ${id}`, done: id % 2 === 0 }));
  const text = textOf(await (await core.open()).callTool('y_echo', { message: JSON.stringify(rows) }));
  expect([text.split('\n')[0], fromToon(text)]).toEqual(['[50]{id,name,done}:', rows]);
});

describe('when nothing can be written', () => {
  const lastOf = (text: string): string => text.slice(-200);

  test("cuts a result to the app's limit, with its beginning, its end and the reason", async () => {
    await using core = await startCore({ servers, results: { maxBytes: 1000 } });
    const client = await core.open();
    const whole = textOf(await (await core.open({}, { app: 'claude-code' })).callTool('x_big'));
    const result = await client.callTool('x_big');
    const text = textOf(result);
    expect(Buffer.byteLength(text)).toBeLessThan(42_000);
    expect([text.startsWith(whole.slice(0, 5000)), text.endsWith(lastOf(whole))]).toEqual([true, true]);
    expect(JSON.stringify(result['_meta'])).toContain('tooltray/notKept');
    expect(text.match(/\[CUT: .*\]/g)).toHaveLength(1);
  });

  test.each([300_000, 3_000_000])('cuts a result of %d bytes to the configured limit', async (length) => {
    await using core = await startCore({ servers, results: { maxBytes: 1000, threshold: 2000 } });
    const message = `begin ${'é "x" '.repeat(length / 8)} end`;
    const result = await (await core.open()).callTool('y_echo', { message });
    const text = textOf(result);
    expect(Buffer.byteLength(text)).toBeLessThan(2600);
    expect([text.includes('begin é "x"'), text.trimEnd().endsWith('x"  end')]).toEqual([true, true]);
    expect(result['structuredContent']).toBeUndefined();
  });

  test('returns a result that fits, even if a file was requested', async () => {
    await using core = await startCore({ servers, mode: 'dispatch', results: { maxBytes: 10 } });
    const asked = { action: 'call', tool: 'echo', arguments: { message: 'short enough' }, resultToFile: true };
    expect(textOf(await (await core.open()).callTool('proxy-dispatch', asked))).toContain('short enough');
  });
});

const searches: Readonly<Record<string, (query: string) => [string, Params]>> = {
  gateway: (query) => ['catalog_tools', { query }],
  meta: (query) => ['catalog_tools', { query }],
  search: (query) => ['search_tools', { query }],
  code: (query) => ['search', { query }],
  universal: (query) => ['proxy', { action: 'list', type: 'tool', query }],
  retrieve: (query) => ['retrieve_tools', { query }],
};

test.each(someOf(1, Object.keys(searches)))(
  'a search in mode %s finds the tool that reads spills only by queries about that',
  async (mode) => {
    await using core = await startCore({ servers, mode });
    const client = await core.open();
    const find = async (query: string): Promise<string> =>
      JSON.stringify(await client.callTool(...(searches[mode] as (typeof searches)[string])(query)));
    for (const query of [
      'read the rest of a big answer',
      'echo; continue reading a truncated tool result',
      'read_result',
    ])
      expect([query, await find(query)]).toEqual([query, expect.stringContaining('read_result')]);
    for (const query of ['read a file', 'search results of a query', 'echo'])
      expect([query, await find(query)]).toEqual([query, expect.not.stringContaining('read_result')]);
  },
);

test.each(
  someOf(1, [
    [{ head: 20 }, 'head: 20 did not make it shorter: it is one line.'],
    [{ max_lines: 5 }, 'max_lines: 5 did not make it shorter'],
  ]),
)('explains why %j did not shorten a result of one line', async (args, told) => {
  await using core = await startCore({ servers });
  const client = await core.open();
  expect(textOf(await client.callTool('x_big', args))).toContain(told);
  expect(textOf(await client.callTool('x_big', { page: 20 }))).not.toContain('did not make it');
  const lines = await client.callTool('y_echo', { message: 'a line\n'.repeat(20_000), ...args });
  expect(textOf(lines)).not.toContain('did not make it');
});

test('grep returns the element around a match in data, but lines as mini-a does through proxy-dispatch', async () => {
  await using core = await startCore({ servers });
  const client = await core.open();
  await client.callTool('x_big');
  const resultFile = (await core.host.core.calls.spills.list())[0]?.id;
  const asked = { resultFile, op: 'grep', pattern: '"item 15"' };
  expect(textOf(await client.callTool('read_result', asked))).toMatch(
    /^\d+: "name": "item 15", \[in an element of lines/,
  );
  const dispatched = await client.callTool('proxy-dispatch', { action: 'readresult', ...asked });
  expect(textOf(dispatched)).toMatch(/^\d+: +"name": "item 15",$/);
});

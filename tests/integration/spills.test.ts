/** Answers that do not fit, in every mode: a summary in their place, the whole on disk, and a way to read on that works. */
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

const servers = { x: fixture('compat-answers'), y: fixture('echo') };

/** Told, because what Python takes as well is read as that, which has a process of its own. */
const inJavaScript = (code: string): Params => ({ code, language: 'javascript' });

/** How each mode calls `x:big`, and reads `read_result` in what comes of it. */
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

test('there is a way in for every mode', () => {
  expect(Object.keys(waysIn).toSorted(), 'say in `waysIn` above how it calls and reads on').toEqual(
    allModes.modes.map(({ name }) => name).toSorted(),
  );
});

describe.each(someOf(3, Object.keys(waysIn)))('in mode %s', (mode) => {
  const { call, read } = waysIn[mode] as (typeof waysIn)[string];

  test('80 kB are kept on disk, and the words that are given lead into them', async () => {
    await using core = await startCore({ servers, mode });
    const client = await core.open();
    const given = await client.callTool(...call);
    const text = textOf(given);
    const [, first] = /^Read (?:on:|it with) ([\w-]+)/m.exec(text) ?? [];
    if (first === undefined) expect(text).toContain('Read it whole with resources/read: tooltray://spill/');
    // In mode gateway "the same tool", which is listed.
    else expect(['the', ...(await client.toolNames())]).toContain(first);
    const [spill] = await core.host.core.spills.list();
    expect(spill).toMatchObject({ kind: 'json' });
    expect([JSON.stringify(given).length < 8000, text.includes(spill?.file ?? 'no file')]).toEqual([true, true]);
    const found = textOf(await client.callTool(...read({ resultFile: spill?.id, op: 'grep', pattern: 'item 1[05]"' })));
    expect([found.includes('item 10'), found.includes('item 15')]).toEqual([true, true]);
    expect(core.host.core.spills.list()).toHaveLength(1);
  });
});

test('where the tool that reads on is not listed, the words lead to the resource, and where it is, to the tool', async () => {
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

test('the file is for its owner alone, in a folder for its owner alone', async () => {
  await using core = await startCore({ servers });
  await (await core.open()).callTool('x_big');
  const file = (await core.host.core.spills.list())[0]?.file ?? '';
  const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
  expect([await modeOf(file), await modeOf(dirname(file))]).toEqual(['600', '700']);
});

test('the whole can be read as the resource that the answer links to', async () => {
  await using core = await startCore({ servers });
  const client = await core.open();
  const { content } = (await client.callTool('x_big')) as { content: Params[] };
  const link = content.find(({ type }) => type === 'resource_link');
  const read = (await client.request('resources/read', { uri: link?.['uri'] })) as { contents: { text: string }[] };
  const files = (JSON.parse(read.contents[0]?.text ?? '{}') as { files: unknown[] }).files;
  expect([link?.['mimeType'], files.length]).toEqual(['application/json', 30]);
});

test('an app of a revision that knows no links is given none', async () => {
  await using core = await startCore({ servers });
  const client = await core.connect();
  const clientInfo = { name: 'old', version: '1' };
  await client.request('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo });
  const { content } = (await client.callTool('x_big')) as { content: Params[] };
  expect(content.map(({ type }) => type)).toEqual(['text']);
});

test('an app that keeps long answers itself is given them whole', async () => {
  await using core = await startCore({ servers });
  const client = await core.open({}, { app: 'claude-code' });
  expect(textOf(await client.callTool('x_big')).length).toBeGreaterThan(70_000);
});

test('the endpoint of one server passes everything on untouched', async () => {
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
])('a tool for which the limit of %s says never is told whole', async (_whose, results) => {
  await using core = await startCore({ servers, results });
  expect(textOf(await (await core.open()).callTool('x_big')).length).toBeGreaterThan(70_000);
});

test('a tool with a limit of its own is spilled by it', async () => {
  await using core = await startCore({ servers, results: { threshold: 0, thresholds: { 'y:echo': 200 } } });
  const client = await core.open();
  await client.callTool('y_echo', { message: 'x'.repeat(100) });
  const short = (await core.host.core.spills.list()).length;
  await client.callTool('y_echo', { message: 'x'.repeat(300) });
  expect([short, (await core.host.core.spills.list()).length]).toEqual([0, 1]);
});

test('an app with a limit of its own is spilled by it, and no other app; that of a tool wins', async () => {
  const results = { threshold: 0, appThresholds: { Zed: 200, constructor: 0 }, thresholds: { 'x:big': 1_000_000 } };
  await using core = await startCore({ servers, results });
  const kept = async (app: string, tool: string): Promise<boolean> => {
    const before = (await core.host.core.spills.list()).length;
    await (await core.open({}, { app })).callTool(tool, { message: 'x'.repeat(300) });
    return (await core.host.core.spills.list()).length > before;
  };
  expect([await kept('Zed', 'y_echo'), await kept('Zed', 'x_big'), await kept('Cursor', 'y_echo')]).toEqual([
    ...[true, false, false],
  ]);
});

test('a picture is shown where only the limit of the app would keep it, and kept where the person set one', async () => {
  const picture = (results: Params) => startCore({ servers, results });
  const isShown = async (client: SocketClient): Promise<boolean> => {
    const { content } = (await client.callTool('x_picture')) as { content: Params[] };
    return content.some((block) => isObject(block) && block['type'] === 'image');
  };
  await using free = await picture({});
  await using strict = await picture({ threshold: 10 });
  expect([await isShown(await free.open()), await isShown(await strict.open())]).toEqual([true, false]);
  expect((await strict.host.core.spills.list()).map(({ kind }) => kind)).toContain('image');
});

test('an answer that is not there is told as any resource that is not', async () => {
  await using core = await startCore({ servers });
  const client = await core.open();
  const read = client.request('resources/read', { uri: 'tooltray://spill/nothing' });
  await expect(read).rejects.toMatchObject({ code: -32602 });
});

test('what a model writes beside the name in call_tool goes to the tool that has such a parameter', async () => {
  await using core = await startCore({ servers, mode: 'search' });
  const client = await core.open();
  expect(textOf(await client.callTool('call_tool', { name: 'y_echo', message: 'hoisted' }))).toContain('hoisted');
});

test('what is kept is on record with its call, and sizes are those before and after', async () => {
  await using core = await startCore({ servers });
  await (await core.open()).callTool('x_big');
  const [record] = core.host.core.activity.recent();
  expect(record).toMatchObject({ spillId: (await core.host.core.spills.list())[0]?.id, outcome: 'ok' });
  expect(record?.resultBytes).toBeGreaterThan((record?.givenBytes ?? 0) * 10);
});

test('TOON is told where it is switched on and shorter, and reads back to the same', async () => {
  await using core = await startCore({ servers, results: { toon: true, threshold: 0 } });
  const rows = Array.from({ length: 50 }, (_, id) => ({ id, name: `row ${id}`, done: id % 2 === 0 }));
  const text = textOf(await (await core.open()).callTool('y_echo', { message: JSON.stringify(rows) }));
  expect([text.split('\n')[0], fromToon(text)]).toEqual(['[50]{id,name,done}:', rows]);
});

describe('where nothing can be written', () => {
  const lastOf = (text: string): string => text.slice(-200);

  test('a result is cut to the limit of the app: its beginning, its end and why', async () => {
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

  test.each([300_000, 3_000_000])('so is one of %d bytes, to the limit that is set', async (length) => {
    await using core = await startCore({ servers, results: { maxBytes: 1000, threshold: 2000 } });
    const message = `begin ${'é "x" '.repeat(length / 8)} end`;
    const result = await (await core.open()).callTool('y_echo', { message });
    const text = textOf(result);
    expect(Buffer.byteLength(text)).toBeLessThan(2600);
    expect([text.includes('begin é "x"'), text.trimEnd().endsWith('x"  end')]).toEqual([true, true]);
    expect(result['structuredContent']).toBeUndefined();
  });

  test('a result that fits is given as it is, though it was to be a file', async () => {
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
  'a search in mode %s finds what reads on in a kept answer, and nothing else does',
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
    [{ head: 20 }, 'head: 20 did not make it shorter: it came as one line.'],
    [{ max_lines: 5 }, 'max_lines: 5 did not make it shorter'],
  ]),
)('where %j was asked of a tool whose answer is one line, it is said why that did not help', async (args, told) => {
  await using core = await startCore({ servers });
  const client = await core.open();
  expect(textOf(await client.callTool('x_big', args))).toContain(told);
  expect(textOf(await client.callTool('x_big', { page: 20 }))).not.toContain('did not make it');
  const lines = await client.callTool('y_echo', { message: 'a line\n'.repeat(20_000), ...args });
  expect(textOf(lines)).not.toContain('did not make it');
});

test('what is told of a match in data is the element around it, but for proxy-dispatch, which tells lines as mini-a does', async () => {
  await using core = await startCore({ servers });
  const client = await core.open();
  await client.callTool('x_big');
  const resultFile = (await core.host.core.spills.list())[0]?.id;
  const asked = { resultFile, op: 'grep', pattern: '"item 15"' };
  expect(textOf(await client.callTool('read_result', asked))).toMatch(
    /^\d+: "name": "item 15", \[in an element of lines/,
  );
  const dispatched = await client.callTool('proxy-dispatch', { action: 'readresult', ...asked });
  expect(textOf(dispatched)).toMatch(/^\d+: +"name": "item 15",$/);
});

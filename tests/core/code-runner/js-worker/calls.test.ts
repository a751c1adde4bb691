/** Code calls tools, and receives unwrapped results. */
import { expect, test } from 'vitest';
import { parseJson } from '../../../../src-main/core/base/json.ts';
import { RawJson } from '../../../../src-main/core/wire/raw-json.ts';
import { Harness, javascript, text } from '../sandbox-harness.ts';

const longId = '{"id":12345678901234567890,"small":7}';
const items = [
  { type: 'text', text: '[1]' },
  { type: 'image', data: 'AA==', mimeType: 'image/png' },
];
let running = 0;
let mostRunning = 0;

const harness = new Harness(
  {
    items: () => ({ content: items }),
    image: () => ({ content: items.slice(1) }),
    empty: () => ({ content: [] }),
    raw: () => new RawJson([Buffer.from(`{"content":[{"type":"text","text":"raw"}],"pad":"${'x'.repeat(100)}"}`)]),
    longId: () => text(longId),
    longStructured: () => parseJson(`{"content":[],"structuredContent":${longId}}`),
    huge: () => text('x'.repeat(17 << 20)),
    circle: () => {
      const result: Record<string, unknown> = {};
      result['self'] = result;
      return result;
    },
    busy: async ({ ms }) => {
      mostRunning = Math.max(mostRunning, ++running);
      await new Promise((resolve) => setTimeout(resolve, Number(ms)));
      running--;
      return text('done');
    },
  },
  {},
  javascript,
);
const value = harness.value.bind(harness);
const error = harness.error.bind(harness);

test.each([
  ['structuredContent', 'structured', { a: 1 }, { a: 1 }],
  ['one text that is JSON', 'echo', { a: [1, null] }, { a: [1, null] }],
  ['one text', 'say', { text: 'hello' }, 'hello'],
  ['a number', 'say', { text: '42' }, 42],
  ['a number that JSON would write differently', 'say', { text: '007' }, '007'],
  ['a decimal that would lose its zero', 'say', { text: '1.0' }, '1.0'],
  ['several items', 'items', {}, [[1], items[1]]],
  ['one item that is not a text', 'image', {}, items[1]],
  ['no items', 'empty', {}, null],
  ['a result still held as bytes', 'raw', {}, 'raw'],
])('unwraps a result with %s', async (_name, tool, args, expected) => {
  expect(await value(`await call_tool(${JSON.stringify(tool)}, ${JSON.stringify(args)})`)).toEqual(expected);
});

test('keeps the digits of integers beyond a double through arguments, code and results', async () => {
  const code = `const a = await call_tool("longId"), b = await call_tool("longStructured", {});
    await call_tool("echo", { id: a.id, again: JSON.parse(JSON.stringify({ small: a.small })) });
    ({ a: a.id, b: b.id, text: String(a.id), small: b.small })`;
  expect(JSON.stringify(await value(code))).toBe(
    '{"a":12345678901234567890,"b":12345678901234567890,"text":"12345678901234567890","small":7}',
  );
  expect(JSON.stringify(harness.called.at(-1)?.args)).toBe('{"id":12345678901234567890,"again":{"small":7}}');
});

test.each([
  ['name and arguments', 'call_tool("echo", { a: 1 })', 'echo', { a: 1 }],
  ['server, tool and arguments', 'call_tool("files", "echo", { a: 1 })', 'files:echo', { a: 1 }],
  ['server and tool', 'call_tool("files", "echo")', 'files:echo', {}],
  ['a name alone', 'call_tool("files:echo")', 'files:echo', {}],
  ['arguments as JSON text', `call_tool("echo", '{"a": 1}')`, 'echo', { a: 1 }],
])('accepts a call with %s', async (_name, code, name, args) => {
  await value(`await ${code}`);
  expect(harness.called.at(-1)).toMatchObject({ name, args });
});

test.each([
  ['no name', 'call_tool()'],
  ['a name that is not a string', 'call_tool({ name: "echo" })'],
  ['arguments that are a list', 'call_tool("echo", [1])'],
  ['arguments that are a number', 'call_tool("echo", 1)'],
  ['arguments in broken JSON', 'call_tool("echo", "{a")'],
])('rejects a call with %s with a message, and calls no tool', async (_name, code) => {
  const before = harness.called.length;
  expect(await value(`try { await ${code} } catch (e) { [e.code, e.message] }`)).toEqual([
    'INVALID_ARGS',
    expect.stringContaining('call_tool') as string,
  ]);
  expect(harness.called.length).toBe(before);
});

test("throws a failed call as a catchable error with the tool's message", async () => {
  const code = `try { await call_tool("fail", {}) } catch (e) {
    [e instanceof Error, e.name, e.message, e.code, e.tool, e.result] }`;
  const expected = [true, 'ToolError', 'the disk\nis full', 'UPSTREAM_ERROR', 'fail', ['the disk', 'is full']];
  expect(await value(code)).toEqual(expected);
});

test('reports the line of a failed call that is not caught', async () => {
  expect(await error('const a = 1;\n  await call_tool("reject", {})')).toMatchObject({
    code: 'RUNTIME_ERROR',
    message: 'ToolError: There is no tool reject. Search first.',
    line: 2,
    column: 9,
  });
});

test.each([
  ['does not fit', 'huge', /17\.0 MB; at most 16 MB.*page or a filter/],
  ['is not JSON', 'circle', /circular/i],
])('fails only the call whose result %s', async (_name, tool, words) => {
  const code = `let message; try { await call_tool("${tool}") } catch (e) { message = e.message } message`;
  expect(await value(code)).toMatch(words);
});

test('runs at most `parallel` of the calls started together', async () => {
  const code = 'await Promise.all(Array.from({ length: 9 }, () => call_tool("busy", { ms: 5 })))';
  mostRunning = 0;
  expect(await value(code, { limits: { parallel: 3 } })).toEqual(Array(9).fill('done'));
  expect(mostRunning).toBe(3);
});

test('call_tools returns results and failures in the order of its requests', async () => {
  const code = `await call_tools([
    { name: "busy", args: { ms: 30 } }, { server: "files", tool: "echo", args: { a: 1 } }, { tool: "fail" }, { name: "reject" }])`;
  expect(await value(code)).toEqual([
    { ok: true, result: 'done' },
    { ok: true, result: { a: 1 } },
    { ok: false, error: { code: 'UPSTREAM_ERROR', message: 'the disk\nis full' } },
    { ok: false, error: { code: 'tool_not_found', message: 'There is no tool reject. Search first.' } },
  ]);
});

test('call_tools runs at most `max_parallel` calls at a time', async () => {
  mostRunning = 0;
  const requests = 'Array.from({ length: 6 }, () => ({ name: "busy", args: { ms: 5 } }))';
  await value(`await call_tools(${requests}, { max_parallel: 2 })`);
  expect(mostRunning).toBe(2);
});

test.each([
  ['no array', 'call_tools({})', 'must be an array'],
  ['an element without a name', 'call_tools([{ name: "echo" }, { args: {} }])', 'element 1'],
  ['a hole', 'call_tools([{ name: "echo" }, , ])', 'element 1'],
  ['too many', 'call_tools(Array.from({ length: 101 }, () => ({ name: "echo" })))', '101'],
  ['a max_parallel of zero', 'call_tools([{ name: "echo" }], { max_parallel: 0 })', 'max_parallel'],
  ['a max_parallel that is not an integer', 'call_tools([{ name: "echo" }], { max_parallel: 1.5 })', 'max_parallel'],
])('call_tools with %s calls nothing and reports what is wrong', async (_name, code, words) => {
  const before = harness.called.length;
  expect(await error(`await ${code}`)).toMatchObject({ message: expect.stringContaining(words) as string });
  expect(harness.called.length).toBe(before);
});

test('call_tools returns an empty list for an empty list', async () => {
  expect(await value('await call_tools([])')).toEqual([]);
});

test('searches for tools and reads their schemas', async () => {
  const discover = {
    search: async (query: string, limit?: number) => [{ query, limit: limit ?? 'none' }],
    schema: async (names: readonly string[]) => names.join('+'),
    sql: async () => [],
  };
  const code =
    '[await search("read a file", 3), await search("x"), await get_schema(["a", "b"]), await get_schema("c")]';
  const found = [[{ query: 'read a file', limit: 3 }], [{ query: 'x', limit: 'none' }], 'a+b', 'c'];
  expect(await harness.run(code, { discover })).toMatchObject({ value: found, calls: 0 });
});

test('throws a failed search at its line', async () => {
  expect(await error('\nawait search("x")')).toMatchObject({
    line: 2,
    message: expect.stringContaining('Search is not available') as string,
  });
});

test('finishes calls that were not awaited before the run ends, and reports their failures', async () => {
  const code = `["a", "b"].forEach(async (a) => { await call_tool("busy", { ms: 5 }); await call_tool("echo", { a }) });
    call_tool("fail", {});
    return "done"`;
  const outcome = await harness.run(code);
  expect(outcome).toMatchObject({ ok: true, value: 'done', calls: 5 });
  expect(harness.called.slice(-2).map(({ args }) => args)).toEqual([{ a: 'a' }, { a: 'b' }]);
  expect(outcome.console).toEqual([
    'error: A promise that was not awaited failed (line 2): ToolError: the disk\nis full',
  ]);
});

test('does not report a failure that is handled later', async () => {
  const code = 'const p = call_tool("fail"); await call_tool("busy", { ms: 5 }); try { await p } catch {} 1';
  expect(await harness.run(code)).toMatchObject({ value: 1, console: [] });
});

test('counts calls', async () => {
  expect(await harness.run('for (let i = 0; i < 3; i++) await call_tool("echo", { i }); 1')).toMatchObject({
    calls: 3,
  });
});

/** Python as ToolMux's code mode writes it: tools, values, output and errors. */
import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { parseJson } from '../../../../src-main/core/base/json.ts';
import type { CodeRunRequest } from '../../../../src-main/core/code-runner/run-request.ts';
import { Harness, text } from '../sandbox-harness.ts';

const longId = '{"id":12345678901234567890,"small":7}';
const together = Promise.withResolvers<void>();
let running = 0;

const harness = new Harness({
  longId: () => text(longId),
  longStructured: () => parseJson(`{"content":[],"structuredContent":${longId}}`),
  marked: () => text('{"__monty_type__":"DateTime","__proto__":{"a":1}}'),
  empty: () => ({ content: [] }),
  // Returns only once three calls are running.
  meet: async () => {
    if (++running === 3) together.resolve();
    await together.promise;
    return text('"met"');
  },
});
const python = { language: 'python' } as const;
const value = (code: string, more: Partial<CodeRunRequest> = {}): Promise<unknown> =>
  harness.value(code, { ...python, ...more });
const error = (code: string, more: Partial<CodeRunRequest> = {}): Promise<unknown> =>
  harness.error(code, { ...python, ...more });

const forms: [string, string, unknown][] = [
  ['a return', 'x = await call_tool("echo", {"a": 1})\nreturn x["a"]', 1],
  ['a last expression', 'x = await call_tool("echo", {"a": 1})\nx', { a: 1 }],
  ['a main function', 'async def main():\n    return await call_tool("echo", {"a": True})\nawait main()', { a: true }],
  ['asyncio.run', 'import asyncio\nasync def main():\n    return 7\nasyncio.run(main())', 7],
  ['the usual last lines', 'r = 1\nif __name__ == "__main__":\n    r = 2\nreturn r', 2],
  ['the input', 'input["n"] + 1', 6],
  ['every kind of value', '[None, True, 1, 1.5, "s", (1, 2), {3}, {1: {"a": None}}, b"a", 10**20]', undefined],
  [
    'dates',
    'import datetime as d\nd.datetime(2024, 1, 2, 3, 4, 5, tzinfo=d.timezone.utc)',
    '2024-01-02T03:04:05+00:00',
  ],
];

test.each(forms)('runs %s and returns its value', async (_name, code, expected) => {
  const given = await value(code, { input: { n: 5 } });
  if (expected !== undefined) expect(given).toEqual(expected);
  else {
    expect(JSON.stringify(given)).toBe('[null,true,1,1.5,"s",[1,2],[3],{"1":{"a":null}},[97],100000000000000000000]');
  }
});

test.each([
  ['an assignment', 'result = await call_tool("echo", {"a": 1})', { a: 1 }],
  ['an annotated assignment', 'x: int = 2', 2],
  ['an augmented assignment', 'x = 1\nx += 1', 2],
  ['an expression in a branch', 'if True:\n    x = 3\n    x + 1', 4],
  ['a guarded call of main', 'async def main():\n    return 5\nif __name__ == "__main__":\n    await main()', 5],
  ['an expression in a try block', 'try:\n    1 / 0\nexcept ZeroDivisionError:\n    "caught"', 'caught'],
  ['a with block', 'import contextlib\nwith contextlib.nullcontext(6) as x:\n    x', 6],
  ['a match', 'match 7:\n    case x:\n        x', 7],
  ['an assignment after a return that was not reached', 'if False:\n    return 1\nx = 8', 8],
  ['an expression after a return that was not reached', 'if False:\n    return 1\nelse:\n    9', 9],
])('returns the last value of code that ends with %s', async (_name, code, expected) => {
  expect(await harness.run(code, python)).toMatchObject({ ok: true, value: expected });
});

test.each([
  ['a definition', 'def f():\n    return 1'],
  ['a loop', 'for i in [1, 2]:\n    i'],
  ['print', 'print(1)'],
  ['a main function that returns nothing', 'import asyncio\nasync def main():\n    pass\nasyncio.run(main())'],
  ['an assignment that JSON cannot express', 'f = lambda: 1'],
  ['an assignment of an endless iterator', 'def g():\n    while True: yield 1\nx = g()'],
  ['a return that was not reached', 'if False:\n    return 1'],
  ['a bare return', 'return'],
  ['an exit', 'import sys\nsys.exit()'],
])('returns no value for code that ends with %s', async (_name, code) => {
  const outcome = await harness.run(code, python);
  expect(outcome).toMatchObject({ ok: true });
  expect(outcome).toHaveProperty('value', undefined);
});

test.each(['return None', 'return await call_tool("empty")'])('returns null for %s', async (code) => {
  expect(await harness.run(code, python)).toMatchObject({ ok: true, value: null });
});

test.each([
  ['structuredContent', '"structured", {"a": 1}', { a: 1 }],
  ['one text that is JSON', '"echo", {"a": [1, None]}', { a: [1, null] }],
  ['one text', '"say", {"text": "hello"}', 'hello'],
  ['a number that JSON would write differently', '"say", {"text": "007"}', '007'],
  ['no items', '"empty"', null],
])('unwraps a result with %s', async (_name, call, expected) => {
  expect(await value(`return await call_tool(${call})`)).toEqual(expected);
});

test('keeps the digits of integers beyond a double through arguments, code and results', async () => {
  const code =
    'a = await call_tool("longId")\nb = await call_tool("longStructured")\nawait call_tool("echo", a)\nreturn [a["id"] + 1, b]';
  expect(JSON.stringify(await value(code))).toBe(`[12345678901234567891,${longId}]`);
  expect(JSON.stringify(harness.called.at(-1)?.args)).toBe(longId);
});

test('treats a result that imitates a value of the engine as a plain dictionary', async () => {
  expect(await value('r = await call_tool("marked")\n[type(r).__name__, sorted(r)]')).toEqual([
    'dict',
    ['__monty_type__', '__proto__'],
  ]);
});

test.each([
  ['name and arguments', 'call_tool("echo", {"a": 1})', 'echo', { a: 1 }],
  ['server, tool and arguments', 'call_tool("files", "echo", {"a": 1})', 'files:echo', { a: 1 }],
  ['keyword arguments', 'call_tool(tool_name="echo", params={"a": 1})', 'echo', { a: 1 }],
  ['arguments by their names', 'call_tool("echo", a=1, name="b")', 'echo', { a: 1, name: 'b' }],
  ['arguments as JSON text', `call_tool("echo", '{"a": 1}')`, 'echo', { a: 1 }],
  ['a name alone', 'call_tool("echo")', 'echo', {}],
])('accepts a call with %s', async (_name, code, name, args) => {
  await value(`await ${code}`);
  expect(harness.called.at(-1)).toMatchObject({ name, args });
});

test.each(['call_tool()', 'call_tool(5)', 'call_tool("echo", [1])', 'call_tool("echo", "{")', 'call_tools(5)'])(
  '%s raises a TypeError with a message',
  async (call) => {
    const code = `try:\n    await ${call}\nexcept TypeError as e:\n    r = str(e)\nr`;
    expect(await value(code)).toMatch(
      /^call_tools?: .*(?:must be|the arguments are a string but not valid JSON\.|give it)/,
    );
  },
);

test('runs gathered calls and call_tools in parallel', async () => {
  const code = 'import asyncio\nawait asyncio.gather(*[call_tool("meet") for _ in range(3)])';
  expect(await value(code)).toEqual(['met', 'met', 'met']);
  const batch = 'await call_tools([{"name": "echo", "args": {"a": 1}}, {"server": "s", "tool": "fail"}])';
  expect(await value(batch)).toEqual([
    { ok: true, result: { a: 1 } },
    { ok: false, error: { code: 'UPSTREAM_ERROR', message: 'the disk\nis full' } },
  ]);
});

test('search, get_schema and sql return what discovery finds', async () => {
  const discover = {
    search: async (query: string) => [query],
    schema: async (names: readonly string[]) => names,
    sql: async (source: unknown, query: string) => [{ source, query }],
  };
  const code = '[await search("files"), await get_schema(["a", "b"]), await sql([{"n": 1}], "SELECT n FROM rows")]';
  expect(await value(code, { discover })).toEqual([
    ['files'],
    ['a', 'b'],
    [{ source: [{ n: 1 }], query: 'SELECT n FROM rows' }],
  ]);
});

test.each(['fail', 'reject'])('raises a catchable exception for a call that ends in %s', async (tool) => {
  const code = `try:\n    await call_tool("${tool}")\nexcept RuntimeError as e:\n    r = ["caught", str(e)]\nr`;
  expect(await value(code)).toEqual(['caught', expect.stringMatching(/disk\nis full|no tool reject.*Search first/)]);
});

test('reports the line of a failed call that is not caught', async () => {
  expect(await error('def f():\n    pass\n\nasync def g():\n    await call_tool("fail")\nawait g()')).toEqual({
    code: 'RUNTIME_ERROR',
    message: 'RuntimeError: the disk\nis full',
    line: 5,
    column: 5,
    stack: 'RuntimeError: the disk\nis full\n    at g (code.py:5:5)\n    at <module> (code.py:6:1)',
  });
});

test.each([
  ['SYNTAX_ERROR', 'x = 1\ny = = 2', 2, /^SyntaxError: /],
  ['RUNTIME_ERROR', 'x = 1\n\nx / 0', 3, /^ZeroDivisionError: /],
  ['RUNTIME_ERROR', 'raise ValueError', 1, /^ValueError$/],
  ['SYNTAX_ERROR', 'def f():\nreturn 1', 2, /^IndentationError: expected an indented block/],
  ['RUNTIME_ERROR', 'import pandas', 1, /No module named 'pandas'. There is Python's standard library only/],
  ['RUNTIME_ERROR', 'x = 1\nimport requests', 2, /use call_tool/],
  ['RUNTIME_ERROR', 'x = call_tool("echo")\nx["a"]', 2, /Write await before the call/],
  ['RUNTIME_ERROR', 'import zoneinfo\nzoneinfo.ZoneInfo("Europe/Vienna")', 2, /no time zones in here but UTC/],
])('reports a %s with its line and message: %j', async (code, python, line, words) => {
  expect(await error(python)).toMatchObject({ code, line, message: expect.stringMatching(words) as string });
});

test('fails at once if the code waits for something that never happens', async () => {
  expect(await error('import asyncio\nawait asyncio.Event().wait()')).toMatchObject({
    code: 'RUNTIME_ERROR',
    message: 'RuntimeError: The code waits for something that never comes.',
  });
});

test.each([
  ['a coroutine', 'async def main():\n    return 1\nmain()', /write await/],
  ['a function', 'def f():\n    return 1\n[f]', /call it/],
  ['a dictionary with tuples as keys', '{(1, 2): 3}', /key/],
])('rejects %s as the value', async (_name, code, words) => {
  expect(await error(code)).toEqual({
    code: 'SERIALIZATION_ERROR',
    message: expect.stringMatching(words) as string,
  });
});

test('returns printed output line by line', async () => {
  const code = 'print("a", 1, sep="-", end="")\nprint("b\\nc")\nprint()\nprint({"a": None}, end="")\n1 / 0';
  expect(await harness.run(code, python)).toMatchObject({ ok: false, console: ['a-1b', 'c', '', "{'a': None}"] });
});

test('runs a call that is not awaited, and reports its failure', async () => {
  const code = 'call_tool("echo", {"late": 1})\ncall_tool("fail")\nreturn 5';
  expect(await harness.run(code, python)).toMatchObject({
    ok: true,
    value: 5,
    calls: 2,
    console: ['error: A call that was not awaited failed: the disk', 'is full'],
  });
});

test('isolates runs from each other, and leaves no process behind', async () => {
  await value('global_name = 1');
  expect(await error('global_name')).toMatchObject({ message: expect.stringMatching(/^NameError/) as string });
  await expect.poll(() => harness.sandbox.processes).toBe(0);
});

test('reports LANGUAGE_UNAVAILABLE if the interpreter cannot be loaded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'python-'));
  const dist = new URL('../../../../dist/', import.meta.url);
  copyFileSync(new URL('python-process.js', dist), join(folder, 'python-process.mjs'));
  const isCode = (path: string): boolean => !/\.(?:wasm|mjs|zip|image)$/.test(path);
  cpSync(new URL('python/', dist), join(folder, 'python'), { recursive: true, filter: isCode });
  const elsewhere = new Harness({}, { pythonUrl: pathToFileURL(join(folder, 'python-process.mjs')) });
  for (const language of ['python', undefined] as const) {
    expect(await elsewhere.error('print(1)', { language })).toEqual({
      code: 'LANGUAGE_UNAVAILABLE',
      message: 'This is Python, which is not available on this computer.',
    });
  }
  rmSync(folder, { recursive: true });
});

test('runs Python in the built process', async () => {
  const built = new Harness({}, { pythonUrl: new URL('../../../../dist/python-process.js', import.meta.url) });
  expect(await built.value('print(1)\nreturn await call_tool("echo", {"a": 1})')).toEqual({ a: 1 });
});

/** `execute` runs programs in three languages, each call through the pipeline, and reports if Python is missing. */
import { afterAll, expect, test } from 'vitest';
import { codeExecution } from '../../../src-main/compat/mcpproxy/code-execution.ts';
import { execute } from '../../../src-main/core/modes/code-mode.ts';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { CodeRunner } from '../../../src-main/core/code-runner/code-runner.ts';
import { helperContext } from './helper-context.ts';
import { allCases } from '../../support/all-cases.ts';

const sandbox = new CodeRunner();
const withoutPython = new CodeRunner({ pythonUrl: new URL('file:///nowhere/python-worker.js') });
// Not spread, because that would invoke throwing getters.
const context = Object.assign(helperContext([]), { sandbox });

afterAll(() => Promise.all([sandbox.close(), withoutPython.close()]));

const both = '(Read as Python, although it is valid JavaScript, too; "language" decides.)';

test.each([
  ['JavaScript', 'return await call_tool("a", { b: true })', []],
  ['TypeScript', 'const r: string = await call_tool("a", { b: true }); return r', []],
  ['Python', 'def f(r):\n    return r\nf(await call_tool("a", {"b": True}))', []],
  [
    'code valid in Python and JavaScript',
    'r = await call_tool("a", {"b": True})\nreturn r',
    [{ type: 'text', text: both }],
  ],
])('runs a call in %s through the pipeline with its origin', async (_name, code, notes) => {
  context.calls.length = 0;
  expect(await execute.run({ code }, context)).toEqual({ content: [{ type: 'text', text: 'called a' }, ...notes] });
  expect(context.calls).toEqual([{ tool: 'a', arguments: { b: true }, via: 'execute', source: 'program' }]);
});

test('returns what Python printed, and where it failed', async () => {
  const result = await execute.run({ code: 'print("one")\n1 / 0', language: 'python' }, context);
  expect(result).toMatchObject({
    content: [
      { type: 'text', text: 'RUNTIME_ERROR at line 2, column 1: ZeroDivisionError: division by zero' },
      { type: 'text', text: 'Printed:\none' },
    ],
    isError: true,
  });
});

test('suggests JavaScript if Python cannot be loaded', async () => {
  const elsewhere = Object.assign(helperContext([]), { sandbox: withoutPython });
  const run = execute.run({ code: 'print(1)', language: 'python' }, elsewhere);
  await expect(run).rejects.toMatchObject({
    code: 'unsupported',
    text: 'This is Python, which is not available on this computer. Use JavaScript.',
  });
});

test('accepts a language in any case, and rejects an unknown one', async () => {
  const run = (language: unknown): Promise<unknown> => execute.run({ code: '7 // 2', language }, context);
  expect(await run('PYTHON')).toEqual({ content: [{ type: 'text', text: '3' }] });
  expect(await run('JavaScript')).toEqual({ content: [{ type: 'text', text: '7' }] });
  for (const language of ['ruby', 5]) {
    await expect(run(language)).rejects.toMatchObject({ code: 'bad_request', fix: /Python, JavaScript or TypeScript/ });
  }
});

test.runIf(allCases)("offers ToolMux's helper tools as functions and through call_tool", async () => {
  const python = `import asyncio
count, again, listed = await asyncio.gather(get_tool_count(), call_tool("get_tool_count", {}), list_all_tools("files"))
found = await search_tools("read a file", limit=3)
try:
    await get_tool_schema(name="nothing")
except RuntimeError as e:
    error = str(e)
return [count == again, listed["total_tools"], found, "'nothing' not found" in error]`;
  const told = Object.assign(helperContext([]), { sandbox });
  Object.defineProperty(told, 'admin', { value: { list: () => [] } });
  const result = await execute.run({ code: python, language: 'python' }, told);
  expect(result).toEqual({
    content: [{ type: 'text', text: expect.stringMatching(/^\[true,0,.*,true\]$/) as string }],
  });
  const javascript =
    'const [a, b] = await Promise.all([get_tool_count(), list_all_tools({ server: "files" })]); return [a, b]';
  expect(await execute.run({ code: javascript }, told)).toMatchObject({
    content: [{ text: expect.stringContaining('"total_tools":0') as string }],
  });
  expect(told.calls).toEqual([]);
});

const body = async (input: JsonObject): Promise<JsonObject> => {
  const result: JsonObject = { ...(await codeExecution.run({ code: '1', ...input }, context)) };
  const [{ text = '' } = {}] = result['content'] as { text?: string }[];
  return { ...(JSON.parse(text) as object), isError: result['isError'] };
};

test.each([
  ['no code', { code: ' ' }, 'INVALID_ARGS', /^code:/],
  ['a stored script', { code: undefined, script: 'x' }, 'INVALID_ARGS', /^script:/],
  ['another language', { language: 'ruby' }, 'INVALID_LANGUAGE', /javascript, typescript or python/],
  ['an input that is a list', { input: [1] }, 'INVALID_ARGS', /^input:/],
  ['options that are no object', { options: '[]' }, 'INVALID_ARGS', /^options:/],
  ['no time', { options: { timeout_ms: 0 } }, 'INVALID_ARGS', /from 1 to 600000/],
  ['too much time', { options: '{"timeout_ms": 600001}' }, 'INVALID_ARGS', /from 1 to 600000/],
  ['time in words', { options: { timeout_ms: 'long' } }, 'INVALID_ARGS', /timeout_ms/],
  ['a negative number of calls', { options: { max_tool_calls: -1 } }, 'INVALID_ARGS', /max_tool_calls/],
  ['servers that are a text', { options: { allowed_servers: 'a' } }, 'INVALID_ARGS', /allowed_servers/],
])('code_execution rejects %s with the documented code', async (_name, input, code, words) => {
  expect(await body(input)).toEqual({
    ok: false,
    isError: true,
    error: { code, message: expect.stringMatching(words) as string },
  });
});

test('code_execution calls only allowed servers, and reports which are not', async () => {
  const code = 'call_tool("github", "x", {})';
  expect(await body({ code, options: { allowed_servers: ['files'] } })).toMatchObject({
    ok: true,
    value: { ok: false, error: { code: 'SERVER_NOT_ALLOWED', message: expect.stringContaining('"github"') as string } },
  });
  expect(await body({ code, options: { allowed_servers: ['github'] } })).toMatchObject({ value: { ok: true } });
});

test('code_execution runs Python too, and names the language if the code fits both', async () => {
  expect(await body({ code: '[x for x in (1, 2)]' })).toEqual({ ok: true, value: [1, 2], isError: undefined });
  expect(await body({ code: '7 // 2' })).toEqual({ ok: true, value: 7, read_as: 'javascript', isError: undefined });
});

test('runs nothing if code is disabled, and applies the configured limits otherwise', async () => {
  const settings = { enabled: true, timeoutSeconds: 0.3, maxToolCalls: 1 };
  const off = Object.assign(helperContext([]), { sandbox, code: { ...settings, enabled: false } });
  const refusal = { code: 'unsupported', text: expect.stringMatching(/^Running code is disabled\./) as string };
  await expect(execute.run({ code: '1' }, off)).rejects.toMatchObject(refusal);
  await expect(codeExecution.run({ code: '1' }, off)).rejects.toMatchObject(refusal);
  const bounded = Object.assign(helperContext([]), { sandbox, code: settings });
  const twice = { code: 'const a = call_tool("s", "a", {}), b = call_tool("s", "a", {}); [a.ok, b.ok]' };
  const slow = Object.assign(helperContext([]), { sandbox, code: { ...settings, timeoutSeconds: 30 } });
  expect(await codeExecution.run(twice, slow)).toMatchObject({
    content: [{ text: '{"ok":true,"value":[true,false]}' }],
  });
  expect(await execute.run({ code: 'for (;;) {}' }, bounded)).toMatchObject({
    content: [{ text: expect.stringContaining('within 0.3 seconds') as string }],
  });
});

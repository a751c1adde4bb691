/** Code without a given language runs in the language whose parser accepts it; ties go to the style of the tool. */
import { expect, test } from 'vitest';
import { Harness } from './sandbox-harness.ts';

const harness = new Harness();

const python: [string, string, unknown][] = [
  ['True', 'x = await call_tool("echo", {"a": True})\nreturn x', { a: true }],
  ['None', 'return await call_tool("echo", {\n  "a": None,\n})', { a: null }],
  ['a built-in function', 'x = await call_tool("echo", {"a": [1, 2]})\nlen(x["a"])', 2],
  ['a function', 'def f(x):\n    return x + 1\nf(1)', 2],
  ['a block', 'x = 1\nif x > 0:\n    x = 2\nx', 2],
  ['a loop', 'n = 0\nfor i in [1, 2]:\n    n += i\nn', 3],
  ['a comprehension', 'x = [1, 2]\n[i * 2 for i in x]', [2, 4]],
  ['an import', 'import json\njson.loads("[1]")', [1]],
  ['an import from', 'from math import floor\nfloor(1.5)', 1],
  ['a comment', '# add\n1 + 1', 2],
  ['a text of many lines', 'x = """a\nb"""\nx', 'a\nb'],
  ['an f-string', 'x = 1\nreturn f"{x}!"', '1!'],
  ['words for operators', 'a = 1\nb = a == 1 and not a == 2\nb', true],
];

test.each(python)('runs code with %s as Python', async (_name, code, expected) => {
  expect(await harness.value(code)).toEqual(expected);
});

const javascript: [string, string, unknown][] = [
  ['declarations', 'const len = (x) => x.length; len("abc")', 3],
  ['a block', 'let n = 0; for (const i of [1, 2]) { n += i } n', 3],
  ['Python in a text', 'await call_tool("say", { text: `def f(x):\n    print(True)` })', 'def f(x):\n    print(True)'],
  ['types', 'const a: number = 1; a', 1],
  ['an arrow', '(async () => 5)()', 5],
];

test.each(javascript)('runs code with %s as JavaScript', async (_name, code, expected) => {
  expect(await harness.run(code)).toMatchObject({ value: expected });
});

/** JavaScript would return 7, undefined, "12", false, -1, 1e20 and false. */
const both: [string, string, unknown][] = [
  ['whole division', '7//2', 3],
  ['the last of a list', '[1, 2, 3][-1]', 3],
  ['lists that are joined', '[1] + [2]', [1, 2]],
  ['a member of a list', '"x" in ["x"]', true],
  ['the rest of a division', '-7 % 3', 2],
  ['a long integer', '10**20 + 1', JSON.rawJSON('100000000000000000001')],
  ['lists that are equal', '[1] == [1]', true],
  ['a call', 'x = await call_tool("echo", {"a": 1})\nreturn x["a"] / 2', 0.5],
];

test.each(both)(
  'runs %s, valid in both languages, as Python in `execute`, and says so',
  async (_name, code, expected) => {
    expect(await harness.run(code)).toMatchObject({ value: expected, readAs: 'python' });
  },
);

test('prefers JavaScript in `code_execution` if both parsers accept the code', async () => {
  const style = { globals: 'code_execution' } as const;
  expect(await harness.run('7 // 2\n', style)).toMatchObject({ value: 7, readAs: 'javascript' });
  const python = await harness.run('r = call_tool("files", "echo", {"a": None})\nr["result"] if r["ok"] else 0', style);
  expect(python).toMatchObject({ ok: true, value: { content: [{ text: '{"a":null}' }] } });
  expect(python).not.toHaveProperty('readAs');
});

test('uses the given language', async () => {
  expect(await harness.run('7 // 2', { language: 'javascript' })).toMatchObject({ value: 7 });
  expect(await harness.run('7 // 2', { language: 'python' })).not.toHaveProperty('readAs');
});

test('reports the JavaScript error of code that is neither, and of code for a given language', async () => {
  const message = expect.not.stringContaining('Expected') as string;
  expect(await harness.error('let b = ;')).toMatchObject({ code: 'SYNTAX_ERROR', message });
  const named = { language: 'javascript' } as const;
  expect(await harness.error('def f():\n    return 1', named)).toMatchObject({ code: 'SYNTAX_ERROR', message });
});

test('reports the Python error of code that is meant as Python but invalid', async () => {
  expect(await harness.error('def f():\n    return = 1')).toMatchObject({
    code: 'SYNTAX_ERROR',
    line: 2,
    message: expect.stringMatching(/^SyntaxError: /) as string,
  });
});

test('keeps the documented form of MCPProxy as JavaScript', async () => {
  expect(await harness.error('print(True)', { globals: 'code_execution' })).toMatchObject({
    message: expect.stringContaining('print is not defined') as string,
  });
});

const long: [string, string][] = [
  ['line breaks', '\n'.repeat(9e5)],
  ['a text', `x = "${'ab'.repeat(4e5)}"\n`],
  ['a text that does not end', `# "${'\\a'.repeat(4e5)}\n`],
  ['colons', `# ${':'.repeat(9e5)}\n`],
  ['blanks', `x = 1${' '.repeat(9e5)}\n`],
];

test.each(long)('detects the language of a megabyte of %s', async (_name, code) => {
  expect(await harness.value(`${code}x = True\nx`)).toBe(true);
  expect(await harness.error(code.repeat(3))).toMatchObject({ code: 'SYNTAX_ERROR' });
});

/** Code in the forms that models write returns its value, and errors report their lines. */
import { expect, test } from 'vitest';
import { Harness } from '../sandbox-harness.ts';

const harness = new Harness();
const value = harness.value.bind(harness);
const error = harness.error.bind(harness);

const forms: [string, string, unknown][] = [
  ['a last expression', 'const a = 1;\na + 1', 2],
  ['a return', 'const a = 1;\nif (a) return { a };\nreturn null', { a: 1 }],
  ['await at the top', 'const a = await Promise.resolve(3);\na', 3],
  ['await and return', 'return await Promise.resolve([1])', [1]],
  ['an arrow function', 'async () => {\n  return 7;\n}', 7],
  ['an arrow function that takes the input', '(given) => given.n', 5],
  ['a function that is called at the end', 'async function main() { return 8 }\nmain()', 8],
  ['the value of an if', 'if (input.n > 1) { "more" } else { "less" }', 'more'],
  ['names that the globals have', 'const input = 1, search = 2; let console = 3; input + search + console', 6],
  ['no value', 'const a = 1;', undefined],
  ['types', 'const a: number = 1; const f = <T,>(x: T): T => x; f<number>(a)', 1],
  ['types and return', 'interface A { a: number }\nconst a = { a: 1 } as A;\nreturn a', { a: 1 }],
  ['an enum', 'enum Color { Red = 3 }\nColor.Red', 3],
  ['an enum and return', 'enum Color { Red = 3 }\nreturn [Color.Red, Color[3]]', [3, 'Red']],
  ['comments and a string with the word return', '// return\nconst s = "return"; s', 'return'],
];

test.each(forms)('runs %s and returns its value', async (_name, code, expected) => {
  expect(await value(code, { input: { n: 5 } })).toEqual(expected);
});

const places: [string, string, object][] = [
  ['a script', 'const a = 1;\n\nfunction f() {\n  null.x;\n}\nf()', { line: 4, column: 3 }],
  ['a body', 'null.x; return 1', { line: 1, column: 1 }],
  ['a body of several lines', 'const a = 1;\n  null.x;\nreturn 1', { line: 2, column: 3 }],
  ['code after an await', 'await 0;\nawait 0;\nnull.x', { line: 3 }],
  ['TypeScript', 'const a: number = 1;\nconst b: string | undefined = undefined; null.x', { line: 2, column: 42 }],
  ['TypeScript with an enum', 'enum A { B }\n\n\nconst c: A = A.B;\nnull.x', { line: 5, column: 1 }],
  ['TypeScript with an enum and return', 'enum A { B }\nnull.x; return A.B', { line: 2, column: 1 }],
];

test.each(places)('reports the line of an error in %s', async (_name, code, place) => {
  expect(await error(code)).toMatchObject({
    ...place,
    code: 'RUNTIME_ERROR',
    message: "TypeError: cannot read property 'x' of null",
    stack: expect.stringMatching(/^TypeError: .*\n {4}at \S+ \(code\.js:\d+:\d+\)/) as string,
  });
});

test('hides stack frames of the code runner', async () => {
  const { stack } = (await error('function f() { return call_tool("reject", {}) }\nawait f()')) as { stack: string };
  expect(stack.split('\n').slice(1)).toEqual(['    at f (code.js:1:22)', '    at <eval> (code.js:2:7)']);
});

test('reports the line of a syntax error, in JavaScript and TypeScript', async () => {
  const expected = { code: 'SYNTAX_ERROR', line: 2, column: 9, message: expect.stringContaining("';'") as string };
  expect(await error('const a = 1;\nlet b = ;', { language: 'javascript' })).toMatchObject(expected);
  expect(await error('const a = 1;\nlet b = ;')).toMatchObject(expected);
  expect(await error('const a = 1;\nreturn a;\nlet b = ;')).toMatchObject({ code: 'SYNTAX_ERROR', line: 3, column: 9 });
});

test('rejects types in JavaScript as SYNTAX_ERROR, and broken TypeScript as TRANSPILE_ERROR', async () => {
  expect(await error('const a: number = 1', { language: 'javascript' })).toMatchObject({ code: 'SYNTAX_ERROR' });
  expect(await error('const a = 1;\nconst b: = 2', { language: 'typescript' })).toMatchObject({
    code: 'TRANSPILE_ERROR',
    line: 2,
  });
});

const thrown: [string, string, string][] = [
  ['an object', 'throw { a: 1 }', 'A value was thrown: {"a":1}'],
  ['a text', 'throw "no"', 'A value was thrown: no'],
  ['nothing', 'throw undefined', 'A value was thrown: undefined'],
  ['a symbol', 'throw Symbol("s")', 'A value was thrown: Symbol(s)'],
  ['an error of its own', 'class Odd extends Error { name = "Odd" }; throw new Odd("x")', 'Odd: x'],
  ['an error without a message', 'throw new Error()', 'Error'],
  ['an error in a promise', 'await Promise.reject(new RangeError("far"))', 'RangeError: far'],
];

test.each(thrown)('reports the thrown value: %s', async (_name, code, message) => {
  expect(await error(code)).toMatchObject({ code: 'RUNTIME_ERROR', message });
});

test('suggests call_tool when code uses fetch, require, process or import', async () => {
  for (const code of ['fetch("x")', 'require("fs")', 'process.env', 'await import("node:fs")']) {
    expect(await error(code)).toMatchObject({
      message: expect.stringContaining('use call_tool(name, args)') as string,
    });
  }
});

test('returns printed lines in order, and marks warnings and errors', async () => {
  const code = `console.log('a', { b: [1] }, new Map([['k', 1]]), new Set([2]), undefined);
    console.warn(new TypeError('w')); console.error(1n, function named() {}); log('short'); console.info(Symbol('s'))`;
  const expected = [
    'a {"b":[1]} {"k":1} [2] undefined',
    'warn: TypeError: w',
    'error: 1 [function named]',
    'short',
    'Symbol(s)',
  ];
  expect((await harness.run(code)).console).toEqual(expected);
});

test('keeps what was printed before an error', async () => {
  expect(await harness.run('console.log("before"); null.x')).toMatchObject({ ok: false, console: ['before'] });
});

test('serializes collections and errors in the value', async () => {
  const code =
    '({ m: new Map([["a", 1]]), n: new Map([[1, 2]]), s: new Set([1]), e: new Error("x"), t: new Uint8Array(2) })';
  const expected = { m: { a: 1 }, n: [[1, 2]], s: [1], e: { name: 'Error', message: 'x' }, t: [0, 0] };
  expect(await value(code)).toEqual(expected);
});

const unwritable: [string, string, string][] = [
  ['a function', '({ fn() {} })', '"fn" is a function'],
  ['a promise', '({ later: call_tool("echo", {}) })', '"later" is a promise; await it first'],
  ['a symbol', '[Symbol("s")]', '"0" is a symbol'],
  ['a circle', 'const a = {}; a.a = a; a', 'circular'],
  ['a getter that throws', '({ get a() { throw new Error("mine") } })', 'mine'],
];

test.each(unwritable)(
  'rejects %s in the value as SERIALIZATION_ERROR instead of dropping it',
  async (_name, code, words) => {
    const message = expect.stringContaining(words) as string;
    expect(await error(code)).toMatchObject({ code: 'SERIALIZATION_ERROR', message });
  },
);

test('runs and clears timers', async () => {
  const code = `const seen = [];
    const cleared = setTimeout(() => seen.push('never'), 1);
    clearTimeout(cleared);
    await new Promise((resolve) => setTimeout((x) => { seen.push(x); resolve() }, 5, 'late'));
    seen`;
  expect(await value(code)).toEqual(['late']);
});

test('starts each run with fresh globals', async () => {
  await harness.run('globalThis.left = 1; Array.prototype.map = null');
  expect(await value('[typeof left, [1].map(String)]')).toEqual(['undefined', ['1']]);
});

/** Code cannot escape: it has no access to processes, files, network, or host objects. */
import { afterEach, expect, test } from 'vitest';
import { Harness, javascript } from '../sandbox-harness.ts';

const harness = new Harness({}, {}, javascript);
const value = harness.value.bind(harness);
const error = harness.error.bind(harness);

afterEach(() => {
  // An escape would be visible here.
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

const constructors: [string, string][] = [
  ['call_tool', 'call_tool.constructor'],
  ['an async function', '(async () => {}).constructor'],
  ['a generator', '(function* () {}).constructor'],
  ['console.log', 'console.log.constructor'],
  ['a promise of the host', 'call_tool("echo", {}).constructor.constructor'],
  ['a result', '(await call_tool("echo", {})).constructor.constructor'],
  ['an error of the host', '(await call_tool("fail", {}).catch((e) => e)).constructor.constructor'],
  ['the input', 'input.constructor.constructor'],
  ['a timer', 'setTimeout.constructor'],
];
const probe = `typeof process + typeof require + typeof module + typeof fetch + typeof WebAssembly + typeof Worker
  + typeof Deno + typeof std + typeof os + typeof Buffer + typeof Atomics`;

test.each(constructors)('runs functions made with the constructor of %s without host globals', async (_name, code) => {
  // No `await` in the text: the constructor may be of any kind of function.
  const made = await value(
    `const C = ${code}; const r = C('return ${probe.replace(/\s+/g, ' ')}')(); r?.next ? r.next().value : await r`,
  );
  expect(made).toBe('undefined'.repeat(11));
});

test('runs eval and Function inside the code runner', async () => {
  expect(
    await value(`[eval('typeof process'), new Function('return typeof process')(), (0, eval)('this === globalThis')]`),
  ).toEqual(['undefined', 'undefined', true]);
});

test('globalThis holds only the language and the documented names', async () => {
  const language =
    /^(?:[A-Z]\w*|undefined|globalThis|eval|is\w+|parse\w+|decode\w+|encode\w+|escape|unescape|queueMicrotask|btoa|atob|performance)$/;
  const names = (await value('Object.getOwnPropertyNames(globalThis)')) as string[];
  expect(names.filter((name) => !language.test(name)).sort()).toEqual(
    [
      'call_tool',
      'call_tools',
      'clearTimeout',
      'console',
      'get_schema',
      'input',
      'log',
      'search',
      'setTimeout',
      'sql',
    ].sort(),
  );
});

test.each(['fs', 'node:fs', 'std', 'os', 'qjs:std', './x.js', 'file:///etc/passwd', 'data:text/javascript,1'])(
  'import("%s") loads nothing',
  async (name) => {
    expect(await error(`await import(${JSON.stringify(name)})`)).toMatchObject({ code: 'RUNTIME_ERROR' });
    expect(await error(`import x from ${JSON.stringify(name)}; x`)).toMatchObject({ code: 'SYNTAX_ERROR' });
  },
);

test('reveals nothing about the local computer', async () => {
  const facts = JSON.stringify(
    await value(`
    let frames; Error.prepareStackTrace = (_e, sites) => sites.map((s) => [s.getFileName(), String(s.getFunction())]);
    try { call_tool.call(null, { get name() { throw 1 } }) } catch {}
    frames = new Error().stack; Error.prepareStackTrace = undefined;
    const e = await call_tool('reject', {}).catch((x) => x);
    [frames, e.stack, new Error().stack, new Date().getTimezoneOffset(), Object.getOwnPropertyNames(e)]`),
  );
  expect(facts).not.toMatch(/file:|node_modules|src-main|\/work|\/home|\/tmp|quickjs/);
});

test('keeps changes of prototypes inside, and calls stay unaffected', async () => {
  const code = `Object.prototype.polluted = 1; Array.prototype.polluted = 1; Function.prototype.polluted = 1;
    Object.prototype.toJSON = undefined; Promise.prototype.polluted = 1;
    await call_tool('echo', { a: 1 }); 1`;
  await value(code);
  expect(Object.keys(harness.called.at(-1)?.args ?? {})).toEqual(['a']);
});

test('treats "__proto__" in arguments and in the value as a plain member', async () => {
  const made = `JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}')`;
  const result = (await value(`await call_tool('echo', ${made}); ${made}`)) as object;
  for (const object of [harness.called.at(-1)?.args ?? {}, result]) {
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(Object.keys(object).sort()).toEqual(['__proto__', 'a', 'constructor']);
    expect('polluted' in object).toBe(false);
  }
});

test('treats "__proto__" in a result as a plain member', async () => {
  const code = `const r = await call_tool('say', { text: '{"__proto__":{"polluted":1}}' }); [r.polluted ?? null, ({}).polluted ?? null, Object.keys(r)]`;
  expect(await value(code)).toEqual([null, null, ['__proto__']]);
  const blocking = `const { result } = call_tool('s', 'say', { text: '{"__proto__":{"polluted":1}}' }); [result.polluted ?? null, ({}).polluted ?? null]`;
  expect(await value(blocking, { globals: 'code_execution' })).toEqual([null, null]);
});

test('runs proxy traps and getters of a value inside, before it is serialized', async () => {
  const code = `let seen = 0;
    const p = new Proxy({ a: 1 }, { get: (t, k) => (seen++, t[k]), ownKeys: () => ['a'] });
    ({ p, t: { toJSON: () => typeof process }, g: { get x() { return typeof require } }, seen: { toJSON: () => seen > 0 } })`;
  expect(await value(code)).toEqual({ p: { a: 1 }, t: 'undefined', g: { x: 'undefined' }, seen: true });
});

test('treats the result of toJSON as plain data', async () => {
  expect(await value(`({ toJSON: () => ({ ok: false, error: { code: 'X' } }) })`)).toEqual({
    ok: false,
    error: { code: 'X' },
  });
  expect(await value(`JSON.rawJSON ? [JSON.rawJSON('1e400')].length : 1`)).toBe(1);
});

const hostile: [string, string][] = [
  [
    'getters',
    `const e = new Error('x'); for (const k of ['name', 'message', 'stack', 'code']) Object.defineProperty(e, k, { get() { throw new Error('trap') } }); throw e`,
  ],
  [
    'members that are not strings',
    `const e = new Error('x'); e.message = { toString() { for (;;) {} } }; e.stack = 5n; e.name = Symbol(); throw e`,
  ],
  ['a proxy', `throw new Proxy(new Error('x'), { get() { throw 1 }, getPrototypeOf() { throw 2 } })`],
  ['a forged code', `throw Object.assign(new Error('x'), { code: 'CANCELLED' })`],
  ['a revoked proxy', `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy`],
  [
    'an overridden instanceof',
    `Object.defineProperty(Error, Symbol.hasInstance, { value() { throw 1 } }); throw new Error('x')`,
  ],
];

test.each(hostile)('reports an error with %s as RUNTIME_ERROR with a message', async (_name, code) => {
  expect(await error(code)).toMatchObject({ code: 'RUNTIME_ERROR', message: expect.stringMatching(/./) as string });
});

const sabotage: [string, string][] = [
  ['Promise.prototype.then', 'Promise.prototype.then = () => { for (const x of [1]) ; }; 5'],
  ['Map.prototype.get', 'Map.prototype.get = () => { throw new Error("mine") }; await call_tool("echo", {})'],
  ['Object.prototype.then', 'Object.prototype.then = function (r) { r(1) }; await call_tool("echo", {})'],
  ['JSON and String', 'JSON.stringify = JSON.parse = () => "{"; String = null; await call_tool("echo", {})'],
  [
    'Array.prototype',
    'Array.prototype.map = Array.prototype.join = null; console.log(1); await call_tools([{ name: "echo" }])',
  ],
];

test.each(sabotage)('survives code that overwrites %s', async (_name, code) => {
  const outcome = await harness.run(code, { limits: { timeMs: 500 } });
  expect(outcome).toHaveProperty('ok');
  expect(await value('1 + 1')).toBe(2);
});

test('applies the limits to functions reached through stack frames', async () => {
  const code = `const found = [];
    Error.prepareStackTrace = (_e, sites) => { for (const s of sites) found.push(s.getFunction()); return ''; };
    await call_tool({ get x() { return new Error().stack } }).catch(() => {});
    const trap = { get a() { new Error().stack; return 1 } };
    await call_tool('echo', trap);
    for (const f of found) { try { f(1, 'call', 'no json'); f(true, 'no json') } catch {} }
    found.length > 0`;
  const outcome = await harness.run(code, { limits: { timeMs: 300, calls: 10 } });
  expect(outcome.calls).toBeLessThanOrEqual(10);
  expect(await value('1 + 1')).toBe(2);
});

test('passes on unusual characters unchanged', async () => {
  const odd = '\u0000\ud83d\ude00\u2028\u{10ffff}"\\\n\u202e';
  expect(await value(`await call_tool('echo', { odd: ${JSON.stringify(odd)} })`)).toEqual({ odd });
  expect(await value('"\\ud800".length')).toBe(1);
});

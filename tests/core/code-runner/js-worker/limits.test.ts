/** Code of any kind ends within its time and memory, with a message. */
import { expect, test } from 'vitest';
import { Harness, javascript, text } from '../sandbox-harness.ts';

const harness = new Harness({ megabytes: ({ n }) => text('x'.repeat(Number(n) << 20)) }, {}, javascript);
const error = harness.error.bind(harness);
const value = harness.value.bind(harness);
const short = { limits: { timeMs: 150 } };
const small = { limits: { memoryBytes: 8 << 20 } };

const endless: [string, string][] = [
  ['a loop', 'for (;;) {}'],
  ['a loop that catches everything', 'for (;;) { try { for (;;) {} } catch { } finally { continue } }'],
  ['a loop after an await', 'await 0; for (;;) {}'],
  ['promises that go on for ever', 'const f = async () => { for (;;) await 0 }; await f()'],
  ['a regular expression', '/^(a+)+$/.test("a".repeat(40) + "b")'],
  ['one long step of the engine', 'const s = "ab".repeat(5e6); for (;;) s.lastIndexOf("ba" + "b".repeat(3))'],
  ['a getter of the value', '({ get a() { for (;;) {} } })'],
  ['a timer', 'setTimeout(() => { for (;;) {} }, 1); await new Promise((r) => setTimeout(r, 1e6))'],
  ['a tool that never answers', 'await call_tool("never", {})'],
  ['a sleep', 'await new Promise((r) => setTimeout(r, 1e12))'],
];

test.each(endless)('stops %s that does not end', async (_name, code) => {
  const message = 'The code did not finish within 0.15 seconds and was stopped.';
  expect(await error(code, short)).toEqual({ code: 'TIMEOUT', message });
});

test('keeps what was printed before a timeout, also when the thread is killed', async () => {
  const code = 'console.log("one"); const s = "ab".repeat(5e6); for (;;) s.lastIndexOf("ba" + "b".repeat(3))';
  const limits = { timeMs: await harness.shortMs() };
  expect(await harness.run(code, { limits })).toMatchObject({ ok: false, console: ['one'] });
});

test('cancels a running call at the timeout', async () => {
  await error('await call_tool("never", {})', short);
  expect(harness.called.at(-1)?.signal.aborted).toBe(true);
});

test('returns a value although a call that is not awaited does not end', async () => {
  const outcome = await harness.run('call_tool("never", {}); return 5', { limits: { timeMs: 1000 } });
  expect(outcome).toMatchObject({ ok: true, value: 5, console: [expect.stringContaining('not awaited')] });
});

test('fails at once on a promise that never settles', async () => {
  const message = expect.stringContaining('never settles') as string;
  expect(await error('await new Promise(() => {})')).toMatchObject({ code: 'RUNTIME_ERROR', message });
});

const bombs: [string, string][] = [
  ['objects', 'const a = []; for (;;) a.push({ a: 1 })'],
  ['objects that stay reachable', 'globalThis.a = []; for (;;) a.push([1, 2])'],
  ['caught and kept', 'globalThis.a = []; for (;;) { try { for (;;) a.push({}) } catch (e) { throw e } }'],
  ['one typed array', 'new Uint8Array(1e9)'],
  ['many typed arrays', 'const a = []; for (;;) a.push(new Float64Array(1e4))'],
  ['a string that doubles', 'let a = "x"; for (;;) a += a'],
  ['a string that is repeated', '"x".repeat(2 ** 29)'],
  ['a long list', 'Array.from({ length: 1e9 }, (_, i) => ({ i }))'],
  ['the value itself', 'const a = "x".repeat(3e6); [a, a, a, a, a]'],
];

test.each(bombs)('ends a memory bomb of %s with MEMORY_LIMIT', async (_name, code) => {
  const message = expect.stringContaining('The limit is 8 MB.') as string;
  expect(await error(code, small)).toMatchObject({ code: 'MEMORY_LIMIT', message });
});

test('fails a call whose result does not fit the memory, and goes on', async () => {
  const code = 'let caught; try { await call_tool("megabytes", { n: 12 }) } catch (e) { caught = e.code } caught';
  expect(await value(code, small)).toBe('MEMORY_LIMIT');
  const blocking =
    'let caught; try { caught = call_tool("s", "megabytes", { n: 12 }).error.code } catch (e) { caught = e.message } caught';
  expect(await value(blocking, { ...small, globals: 'code_execution' })).toMatch(/MEMORY_LIMIT|out of memory/);
});

test('returns a large value that fits, and passes on large arguments', async () => {
  expect(await value('"x".repeat(10 << 20)')).toHaveLength(10 << 20);
  await value('await call_tool("say", { text: "x".repeat(10 << 20) }); 1');
  expect(harness.called.at(-1)?.args['text']).toHaveLength(10 << 20);
});

test('receives a large result that fits', async () => {
  expect(await value('(await call_tool("megabytes", { n: 10 })).length')).toBe(10 << 20);
});

test('ends a bomb of promises at one of the limits', async () => {
  const code = 'const f = async () => { await 0; f(); f(); f() }; await f(); await new Promise(() => {})';
  const codes = expect.stringMatching(/^(?:MEMORY_LIMIT|TIMEOUT)$/) as string;
  expect(await error(code, { limits: { memoryBytes: 8 << 20, timeMs: 1000 } })).toMatchObject({ code: codes });
});

const deep: [string, string][] = [
  ['a recursion', 'const f = () => 1 + f(); f()'],
  ['a parser', 'eval("(".repeat(1e5))'],
  ['JSON.parse', 'JSON.parse("[".repeat(1e6))'],
  ['a join', 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; String(a)'],
  ['proxies', 'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x'],
  ['a regular expression', 'new RegExp("(?:".repeat(1e5) + ")".repeat(1e5))'],
];

test.each(deep)('throws a catchable error if %s is nested too deeply', async (_name, code) => {
  expect(await value(`try { ${code} } catch (e) { [typeof e.message, 1 + 1] }`)).toEqual(['string', 2]);
});

test('rejects code that is nested too deeply to be parsed', async () => {
  expect(await error('('.repeat(1e5))).toMatchObject({ message: expect.stringMatching(/too deep|stack/) as string });
});

const uncrossable: [string, string, RegExp][] = [
  ['too large', '"x".repeat(17 << 20)', /17\.0 MB.*at most 16 MB/],
  ['too deep', 'let a = []; for (let i = 0; i < 600; i++) a = [a]; a', /more than 500 levels/],
];

test.each(uncrossable)('rejects a value that is %s as SERIALIZATION_ERROR', async (_name, code, words) => {
  expect(await error(code)).toMatchObject({
    code: 'SERIALIZATION_ERROR',
    message: expect.stringMatching(words) as string,
  });
});

test.each([
  ['too large', 'const it = "x".repeat(17 << 20)', /17\.0 MB.*at most 16 MB/],
  ['too deep', 'let it = []; for (let i = 0; i < 600; i++) it = [it]', /more than 500 levels/],
])('rejects arguments that are %s with a catchable error', async (_name, code, words) => {
  expect(await value(`${code}; let c; try { await call_tool("echo", { it }) } catch (e) { c = e.message } c`)).toMatch(
    words,
  );
});

test('does not count brackets inside strings as depth', async () => {
  expect(await value('["[".repeat(5000), "\\\\\\"[".repeat(2000)].map((s) => s.length)')).toEqual([5000, 6000]);
  expect(await value('"[{".repeat(3000)')).toBe('[{'.repeat(3000));
});

test('passes arguments of 5 MB to a tool', async () => {
  await value('await call_tool("say", { text: "x".repeat(5e6) }); 1');
  expect(String(harness.called.at(-1)?.args['text']).length).toBe(5e6);
});

test('rejects the call after the last one allowed with a catchable error', async () => {
  const code = 'let n = 0; try { for (;;) { await call_tool("echo", {}); n++ } } catch (e) { [n, e.code, e.message] }';
  const expected = [50, 'MAX_TOOL_CALLS_EXCEEDED', 'The limit of 50 tool calls in one run is reached.'];
  expect(await value(code)).toEqual(expected);
});

test('stops 1 000 calls at once at the limit', async () => {
  const code = 'await Promise.all(Array.from({ length: 1000 }, (_, i) => call_tool("echo", { i })))';
  expect(await harness.run(code)).toMatchObject({ ok: false, error: { code: 'MAX_TOOL_CALLS_EXCEEDED' }, calls: 50 });
});

test('limits searches and timers', async () => {
  const discover = { search: async () => [], schema: async () => [], sql: async () => [] };
  const searches = 'let n = 0; try { for (;;) { await search("x"); n++ } } catch (e) { [n, e.code] }';
  expect(await value(searches, { discover })).toEqual([200, 'TOO_MANY_LOOKUPS']);
  expect(await harness.run('for (let i = 0; i < 1500; i++) setTimeout(() => {}, 1e6); 1')).toMatchObject({ value: 1 });
});

test('truncates printed output at 64 kB', async () => {
  const many = await harness.run('for (let i = 0; i < 1e5; i++) console.log("x".repeat(100)); 1');
  expect(many.console.join('').length).toBeLessThan(70_000);
  expect(many.console.at(-1)).toBe('[further output omitted]');
  const one = await harness.run('console.log("x".repeat(1e6)); 1');
  expect(one.console.map((line) => line.length)).toEqual([65_536, 24]);
});

test('runs the engine itself in two megabytes', async () => {
  expect(await value('[1, 2].map((n) => n * 2)', { limits: { memoryBytes: 1 } })).toEqual([2, 4]);
});

test('rejects code and input beyond their limits', async () => {
  expect(await error(`1;${' '.repeat(1 << 20)}`)).toMatchObject({ code: 'SYNTAX_ERROR' });
  expect(await error('1', { input: 'x'.repeat(17 << 20) })).toMatchObject({ code: 'SERIALIZATION_ERROR' });
  const circle: { self?: unknown } = {};
  circle.self = circle;
  expect(await error('1', { input: circle })).toMatchObject({ code: 'SERIALIZATION_ERROR' });
});

/** Python code of any kind ends within its time and memory, and the core goes on. */
import { expect, test } from 'vitest';
import type { CodeRunRequest } from '../../../../src-main/core/code-runner/run-request.ts';
import { Harness, text } from '../sandbox-harness.ts';

const harness = new Harness({ megabytes: ({ n }) => text('x'.repeat(Number(n) << 20)) });
const python = { language: 'python' } as const;
const short = { ...python, limits: { timeMs: 300 } };
const small = { ...python, limits: { memoryBytes: 8 << 20 } };
const value = (code: string, more: Partial<CodeRunRequest> = {}): Promise<unknown> =>
  harness.value(code, { ...python, ...more });

const endless: [string, string][] = [
  ['a loop', 'while True: pass'],
  ['a loop that catches everything', 'while True:\n    try:\n        while True: pass\n    except: pass'],
  ['a built-in function', 'sum(range(10**12))'],
  ['a tool that never answers', 'await call_tool("never")'],
  ['a tool that never answers, caught', 'try:\n    await call_tool("never")\nexcept: pass\n5'],
  ['a sleep', 'import time\ntime.sleep(1000)'],
  ['a sleep of asyncio', 'import asyncio\nawait asyncio.sleep(1000)'],
  ['a regular expression', 'import re\nre.match("(a+)+$", "a" * 40 + "b")'],
  // Operations that check no limit: only killing the process ends them.
  ['a long number', '10 ** 10**10'],
];

test.each(endless)('stops %s that does not end', async (_name, code) => {
  const message = 'The code did not finish within 0.3 seconds and was stopped.';
  expect(await harness.error(code, short)).toEqual({ code: 'TIMEOUT', message });
  await expect.poll(() => harness.sandbox.processes).toBe(0);
});

test('cancels a running call at the timeout, and keeps what was printed', async () => {
  const outcome = await harness.run('print("one")\nawait call_tool("never")', short);
  expect(outcome).toMatchObject({ ok: false, console: ['one'] });
  expect(harness.called.at(-1)?.signal.aborted).toBe(true);
});

test('returns a value although a call that is not awaited does not end', async () => {
  const outcome = await harness.run('call_tool("never")\nreturn 5', { ...python, limits: { timeMs: 1000 } });
  expect(outcome).toMatchObject({ ok: true, value: 5, console: [expect.stringContaining('not awaited')] });
});

const bombs: [string, string][] = [
  ['lists', 'a = []\nwhile True: a.append([1])'],
  ['caught and kept', 'a = []\nwhile True:\n    try:\n        while True: a.append("x" * 1000)\n    except: pass'],
  ['a text that doubles', 'a = "x"\nwhile True: a += a'],
  ['a text that is repeated', '"x" * 10**9'],
  ['a long list', 'list(range(10**9))'],
  ['a long number', '1 << 10**9'],
  ['bytes', 'bytes(10**9)'],
  ['padding', 'f"{1:>1000000000}"'],
  ['a result', 'await call_tool("megabytes", {"n": 12})'],
];

test.each(bombs)('ends a memory bomb of %s with MEMORY_LIMIT', async (_name, code) => {
  const message = expect.stringContaining('The limit is 8 MB.') as string;
  expect(await harness.error(code, small)).toMatchObject({ code: 'MEMORY_LIMIT', message });
});

test('receives a large result that fits', async () => {
  expect(await value('len(await call_tool("megabytes", {"n": 10}))')).toBe(10 << 20);
});

test.each([
  ['a recursion', 'def f(): return 1 + f()\nf()'],
  ['JSON', 'import json\njson.loads("[" * 100000)'],
  ['a regular expression', 'import re\nre.compile("(?:" * 50000 + ")" * 50000)'],
  ['an expression', 'eval("(" * 100000)'],
])('raises a catchable error if %s is nested too deeply', async (_name, code) => {
  const inside = code.split('\n').join('\n    ');
  expect(await value(`r = 1\ntry:\n    ${inside}\nexcept Exception: r = 2\nr`)).toBe(2);
});

test('rejects code that is nested too deeply to be parsed', async () => {
  expect(await harness.error('('.repeat(1e5), python)).toMatchObject({ code: 'SYNTAX_ERROR' });
});

test('isolates other runs from code that crashes its interpreter', async () => {
  const crash = 'import json\na = []\nfor _ in range(100000): a = [a]\njson.dumps(a)';
  const [crashed, other] = await Promise.all([
    harness.error(crash, python),
    harness.value('await new Promise((r) => setTimeout(r, 100)); 3'),
  ]);
  expect(crashed).toMatchObject({ code: 'RUNTIME_ERROR', message: expect.stringMatching(/./) as string });
  expect([other, await value('1 + 1')]).toEqual([3, 2]);
});

test.each([
  ['too large', 'return "x" * (17 << 20)', /17\.0 MB.*at most 16 MB/],
  ['too deep', 'a = []\nfor _ in range(600): a = [a]\nreturn a', /more than 500 levels/],
])('rejects a value that is %s as SERIALIZATION_ERROR', async (_name, code, words) => {
  expect(await harness.error(code, python)).toEqual({
    code: 'SERIALIZATION_ERROR',
    message: expect.stringMatching(words) as string,
  });
});

test('rejects the call after the last one allowed with a catchable error', async () => {
  const code =
    'n = 0\ntry:\n    while True:\n        await call_tool("echo")\n        n += 1\nexcept Exception as e:\n    r = [n, str(e)]\nr';
  expect(await value(code)).toEqual([50, 'The limit of 50 tool calls in one run is reached.']);
});

test('stops 1 000 calls at once at the limit', async () => {
  const code = 'import asyncio\nawait asyncio.gather(*[call_tool("echo", {"i": i}) for i in range(1000)])';
  expect(await harness.run(code, python)).toMatchObject({
    ok: false,
    calls: 50,
    error: { code: 'MAX_TOOL_CALLS_EXCEEDED' },
  });
});

test('limits searches', async () => {
  const discover = { search: async () => [], schema: async () => [], sql: async () => [] };
  const code = 'n = 0\ntry:\n    while True:\n        await search("x")\n        n += 1\nexcept Exception: pass\nn';
  expect(await value(code, { discover })).toBe(200);
});

test('truncates printed output at 64 kB', async () => {
  const { console } = await harness.run('for i in range(100000): print("x" * 100)', python);
  expect(console.join('').length).toBeLessThan(70_000);
  expect(console.at(-1)).toBe('[further output omitted]');
});

test('ends a cancelled run at once, with its call and its process', async () => {
  for (const code of ['while True: pass', 'await call_tool("never")']) {
    const controller = new AbortController();
    const before = harness.called.length;
    const run = harness.error(`await call_tool("echo")\n${code}`, { ...python, signal: controller.signal });
    await expect.poll(() => harness.called.length).toBeGreaterThan(before);
    controller.abort();
    expect(await run).toEqual({ code: 'CANCELLED', message: 'The run was cancelled.' });
    await expect.poll(() => harness.sandbox.processes).toBe(0);
  }
});

test('ends running code when it closes', async () => {
  const other = new Harness();
  const run = other.error('while True: pass', python);
  await expect.poll(() => other.sandbox.processes).toBe(1);
  await other.sandbox.close();
  expect(await run).toMatchObject({ code: 'CANCELLED' });
  expect(other.sandbox.processes).toBe(0);
});

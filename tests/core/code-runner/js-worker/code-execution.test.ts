/** The style of `code_execution`: synchronous calls, in the envelopes that MCPProxy documents. */
import { expect, test } from 'vitest';
import { AppError } from '../../../../src-main/core/base/errors.ts';
import type { CodeRunRequest } from '../../../../src-main/core/code-runner/run-request.ts';
import { Harness, javascript, text } from '../sandbox-harness.ts';

let running = 0;
let mostRunning = 0;
const harness = new Harness(
  {
    busy: async ({ ms, n }) => {
      mostRunning = Math.max(mostRunning, ++running);
      await new Promise((resolve) => setTimeout(resolve, Number(ms)));
      running--;
      return text(String(n));
    },
    denied: () => {
      throw Object.assign(new Error('server not allowed: x'), { code: 'SERVER_NOT_ALLOWED' });
    },
    file: () => ({ ...text('the text'), structuredContent: { content: 'the text', size: 8 } }),
  },
  {},
  javascript,
);
const style: Partial<CodeRunRequest> = { globals: 'code_execution' };
const value = (code: string, request: Partial<CodeRunRequest> = {}): Promise<unknown> =>
  harness.value(code, { ...style, ...request });

test('returns a result without await, and also with it', async () => {
  const code = `const res = call_tool('s', 'echo', { user: input.user });
    const again = await call_tool('s', 'echo', {});
    ({ ok: res.ok && again.ok, user: JSON.parse(res.result.content[0].text).user })`;
  expect(await value(code, { input: { user: 'ada' } })).toEqual({ ok: true, user: 'ada' });
});

test("returns the server's result, and its unwrapped value beside it", async () => {
  const slot = { ok: true, result: text('{"name":"ada"}') };
  expect(await value(`call_tool('s', 'echo', { name: 'ada' })`)).toEqual(slot);
  const code = `const { value, result } = call_tool('s', 'echo', { name: 'ada' }); [value, result.name]`;
  expect(await value(code)).toEqual([{ name: 'ada' }, 'ada']);
});

test('does not hide a member of the result behind a field of the unwrapped value', async () => {
  const code = `const { result } = call_tool('s', 'file', {}); [result.content[0].text, result.size]`;
  expect(await value(code)).toEqual(['the text', 8]);
});

test('returns a failure as a value with a documented code', async () => {
  const envelope = (code: string, message: string): object => ({ ok: false, error: { code, message } });
  const code = `[call_tool('s', 'fail', {}), call_tool('s', 'reject', {}), call_tool('s', 'denied', {}), call_tool('s', 'echo', 5)]`;
  expect(await value(code)).toEqual([
    envelope('UPSTREAM_ERROR', 'the disk\nis full'),
    envelope(
      'UPSTREAM_ERROR',
      new AppError('tool_not_found', 'There is no tool reject.', { fix: 'Search first.' }).text,
    ),
    envelope('SERVER_NOT_ALLOWED', 'server not allowed: x'),
    envelope('INVALID_ARGS', 'call_tool: the arguments must be an object. Use call_tool(name, args).'),
  ]);
});

test('call_tools runs at most max_parallel calls, and keeps their order', async () => {
  const code = `const slots = call_tools([30, 1, 1, 1].map((ms, n) => ({ server: 's', tool: 'busy', args: { ms, n } })), { max_parallel: 2 });
    slots.map((slot) => slot.result.content[0].text)`;
  mostRunning = 0;
  expect(await value(code)).toEqual(['0', '1', '2', '3']);
  expect(mostRunning).toBe(2);
});

test('returns an error that names the element of an invalid batch', async () => {
  const message = expect.stringContaining('element 1') as string;
  const code = `call_tools([{ server: 's', tool: 'echo' }, { server: 's' }])`;
  expect(await value(code)).toEqual({ ok: false, error: { code: 'INVALID_ARGS', message } });
});

test('rejects each call beyond the limit as a value', async () => {
  const code = `const codes = []; for (let i = 0; i < 4; i++) { const r = call_tool('s', 'echo', {}); codes.push(r.ok || r.error.code) } codes`;
  const refused = 'MAX_TOOL_CALLS_EXCEEDED';
  expect(await value(code, { limits: { calls: 2 } })).toEqual([true, true, refused, refused]);
});

test('accepts an unlimited number of calls', async () => {
  const code = `let n = 0; for (let i = 0; i < 120; i++) n += call_tool('s', 'say', { text: '1' }).ok; n`;
  expect(await value(code, { limits: { calls: Infinity } })).toBe(120);
});

test('search and get_schema return without await', async () => {
  const discover = { search: async () => ['found'], schema: async () => ({ type: 'object' }), sql: async () => [] };
  expect(await value(`[search('x')[0], get_schema(['a']).type]`, { discover })).toEqual(['found', 'object']);
});

test('stops code that waits for a tool without a response, and cancels the call', async () => {
  const outcome = await harness.run(`console.log('in'); call_tool('s', 'never', {})`, {
    ...style,
    limits: { timeMs: await harness.shortMs(style) },
  });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'TIMEOUT' }, console: ['in'], calls: 1 });
  expect(harness.called.at(-1)?.signal.aborted).toBe(true);
});

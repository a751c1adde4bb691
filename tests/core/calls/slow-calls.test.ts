/** Calls that take longer than their client app's timeout, with a fake clock. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ResultMemoryQuota, SlowCalls, type SlowCallsOptions } from '../../../src-main/core/calls/slow-calls.ts';
import type { CallerContext } from '../../../src-main/core/calls/call-tool.ts';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { type Result, RpcError } from '../../../src-main/core/wire/message.ts';
import { toObject } from '../../../src-main/core/wire/raw-json.ts';
import { callerOf } from '../../support/caller-of.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limitMs = 50_000;
const minute = 60_000;

function caller(more: Partial<CallerContext> = {}): CallerContext {
  return {
    principal: callerOf('test-app'),
    sessionId: 's1',
    app: 'Cursor',
    mode: 'proxy',
    clientInfo: {},
    clientCapabilities: {},
    signal: new AbortController().signal,
    onLog: () => undefined,
    askClient: () => Promise.reject(new Error('nobody to ask')),
    acceptsInputRequired: false,
    ...more,
  };
}

function slowCalls(more: Partial<SlowCallsOptions> = {}): SlowCalls {
  const awaitLine = (args: JsonObject): string => `await_result ${JSON.stringify(args)}`;
  const putAside = (): Promise<Result> => Promise.reject(new Error('no disk'));
  return new SlowCalls({ limitMs: () => limitMs, quota: new ResultMemoryQuota(), awaitLine, putAside, ...more });
}

interface Begun {
  readonly context: CallerContext;
  readonly again: JsonObject;
  readonly answer: (result: Result) => void;
  readonly fail: (error: Error) => void;
}

/** A call whose result the test sets, and each of its attempts. */
function work(slow: SlowCalls, context: CallerContext = caller()) {
  const tries: Begun[] = [];
  const result = slow.run(
    () => 'git:clone',
    context,
    (own, again) => {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      tries.push({ context: own, again, answer: resolve, fail: reject });
      own.signal.addEventListener('abort', () => reject(new Error(String(own.signal.reason))));
      return promise;
    },
  );
  result.catch(() => undefined);
  const last = (): Begun => tries.at(-1) as Begun;
  return { result, tries, last };
}

/** The handle of a call that has exceeded its limit. */
async function handleOf(result: Promise<Result>): Promise<string> {
  await vi.advanceTimersByTimeAsync(limitMs);
  const meta = toObject(await result)['_meta'] as Record<string, { handle: string }>;
  return String(meta['tooltray/pending']?.handle);
}

function take(
  slow: SlowCalls,
  handle: string,
  more: { waitMs?: number; cancel?: boolean } = {},
  again = {},
  context = caller(),
) {
  const taken = slow.waitFor({ handle, waitMs: more.waitMs, cancel: more.cancel === true }, again, context);
  taken.catch(() => undefined);
  return taken;
}

const done = { content: [{ type: 'text', text: 'done' }] };
const unknown = expect.objectContaining({ code: 'not_found' }) as Error;
const isPending = expect.objectContaining({
  _meta: expect.objectContaining({ 'tooltray/pending': expect.anything() as unknown }) as unknown,
}) as Result;

describe('a call that ends in time', () => {
  test('returns its own result', async () => {
    const { result, last } = work(slowCalls());
    last().answer(done);
    expect(await result).toBe(done);
  });

  test('fails with its own error', async () => {
    const { result, last } = work(slowCalls());
    const refused = new RpcError(-32602, 'bad');
    last().fail(refused);
    await expect(result).rejects.toBe(refused);
  });

  test('is not changed if the client app has no limit', async () => {
    const context = caller();
    const { last } = work(slowCalls({ limitMs: () => undefined }), context);
    expect(last().context).toBe(context);
  });
});

test('hides a handle from other apps, which can neither fetch nor cancel its call', async () => {
  const slow = slowCalls();
  const { result, last } = work(slow);
  const handle = await handleOf(result);
  const other = caller({ principal: callerOf('another-app') });
  const refused = await take(slow, handle, {}, {}, other).catch(String);
  expect(refused).toBe(
    await take(slow, 'nothing', {}, {}, other).catch((error: unknown) => String(error).replace('nothing', handle)),
  );
  await expect(take(slow, handle, { cancel: true }, {}, other)).rejects.toEqual(unknown);
  last().answer(done);
  expect(await take(slow, handle)).toBe(done);
});

test('returns a handle with the tool, its start and its last progress', async () => {
  vi.setSystemTime(new Date('2026-11-21T10:00:00Z'));
  const { result, last } = work(slowCalls(), caller({ onProgress: () => undefined }));
  last().context.onProgress?.({ progress: 3, total: 10, message: 'compiling' });
  const handle = await handleOf(result);
  expect(await result).toEqual({
    content: [
      {
        type: 'text',
        text: `git:clone is still running since 2026-11-21T10:00:00.000Z (50 s): 3 of 10, compiling. Do not call it again. To wait for its result: await_result {"handle":"${handle}"}`,
      },
    ],
    _meta: {
      'tooltray/pending': {
        handle,
        tool: 'git:clone',
        since: '2026-11-21T10:00:00.000Z',
        seconds: 50,
        progress: '3 of 10, compiling',
      },
    },
  });
});

test('notifies the session once that a call is pending, and holds its id while the call runs', async () => {
  const slow = slowCalls();
  const held: Promise<unknown>[] = [];
  const onToolsChanged = vi.fn();
  const context = caller({ onToolsChanged, holdSession: (until) => void held.push(until) });
  const [first, second] = [work(slow, context), work(slow, context)];
  await handleOf(first.result);
  await second.result;
  expect(onToolsChanged).toHaveBeenCalledTimes(1);
  let free = 0;
  for (const one of held) void one.then(() => (free += 1));
  first.last().answer(done);
  await vi.advanceTimersByTimeAsync(0);
  expect([held.length, free]).toEqual([2, 1]);
});

test("returns the awaited call's handle, not a new one, when waiting for it exceeds the limit", async () => {
  const slow = slowCalls();
  const handle = await handleOf(work(slow).result);
  // Through a helper tool, whose context is a copy, the wait starts after a fifth of the time.
  const wrapped = slow.run(
    () => 'call_tool',
    caller(),
    async (own) => {
      await new Promise((resolve) => setTimeout(resolve, limitMs / 5));
      return slow.waitFor({ handle, waitMs: undefined, cancel: false }, {}, { ...own });
    },
  );
  await vi.advanceTimersByTimeAsync(2 * limitMs);
  expect(toObject(await wrapped)['_meta']).toMatchObject({ 'tooltray/pending': { handle } });
});

test('waits for the call if the handle cannot be used', async () => {
  const { result, last } = work(slowCalls({ awaitLine: () => undefined }));
  await vi.advanceTimersByTimeAsync(10 * limitMs);
  last().answer(done);
  expect(await result).toBe(done);
});

describe('waiting', () => {
  test('returns the result to all waiters, and to those that come within five minutes', async () => {
    const slow = slowCalls();
    const { result, last } = work(slow);
    const handle = await handleOf(result);
    const waits = [take(slow, handle), take(slow, handle)];
    last().answer(done);
    expect(await Promise.all(waits)).toEqual([done, done]);
    await vi.advanceTimersByTimeAsync(4 * minute);
    expect(await take(slow, handle)).toBe(done);
    await vi.advanceTimersByTimeAsync(5 * minute);
    await expect(take(slow, handle)).rejects.toEqual(unknown);
  });

  test("ends after the requested time, and before the client app's limit", async () => {
    const slow = slowCalls();
    const handle = await handleOf(work(slow).result);
    const [short, long] = [take(slow, handle, { waitMs: 1000 }), take(slow, handle, { waitMs: 10 * minute })];
    await vi.advanceTimersByTimeAsync(1000);
    expect(await short).toEqual(isPending);
    await vi.advanceTimersByTimeAsync(limitMs - 2000);
    expect(await long).toEqual(isPending);
  });

  test('returns a failure as an error result', async () => {
    const slow = slowCalls();
    const { result, last } = work(slow);
    const handle = await handleOf(result);
    last().fail(new RpcError(-32000, 'disk full'));
    expect(await take(slow, handle)).toEqual({
      content: [{ type: 'text', text: 'disk full (code -32000)' }],
      isError: true,
    });
  });

  test('can be cancelled without cancelling the call', async () => {
    const slow = slowCalls();
    const { result, last } = work(slow);
    const handle = await handleOf(result);
    const waiter = new AbortController();
    const wait = take(slow, handle, {}, {}, caller({ signal: waiter.signal }));
    waiter.abort('enough');
    await expect(wait).rejects.toMatchObject({ code: 'cancelled' });
    expect(last().context.signal.aborted).toBe(false);
  });

  test('can cancel the call', async () => {
    const slow = slowCalls();
    const { result, last } = work(slow);
    const handle = await handleOf(result);
    const other = take(slow, handle);
    expect(JSON.stringify(await take(slow, handle, { cancel: true }))).toContain('git:clone was cancelled');
    expect(last().context.signal.aborted).toBe(true);
    expect(await other).toMatchObject({ isError: true });
    await expect(take(slow, handle)).rejects.toEqual(unknown);
  });

  test('returns the result of a call that ended before it could be cancelled', async () => {
    const slow = slowCalls();
    const { result, last } = work(slow);
    const handle = await handleOf(result);
    last().answer(done);
    await vi.advanceTimersByTimeAsync(0);
    expect(await take(slow, handle, { cancel: true })).toBe(done);
  });
});

describe('an unattended call', () => {
  test('is cancelled one hour after the last wait', async () => {
    const slow = slowCalls();
    const { result, last } = work(slow);
    const handle = await handleOf(result);
    await vi.advanceTimersByTimeAsync(50 * minute);
    void take(slow, handle, { waitMs: 0 });
    await vi.advanceTimersByTimeAsync(50 * minute);
    expect(last().context.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(11 * minute);
    expect(last().context.signal.aborted).toBe(true);
  });

  test('retains its result for half an hour', async () => {
    const slow = slowCalls();
    const [one, two] = [work(slow), work(slow)];
    const first = await handleOf(one.result);
    const second = await handleOf(two.result);
    one.last().answer(done);
    await vi.advanceTimersByTimeAsync(29 * minute);
    two.last().answer(done);
    expect(await take(slow, first)).toBe(done);
    await vi.advanceTimersByTimeAsync(31 * minute);
    await expect(take(slow, second)).rejects.toEqual(unknown);
  });

  test('is cancelled when its session ends', async () => {
    const slow = slowCalls();
    const { result, last } = work(slow);
    await handleOf(result);
    slow.end();
    expect(last().context.signal.aborted).toBe(true);
  });
});

describe('limits', () => {
  test('give no handle to a call beyond 32 until one is fetched', async () => {
    const slow = slowCalls();
    const first = work(slow);
    const handle = await handleOf(first.result);
    const others = Array.from({ length: 31 }, () => work(slow));
    await Promise.all([vi.advanceTimersByTimeAsync(limitMs), ...others.map(({ result }) => result)]);
    const late = work(slow);
    const settled = vi.fn();
    late.result.then(settled, settled);
    await vi.advanceTimersByTimeAsync(limitMs);
    expect(settled).not.toHaveBeenCalled();
    first.last().answer(done);
    await take(slow, handle);
    expect(await handleOf(work(slow).result)).toMatch(/^[\w-]{22}$/);
    await expect(take(slow, handle)).rejects.toEqual(unknown);
  });

  test.each([
    [
      'and cannot be spilled is lost with an error',
      () => Promise.reject(new Error('The disk is full.')),
      { isError: true, content: [{ text: expect.stringContaining('could not be stored') as string }] },
    ],
    ['is spilled', () => Promise.resolve({ content: ['on disk'] }), { content: ['on disk'] }],
  ])('of memory: a result that does not fit %s', async (_what, putAside, expected) => {
    const slow = slowCalls({ quota: new ResultMemoryQuota(10), putAside });
    const { result, last } = work(slow);
    const handle = await handleOf(result);
    last().answer(done);
    await vi.advanceTimersByTimeAsync(0);
    expect(await take(slow, handle)).toMatchObject(expected);
  });

  test('of memory do not end a call that asks a question', async () => {
    const slow = slowCalls({ quota: new ResultMemoryQuota(10) });
    const { result, last } = work(slow);
    const handle = await handleOf(result);
    const question = { resultType: 'input_required', inputRequests: {}, requestState: 'theirs' };
    last().answer(question);
    await vi.advanceTimersByTimeAsync(0);
    expect(await take(slow, handle)).toBe(question);
  });

  test('of memory do not apply to a result that is waited for', async () => {
    const slow = slowCalls({ quota: new ResultMemoryQuota(10) });
    const { result, last } = work(slow);
    const handle = await handleOf(result);
    const wait = take(slow, handle);
    last().answer(done);
    expect(await wait).toBe(done);
    await expect(take(slow, handle)).rejects.toEqual(unknown);
  });

  test('of memory are freed when a result is dropped', async () => {
    const room = new ResultMemoryQuota(100);
    const slow = slowCalls({ quota: room });
    const { result, last } = work(slow);
    await handleOf(result);
    last().answer(done);
    await vi.advanceTimersByTimeAsync(0);
    expect(room.reserve(100)).toBe(false);
    slow.end();
    expect(room.reserve(100)).toBe(true);
  });
});

describe('a question of a server', () => {
  test('is put to the next waiter if nobody waits', async () => {
    const slow = slowCalls();
    const { result, last } = work(slow);
    const handle = await handleOf(result);
    const asked = last().context.askClient('roots/list', {}, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(4 * minute);
    void take(slow, handle, {}, {}, caller({ askClient: async () => ({ roots: ['mine'] }) }));
    expect(await asked).toEqual({ roots: ['mine'] });
  });

  test('is rejected after five minutes without a waiter', async () => {
    const slow = slowCalls();
    const { result, last } = work(slow);
    await handleOf(result);
    const asked = last().context.askClient('roots/list', {}, new AbortController().signal);
    const refused = expect(asked).rejects.toThrow(
      'was not forwarded: the client has not polled the call for 5 minutes.',
    );
    await vi.advanceTimersByTimeAsync(5 * minute);
    await refused;
  });

  test('stops the time limit until it is answered in the stateless protocol', async () => {
    const person = Promise.withResolvers<Result>();
    const { result, last } = work(slowCalls(), caller({ acceptsInputRequired: true, askClient: () => person.promise }));
    const settled = vi.fn();
    result.then(settled, settled);
    const asked = last().context.askClient('elicitation/create', {}, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(5 * limitMs);
    person.resolve({ action: 'accept' });
    await asked;
    await vi.advanceTimersByTimeAsync(limitMs - 1);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await result).toEqual(isPending);
  });

  test('is returned from the wait as input_required, and its response starts the next try', async () => {
    const slow = slowCalls();
    const { result, tries, last } = work(slow, caller({ acceptsInputRequired: true }));
    const handle = await handleOf(result);
    const input = { resultType: 'input_required', inputRequests: {}, requestState: 'theirs' };
    last().answer(input);
    expect(await take(slow, handle)).toBe(input);
    expect(await take(slow, handle)).toBe(input);
    const again = { inputResponses: { a: {} }, requestState: 'theirs' };
    const wait = take(slow, handle, {}, again);
    expect(tries.map((one) => one.again)).toEqual([{}, again]);
    last().answer(done);
    expect(await wait).toBe(done);
  });
});

const knows = caller({
  acceptsInputRequired: true,
  clientCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
});

describe('a slow call as a task', () => {
  async function listenedTask(slow: SlowCalls) {
    const { result, last } = work(slow, knows);
    await vi.advanceTimersByTimeAsync(limitMs);
    const taskId = String(toObject(await result)['taskId']);
    const told: JsonObject[] = [];
    const stop = slow.findTask(taskId, knows)?.subscribe((state) => void told.push(state));
    return { taskId, last, told, stop: () => stop?.() };
  }
  const look = (slow: SlowCalls, taskId: string) => slow.task('tasks/get', { taskId }, knows);

  test('reports each status to listeners, equal to tasks/get', async () => {
    const slow = slowCalls();
    const { taskId, last, told } = await listenedTask(slow);
    const asked = last().context.askClient('elicitation/create', { message: 'Who?' }, new AbortController().signal);
    expect(told).toEqual([await look(slow, taskId)]);
    const [key = ''] = Object.keys(told[0]?.['inputRequests'] as JsonObject);
    await slow.task('tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } }, knows);
    expect(await asked).toEqual({ action: 'decline' });
    last().answer(done);
    await vi.advanceTimersByTimeAsync(0);
    expect(told.map(({ status }) => status)).toEqual(['input_required', 'working', 'completed']);
    expect(told[2]).toEqual(await look(slow, taskId));
  });

  test('reports its status at once to new listeners, not to former ones, and hides from other apps', async () => {
    const slow = slowCalls();
    const { taskId, last, told, stop } = await listenedTask(slow);
    stop();
    last().answer(done);
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toEqual([]);
    slow.findTask(taskId, knows)?.subscribe((state) => void told.push(state));
    expect(told).toEqual([expect.objectContaining({ taskId, status: 'completed', result: done })]);
    expect(slow.findTask(taskId, { ...knows, principal: callerOf('another-app') })).toBeUndefined();
  });

  test('reports its cancellation once, and does not expire while somebody listens', async () => {
    const slow = slowCalls();
    const { taskId, last, told } = await listenedTask(slow);
    void last()
      .context.askClient('roots/list', {}, new AbortController().signal)
      .catch(() => undefined);
    await vi.advanceTimersByTimeAsync(3 * 60 * minute);
    await slow.task('tasks/cancel', { taskId }, knows);
    expect(told.map(({ status }) => status)).toEqual(['input_required', 'cancelled']);
  });

  test('gives each question a unique key, and goes on when all are answered', async () => {
    const slow = slowCalls();
    const { taskId, last, told } = await listenedTask(slow);
    const update = (inputResponses: JsonObject) => slow.task('tasks/update', { taskId, inputResponses }, knows);
    const input = { resultType: 'input_required', inputRequests: { who: { n: 1 }, why: { n: 2 } }, requestState: 's' };
    last().answer(input);
    await vi.advanceTimersByTimeAsync(0);
    await update({ nobody: {}, who: { said: 1 } });
    expect(last().again).toEqual({});
    expect(await look(slow, taskId)).toMatchObject({ status: 'input_required', inputRequests: { why: { n: 2 } } });
    await update({ who: { said: 'again' }, why: { said: 2 } });
    expect(last().again).toEqual({ inputResponses: { who: { said: 1 }, why: { said: 2 } }, requestState: 's' });
    last().answer({ ...input, inputRequests: { who: { n: 3 } } });
    await vi.advanceTimersByTimeAsync(0);
    await update({ who: { said: 'of before' } });
    const [key = ''] = Object.keys((await look(slow, taskId))?.['inputRequests'] as JsonObject);
    expect(key).not.toBe('who');
    await update({ [key]: { said: 3 } });
    expect(last().again).toMatchObject({ inputResponses: { who: { said: 3 } } });
    const keys = told.map(({ inputRequests }) => Object.keys((inputRequests ?? {}) as JsonObject));
    expect(keys).toEqual([['who', 'why'], ['why'], [], [key], []]);
  });

  test('reports when its status last changed', async () => {
    const slow = slowCalls();
    const { taskId, last } = await listenedTask(slow);
    const before = await look(slow, taskId);
    await vi.advanceTimersByTimeAsync(minute);
    expect((await look(slow, taskId))?.['lastUpdatedAt']).toBe(before?.['lastUpdatedAt']);
    last().answer(done);
    await vi.advanceTimersByTimeAsync(0);
    const over = (await look(slow, taskId))?.['lastUpdatedAt'];
    await vi.advanceTimersByTimeAsync(minute);
    expect([over, (await look(slow, taskId))?.['lastUpdatedAt']]).toEqual([
      new Date(Date.now() - minute).toISOString(),
      over,
    ]);
  });

  test('fails with the protocol error of the call, passed on unchanged', async () => {
    const slow = slowCalls();
    const { taskId, last, told } = await listenedTask(slow);
    last().fail(new RpcError(-32602, 'no such branch', { branch: 'x' }));
    await vi.advanceTimersByTimeAsync(0);
    const error = { code: -32602, message: 'no such branch', data: { branch: 'x' } };
    expect(told).toEqual([expect.objectContaining({ status: 'failed', statusMessage: 'no such branch', error })]);
    expect(await look(slow, taskId)).toEqual(told[0]);
  });
});

describe('a withdrawn question', () => {
  async function stateOf(slow: SlowCalls, taskId: string): Promise<JsonObject | undefined> {
    const looked = slow.task('tasks/get', { taskId }, knows);
    await vi.advanceTimersByTimeAsync(50);
    return looked;
  }

  async function askedTask(slow: SlowCalls) {
    const { result, last } = work(slow, knows);
    await vi.advanceTimersByTimeAsync(limitMs);
    const taskId = String(toObject(await result)['taskId']);
    const server = new AbortController();
    const asked = last().context.askClient('elicitation/create', { message: 'Who?' }, server.signal);
    const told = asked.then(
      () => 'answered',
      (error: Error) => error.message,
    );
    expect(await stateOf(slow, taskId)).toMatchObject({ status: 'input_required' });
    return { taskId, server, told };
  }

  test("is removed from its task, and the server's request is rejected", async () => {
    const slow = slowCalls();
    const { taskId, server, told } = await askedTask(slow);
    server.abort('changed its mind');
    expect(await told).toBe('Cancelled: changed its mind.');
    expect(await stateOf(slow, taskId)).toMatchObject({ status: 'working' });
  });

  test('is rejected when its task is cancelled', async () => {
    const slow = slowCalls();
    const { taskId, told } = await askedTask(slow);
    await slow.task('tasks/cancel', { taskId }, knows);
    expect(await told).toBe('Cancelled: cancelled as a task.');
  });

  test('is not put to a later waiter', async () => {
    const slow = slowCalls();
    const { result, last } = work(slow);
    const handle = await handleOf(result);
    const server = new AbortController();
    const asked = last().context.askClient('roots/list', {}, server.signal);
    const refused = expect(asked).rejects.toThrow('changed its mind');
    server.abort('changed its mind');
    await refused;
    const askClient = vi.fn(() => Promise.resolve({ roots: [] }));
    void take(slow, handle, {}, {}, caller({ askClient }));
    expect(askClient).not.toHaveBeenCalled();
  });
});

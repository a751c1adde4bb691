import { afterEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { parseJson } from '../../../src-main/core/base/json.ts';
import type { Result } from '../../../src-main/core/wire/message.ts';
import { RpcError } from '../../../src-main/core/wire/message.ts';
import { toErrorBody } from '../../../src-main/core/wire/peer.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';
import { peerPair, settled } from './peer-pair.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** The outcome of a promise, as a value. */
const outcome = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => value,
    (error: unknown) => error,
  );

const cancelled = (text: RegExp): unknown =>
  expect.objectContaining({ code: 'cancelled', message: expect.stringMatching(text) as string });

describe('responses to own requests', () => {
  test('resolve the request with their id, in any order', async () => {
    const { peer, line } = await peerPair();
    const asked = [peer.request('a', { x: 1 }), peer.request('b', undefined)];
    expect(line.sent).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a', params: { x: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'b', params: undefined },
    ]);
    line.says({ id: 2, result: { second: true } });
    line.says({ id: 1, result: { first: true } });
    expect(await Promise.all(asked)).toEqual([{ first: true }, { second: true }]);
    expect(peer.inFlight).toBe(0);
  });

  test('are awaited alone or with others, so that a single request is sent at once', async () => {
    const { peer, line } = await peerPair();
    const alone = (): readonly unknown[] => line.options.map((options) => options?.alone);
    const asked = [peer.request('a', {}), peer.request('b', {})];
    expect(alone()).toEqual([true, false]);
    for (const id of [1, 2]) line.says({ id, result: {} });
    await Promise.all(asked);
    void peer.request('c', {});
    expect(alone()).toEqual([true, false, true]);
  });

  test('count once, and unknown or repeated ones are reported', async () => {
    const { peer, line, oddities } = await peerPair();
    const asked = peer.request('a', {});
    for (const id of [7, '01', null]) line.says({ id, result: {} });
    line.says({ id: 1, result: { right: true } });
    line.says({ id: 1, result: { again: true } });
    line.says({ id: 1, error: { code: 1, message: 'late' } });
    expect(await asked).toEqual({ right: true });
    expect(oddities.map((text) => /request (\S+),/.exec(text)?.[1])).toEqual(['7', '"01"', 'null', '1', '1']);
  });

  test.each([['"1"'], ['1.0'], ['1e0']])('are accepted under the id %s, another spelling of 1', async (id) => {
    const { peer, line } = await peerPair();
    const [asked, failing] = [peer.request('a', {}), peer.request('b', {})];
    line.says(parseJson(`{"id":${id},"result":{"right":true}}`) as object);
    line.says(parseJson(`{"id":${id.replace('1', '2')},"error":{"code":-32000,"message":"no"}}`) as object);
    expect(await Promise.all([asked, outcome(failing)])).toMatchObject([{ right: true }, { code: -32000 }]);
  });

  test('with an error reject with its code, message and data', async () => {
    const { peer, line } = await peerPair();
    const asked = outcome(peer.request('a', {}));
    line.says({ id: 1, error: { code: -32042, message: 'Sign in.', data: { elicitations: [1] } } });
    expect(await asked).toMatchObject({
      name: 'RpcError',
      code: -32042,
      message: 'Sign in.',
      data: { elicitations: [1] },
    });
  });

  test.each([{}, { code: 'E_BAD' }, { message: 5 }, 'text', 7, false])(
    'with a malformed error (%j) reject as well',
    async (error) => {
      const { peer, line } = await peerPair();
      const asked = outcome(peer.request('a', {}));
      line.says({ id: 1, error });
      expect(await asked).toMatchObject({ name: 'RpcError', code: -32603 });
    },
  );

  test.each(['text', 5, [[{}]], true, undefined])(
    'with a result that is not an object (%j) are rejected',
    async (result) => {
      const { peer, line } = await peerPair();
      const asked = outcome(peer.request('tools/call', {}));
      line.says({ id: 1, result });
      expect(await asked).toMatchObject({
        code: 'server_protocol',
        message: expect.stringContaining('tools/call') as string,
      });
    },
  );

  test.each([
    { result: { a: 1 }, error: null },
    { result: { a: 1 }, error: undefined },
  ])('with an empty error (%j) resolve with the result', async (answer) => {
    const { peer, line } = await peerPair();
    const asked = peer.request('a', {});
    line.says({ id: 1, ...answer });
    expect(await asked).toEqual({ a: 1 });
  });

  test.each([{ result: null }, { result: null, error: null }])(
    'without content (%j) resolve with an empty result',
    async (answer) => {
      const { peer, line } = await peerPair();
      const asked = peer.request('ping', {});
      line.says({ id: 1, ...answer });
      expect(await asked).toEqual({});
    },
  );

  test('with neither result nor error are rejected', async () => {
    const { peer, line } = await peerPair();
    const asked = outcome(peer.request('a', {}));
    line.says({ id: 1, error: null });
    expect(await asked).toMatchObject({ code: 'server_protocol' });
  });

  test('with raw bytes resolve with the bytes', async () => {
    const { peer, line } = await peerPair();
    const raw = new RawJson([Buffer.from('{"a":1}')]);
    const asked = peer.request('a', {});
    line.says({ id: 1, result: raw });
    expect(await asked).toBe(raw);
  });

  test('use ids after firstId, which each request gets before it is sent', async () => {
    const { peer, line } = await peerPair(undefined, { firstId: 5_000_000 });
    const told: [number, number][] = [];
    for (let i = 0; i < 2; i++) void peer.request('a', {}, { onId: (id) => told.push([id, line.sent.length]) });
    expect(told).toEqual([
      [5_000_001, 0],
      [5_000_002, 1],
    ]);
  });
});

describe('cancelling an own request', () => {
  test('notifies the other side once and drops the late response', async () => {
    const { peer, line, oddities } = await peerPair();
    const stop = new AbortController();
    const asked = outcome(peer.request('a', {}, { signal: stop.signal, relatedRequestId: 'theirs' }));
    stop.abort('enough');
    expect(await asked).toEqual(cancelled(/enough/));
    line.says({ id: 1, result: {} });
    expect(line.sent.slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 1, reason: expect.stringContaining('enough') as string },
      },
    ]);
    expect(line.options[1]?.relatedRequestId).toBe('theirs');
    expect([oddities.length, peer.inFlight]).toEqual([1, 0]);
  });

  test('only aborts the signal if the transport prefers that', async () => {
    const { peer, line } = await peerPair();
    const stop = new AbortController();
    const asked = outcome(peer.request('a', {}, { signal: stop.signal, cancelBy: 'signal' }));
    expect(line.options[0]?.signal?.aborted).toBe(false);
    stop.abort();
    expect(await asked).toEqual(cancelled(/cancelled/));
    expect([line.sent.length, line.options[0]?.signal?.aborted]).toEqual([1, true]);
  });

  test('sends nothing if it happens before the request was sent', async () => {
    const { peer, line } = await peerPair();
    expect(await outcome(peer.request('a', {}, { signal: AbortSignal.abort('too late') }))).toEqual(
      cancelled(/too late/),
    );
    expect(line.sent).toEqual([]);
  });

  test('does nothing after the response', async () => {
    const { peer, line } = await peerPair();
    const stop = new AbortController();
    const asked = peer.request('a', {}, { signal: stop.signal });
    line.says({ id: 1, result: {} });
    await asked;
    stop.abort();
    expect(line.sent).toHaveLength(1);
  });
});

describe('time limits', () => {
  test('cancel a request without a response in time, and notify the other side', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { peer, line } = await peerPair();
    const asked = outcome(peer.request('tools/call', {}, { timeoutMs: 60_000 }));
    vi.advanceTimersByTime(60_000);
    expect(await asked).toMatchObject({ code: 'call_timeout', message: 'No response to tools/call within 60 s.' });
    expect(line.sent[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } });
  });

  test('are reset by progress, even without a listener', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { peer, line } = await peerPair();
    let done = false;
    const asked = outcome(peer.request('a', {}, { timeoutMs: 1000 })).then((value) => ((done = true), value));
    for (let i = 0; i < 5; i++) {
      await vi.advanceTimersByTimeAsync(900);
      line.says({ method: 'notifications/progress', params: { progressToken: 1, progress: i } });
    }
    line.says({ method: 'notifications/progress', params: { progressToken: 2, progress: 1 } });
    await vi.advanceTimersByTimeAsync(999);
    expect(done).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await asked).toMatchObject({ code: 'call_timeout' });
  });

  test('leave no timer after the peer is closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { peer, line } = await peerPair();
    const asked = peer.request('a', {}, { timeoutMs: 1000 });
    line.says({ id: 1, result: {} });
    await asked;
    await peer.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('progress', () => {
  test('is requested under an own token and passed on unchanged', async () => {
    const { peer, line } = await peerPair();
    const seen: unknown[] = [];
    void peer.request(
      'a',
      { x: 1, _meta: { vendor: 1, progressToken: 'theirs' } },
      { onProgress: (params) => seen.push(params) },
    );
    expect(line.sent[0]).toMatchObject({ params: { x: 1, _meta: { vendor: 1, progressToken: 1 } } });
    const progress = { progressToken: 1, progress: 0.5, message: 'half', vendor: [1] };
    line.says({ method: 'notifications/progress', params: progress });
    line.says({ method: 'notifications/progress', params: { progressToken: 'theirs', progress: 1 } });
    line.says({ method: 'notifications/progress' });
    expect(seen).toEqual([progress]);
  });

  test.each([['"1"'], ['1.0']])('is accepted under the token %s, another spelling of 1', async (token) => {
    const { peer, line } = await peerPair();
    const seen: unknown[] = [];
    void peer.request('a', {}, { onProgress: ({ progress }) => seen.push(progress) });
    const params = `{"progressToken":${token},"progress":3}`;
    line.says(parseJson(`{"method":"notifications/progress","params":${params}}`) as object);
    expect(seen).toEqual([3]);
  });

  test('is dropped after the response', async () => {
    const { peer, line, heard } = await peerPair();
    const seen: unknown[] = [];
    const asked = peer.request('a', {}, { onProgress: (params) => seen.push(params) });
    line.says({ id: 1, result: {} });
    await asked;
    line.says({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } });
    expect([seen, heard]).toEqual([[], []]);
  });
});

describe('requests of the other side', () => {
  test('that are large are handled in a later turn, and not at all if they are cancelled before', async () => {
    const handled: unknown[] = [];
    const { line } = await peerPair((_method, { name }) => {
      handled.push(name);
      return Promise.resolve({});
    });
    for (const id of [1, 2]) line.says({ id, method: 'tools/call', params: { name: id } }, { isLarge: true });
    line.says({ method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(handled).toEqual([]);
    await settled();
    await settled();
    expect(handled).toEqual([2]);
  });

  test.each([0, 'zero', '', -1, 'x'.repeat(1000)])('get a response under their id %j', async (id) => {
    const { line } = await peerPair(async (method, params, context) => ({ method, params, id: context.id }));
    line.says({ id, method: 'ask', params: { a: 1 } });
    await settled();
    expect(line.sent).toEqual([{ jsonrpc: '2.0', id, result: { method: 'ask', params: { a: 1 }, id } }]);
    expect(line.options[0]?.relatedRequestId).toBe(id);
  });

  test.each([[undefined], [[1]], ['text'], [null]])('with the params %j get empty params', async (params) => {
    const { line } = await peerPair(async (_method, given) => ({ given }));
    line.says({ id: 1, method: 'ask', params });
    await settled();
    expect(line.sent).toMatchObject([{ result: { given: {} } }]);
  });

  test('get the error of a handler that throws or rejects', async () => {
    const failure = new RpcError(-32601, 'no', { a: 1 });
    const { line } = await peerPair((method) => {
      if (method === 'now') throw failure;
      return Promise.reject(failure);
    });
    line.says({ id: 1, method: 'now' });
    line.says({ id: 2, method: 'later' });
    await settled();
    const error = { code: -32601, message: 'no', data: { a: 1 } };
    expect(line.sent).toEqual([
      { jsonrpc: '2.0', id: 1, error },
      { jsonrpc: '2.0', id: 2, error },
    ]);
  });

  test.each([
    ['answered', async (wait: Promise<void>) => wait.then(() => ({}))],
    ['failed', async (wait: Promise<void>) => wait.then(() => Promise.reject(new Error('x')))],
  ])(
    'get no response if they are cancelled and then %s',
    async (_what, work: (wait: Promise<void>) => Promise<Result>) => {
      const go = Promise.withResolvers<void>();
      const signals: AbortSignal[] = [];
      const { line } = await peerPair((_method, _params, { signal }) => {
        signals.push(signal);
        return work(go.promise);
      });
      for (const id of [0, '0']) line.says({ id, method: 'ask' });
      line.says({ method: 'notifications/cancelled', params: { requestId: 0, reason: 'enough' } });
      go.resolve();
      await settled();
      expect(signals.map((signal) => [signal.aborted, signal.reason as unknown])).toEqual([
        [true, 'enough'],
        [false, undefined],
      ]);
      expect(line.sent.map((message) => 'id' in message && message.id)).toEqual(['0']);
    },
  );

  test.each([
    [7, '7'],
    ['7', 7],
    [7, JSON.rawJSON('7.0')],
  ])('with the id %j are cancelled under %j', async (id, requestId) => {
    const signals: AbortSignal[] = [];
    const { line } = await peerPair((_method, _params, { signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    line.says({ id, method: 'ask' });
    line.says({ method: 'notifications/cancelled', params: { requestId } });
    await settled();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('ignore a cancellation of an unknown or completed request', async () => {
    const { line, heard, oddities } = await peerPair();
    line.says({ id: 1, method: 'ask' });
    await settled();
    for (const params of [{ requestId: 1 }, { requestId: 'x' }, {}, undefined, null, 'text']) {
      line.says({ method: 'notifications/cancelled', params });
    }
    expect([line.sent.length, heard, oddities]).toEqual([1, [], []]);
  });

  test('report a response that cannot be sent, and continue', async () => {
    const { line, oddities } = await peerPair();
    line.broken = new Error('pipe is gone');
    line.says({ id: 1, method: 'ask' });
    await settled();
    line.broken = undefined;
    line.says({ id: 2, method: 'ask' });
    await settled();
    expect([oddities, line.sent.length]).toEqual([['pipe is gone'], 1]);
  });
});

test('passes on notifications of any method with an object as params', async () => {
  const { line, heard } = await peerPair();
  line.says({ method: 'notifications/vendor', params: { deep: [1] } });
  for (const params of [undefined, null, [1], 'text']) line.says({ method: 'x', params });
  expect(heard).toEqual([['notifications/vendor', { deep: [1] }], ...Array.from({ length: 4 }, () => ['x', {}])]);
});

describe('when the connection ends', () => {
  test('rejects own requests once with the reason, aborts those of the other side and sends nothing', async () => {
    let theirs: AbortSignal | undefined;
    const go = Promise.withResolvers<void>();
    const { peer, line, closings } = await peerPair(async (_method, _params, { signal }) => {
      theirs = signal;
      await go.promise;
      return {};
    });
    const settledTimes = [0, 0];
    const asked = settledTimes.map((_, i) => outcome(peer.request('a', {})).finally(() => settledTimes[i]!++));
    line.says({ id: 9, method: 'ask' });
    const reason = new AppError('server_exited', 'It exited.');
    line.ends(reason);
    line.ends(new Error('again'));
    line.says({ id: 1, result: {} });
    go.resolve();
    expect(await Promise.all(asked)).toEqual([reason, reason]);
    await settled();
    expect([settledTimes, closings, peer.inFlight]).toEqual([[1, 1], [reason], 0]);
    expect([theirs?.aborted, theirs?.reason as unknown]).toEqual([true, 'disconnected']);
    expect(line.sent).toHaveLength(2);
  });

  test('rejects later requests with the same reason and drops later notifications', async () => {
    const { peer, line } = await peerPair();
    const reason = new Error('gone');
    line.ends(reason);
    expect(await outcome(peer.request('a', {}))).toBe(reason);
    peer.notify('x');
    expect(line.sent).toEqual([]);
  });

  test('cancels waiting requests and closes the transport if it is closed by itself', async () => {
    const { peer, line, closings } = await peerPair();
    const asked = outcome(peer.request('a', {}));
    await peer.close();
    expect(await asked).toEqual(cancelled(/closed/));
    line.ends(new Error('as a consequence'));
    expect([line.closes, closings]).toEqual([1, [undefined]]);
  });

  test('rejects a request that cannot be sent with the reason', async () => {
    const { peer, line } = await peerPair();
    line.broken = new Error('EPIPE');
    expect(await outcome(peer.request('a', {}))).toBe(line.broken);
    expect(peer.inFlight).toBe(0);
  });
});

test.each([
  [new RpcError(-32002, 'not here', { uri: 'x' }), { code: -32002, message: 'not here', data: { uri: 'x' } }],
  [new RpcError(5, 'no data'), { code: 5, message: 'no data' }],
  [
    new AppError('bad_request', 'Wrong.', { fix: 'Mend it.', data: { at: 1 } }),
    { code: -32602, message: 'Wrong. Mend it.', data: { code: 'bad_request', at: 1 } },
  ],
  [new AppError('cancelled', 'Stop.'), { code: -32000, message: 'Stop.', data: { code: 'cancelled' } }],
  [new AppError('server_exited', 'Gone.'), { code: -32603, message: 'Gone.', data: { code: 'server_exited' } }],
  [new TypeError('x'), { code: -32603, message: 'x' }],
  ['text', { code: -32603, message: 'text' }],
])('serializes %s as %j', (error, body) => {
  expect(toErrorBody(error)).toEqual(body);
});

describe('open requests of the other side', () => {
  const ping = { method: 'ping' };

  test('pause reading at the limit until half of them are completed, whatever their ids', async () => {
    const answers: (() => void)[] = [];
    const onRequest = () => new Promise<object>((resolve) => answers.push(() => resolve({})));
    const { line } = await peerPair(onRequest as never, { open: { most: 4, beyond: 'hold' } });
    for (const id of ['one', 'one', 'one', 'one']) line.says({ id, ...ping });
    expect(line.holds).toEqual([true]);
    answers[0]?.();
    await settled();
    expect(line.holds).toEqual([true]);
    for (const answer of answers) answer();
    await settled();
    expect(line.holds).toEqual([true, false]);
  });

  test('include those with an unsent response', async () => {
    const { line } = await peerPair(undefined, { open: { most: 4, beyond: 'hold' } });
    line.send = () => new Promise(() => undefined);
    for (let id = 0; id < 4; id++) line.says({ id, ...ping });
    await settled();
    expect(line.holds).toEqual([true]);
  });

  test('are rejected beyond the limit in refuse mode, and open ones can still be cancelled', async () => {
    const aborted: unknown[] = [];
    const onRequest = (_method: string, _params: object, { signal }: { signal: AbortSignal }) =>
      new Promise<object>((resolve) =>
        signal.addEventListener('abort', () => {
          aborted.push(signal.reason);
          resolve({});
        }),
      );
    const { line } = await peerPair(onRequest as never, { open: { most: 2, beyond: 'refuse' } });
    for (const id of [1, 2, 3]) line.says({ id, ...ping });
    await settled();
    expect(line.sent).toMatchObject([{ id: 3, error: { data: { code: 'session_limit' } } }]);
    line.says({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } });
    await settled();
    line.says({ id: 4, ...ping });
    await settled();
    expect([aborted, line.sent.length, line.holds]).toEqual([['enough'], 1, []]);
  });
});

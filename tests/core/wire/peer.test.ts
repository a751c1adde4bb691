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

describe('answers to our requests', () => {
  test('go to the request they answer, in whatever order they come', async () => {
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

  test('are waited for alone or in company: the line is told which, so that a lone request leaves at once', async () => {
    const { peer, line } = await peerPair();
    const alone = (): readonly unknown[] => line.options.map((options) => options?.alone);
    const asked = [peer.request('a', {}), peer.request('b', {})];
    expect(alone()).toEqual([true, false]);
    for (const id of [1, 2]) line.says({ id, result: {} });
    await Promise.all(asked);
    void peer.request('c', {});
    expect(alone()).toEqual([true, false, true]);
  });

  test('count once: a second one and one with an unknown id are told as oddities', async () => {
    const { peer, line, oddities } = await peerPair();
    const asked = peer.request('a', {});
    for (const id of [7, '01', null]) line.says({ id, result: {} });
    line.says({ id: 1, result: { right: true } });
    line.says({ id: 1, result: { again: true } });
    line.says({ id: 1, error: { code: 1, message: 'late' } });
    expect(await asked).toEqual({ right: true });
    expect(oddities.map((text) => /request (\S+),/.exec(text)?.[1])).toEqual(['7', '"01"', 'null', '1', '1']);
  });

  test.each([['"1"'], ['1.0'], ['1e0']])('come under the id %s, which is 1 in another spelling', async (id) => {
    const { peer, line } = await peerPair();
    const [asked, failing] = [peer.request('a', {}), peer.request('b', {})];
    line.says(parseJson(`{"id":${id},"result":{"right":true}}`) as object);
    line.says(parseJson(`{"id":${id.replace('1', '2')},"error":{"code":-32000,"message":"no"}}`) as object);
    expect(await Promise.all([asked, outcome(failing)])).toMatchObject([{ right: true }, { code: -32000 }]);
  });

  test('that are errors come with code, message and data to the letter', async () => {
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
    'that are malformed errors (%j) are errors all the same',
    async (error) => {
      const { peer, line } = await peerPair();
      const asked = outcome(peer.request('a', {}));
      line.says({ id: 1, error });
      expect(await asked).toMatchObject({ name: 'RpcError', code: -32603 });
    },
  );

  test.each(['text', 5, [[{}]], true, undefined])(
    'that are no objects (%j) are refused as what they are',
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
  ])('with an error that is none (%j) are results', async (answer) => {
    const { peer, line } = await peerPair();
    const asked = peer.request('a', {});
    line.says({ id: 1, ...answer });
    expect(await asked).toEqual({ a: 1 });
  });

  test.each([{ result: null }, { result: null, error: null }])(
    'that are nothing (%j) are an empty result',
    async (answer) => {
      const { peer, line } = await peerPair();
      const asked = peer.request('ping', {});
      line.says({ id: 1, ...answer });
      expect(await asked).toEqual({});
    },
  );

  test('with neither result nor error are refused', async () => {
    const { peer, line } = await peerPair();
    const asked = outcome(peer.request('a', {}));
    line.says({ id: 1, error: null });
    expect(await asked).toMatchObject({ code: 'server_protocol' });
  });

  test('that are bytes stay bytes', async () => {
    const { peer, line } = await peerPair();
    const raw = new RawJson([Buffer.from('{"a":1}')]);
    const asked = peer.request('a', {});
    line.says({ id: 1, result: raw });
    expect(await asked).toBe(raw);
  });

  test('our ids begin behind the one we are given, and the request is told its own before it goes out', async () => {
    const { peer, line } = await peerPair(undefined, { firstId: 5_000_000 });
    const told: [number, number][] = [];
    for (let i = 0; i < 2; i++) void peer.request('a', {}, { onId: (id) => told.push([id, line.sent.length]) });
    expect(told).toEqual([
      [5_000_001, 0],
      [5_000_002, 1],
    ]);
  });
});

describe('giving up a request of ours', () => {
  test("tells the other side once, and its late answer is nobody's", async () => {
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

  test('by the signal alone where the line wants it so', async () => {
    const { peer, line } = await peerPair();
    const stop = new AbortController();
    const asked = outcome(peer.request('a', {}, { signal: stop.signal, cancelBy: 'signal' }));
    expect(line.options[0]?.signal?.aborted).toBe(false);
    stop.abort();
    expect(await asked).toEqual(cancelled(/cancelled/));
    expect([line.sent.length, line.options[0]?.signal?.aborted]).toEqual([1, true]);
  });

  test('before it was sent means that it is never sent', async () => {
    const { peer, line } = await peerPair();
    expect(await outcome(peer.request('a', {}, { signal: AbortSignal.abort('too late') }))).toEqual(
      cancelled(/too late/),
    );
    expect(line.sent).toEqual([]);
  });

  test('after it was answered does nothing', async () => {
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
  test('a request that is not answered within its time is given up and the other side told', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { peer, line } = await peerPair();
    const asked = outcome(peer.request('tools/call', {}, { timeoutMs: 60_000 }));
    vi.advanceTimersByTime(60_000);
    expect(await asked).toMatchObject({ code: 'call_timeout', message: 'No answer to tools/call within 60 s.' });
    expect(line.sent[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } });
  });

  test('progress starts the time anew, also where nobody listens to it', async () => {
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

  test('a line that is closed leaves no timer behind', async () => {
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
  test('is asked for under a token of ours beside what _meta held, and comes as it was sent', async () => {
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

  test.each([['"1"'], ['1.0']])('comes under the token %s, which is 1 in another spelling', async (token) => {
    const { peer, line } = await peerPair();
    const seen: unknown[] = [];
    void peer.request('a', {}, { onProgress: ({ progress }) => seen.push(progress) });
    const params = `{"progressToken":${token},"progress":3}`;
    line.says(parseJson(`{"method":"notifications/progress","params":${params}}`) as object);
    expect(seen).toEqual([3]);
  });

  test('after the answer is dropped', async () => {
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
  test.each([0, 'zero', '', -1, 'x'.repeat(1000)])('are answered under their id %j', async (id) => {
    const { line } = await peerPair(async (method, params, context) => ({ method, params, id: context.id }));
    line.says({ id, method: 'ask', params: { a: 1 } });
    await settled();
    expect(line.sent).toEqual([{ jsonrpc: '2.0', id, result: { method: 'ask', params: { a: 1 }, id } }]);
    expect(line.options[0]?.relatedRequestId).toBe(id);
  });

  test.each([[undefined], [[1]], ['text'], [null]])('with %j for params have none', async (params) => {
    const { line } = await peerPair(async (_method, given) => ({ given }));
    line.says({ id: 1, method: 'ask', params });
    await settled();
    expect(line.sent).toMatchObject([{ result: { given: {} } }]);
  });

  test('that fail are answered by the error, whether it is thrown at once or later', async () => {
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
  ])('that were cancelled are not %s any more', async (_what, work: (wait: Promise<void>) => Promise<Result>) => {
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
  });

  test.each([
    [7, '7'],
    ['7', 7],
    [7, JSON.rawJSON('7.0')],
  ])('of the id %j are cancelled under %j', async (id, requestId) => {
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

  test('a cancellation of something unknown or already answered does nothing', async () => {
    const { line, heard, oddities } = await peerPair();
    line.says({ id: 1, method: 'ask' });
    await settled();
    for (const params of [{ requestId: 1 }, { requestId: 'x' }, {}, undefined, null, 'text']) {
      line.says({ method: 'notifications/cancelled', params });
    }
    expect([line.sent.length, heard, oddities]).toEqual([1, [], []]);
  });

  test('an answer that cannot be sent is told and disturbs nothing else', async () => {
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

test('notifications of any method are passed on, their params always an object', async () => {
  const { line, heard } = await peerPair();
  line.says({ method: 'notifications/vendor', params: { deep: [1] } });
  for (const params of [undefined, null, [1], 'text']) line.says({ method: 'x', params });
  expect(heard).toEqual([['notifications/vendor', { deep: [1] }], ...Array.from({ length: 4 }, () => ['x', {}])]);
});

describe('when the line ends', () => {
  test('every request in flight is rejected once with the reason, every request of the other side aborted, and nothing sent', async () => {
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

  test('later requests are refused with the same reason and later notifications go nowhere', async () => {
    const { peer, line } = await peerPair();
    const reason = new Error('gone');
    line.ends(reason);
    expect(await outcome(peer.request('a', {}))).toBe(reason);
    peer.notify('x');
    expect(line.sent).toEqual([]);
  });

  test('by ourselves, what waits is cancelled and the transport closed', async () => {
    const { peer, line, closings } = await peerPair();
    const asked = outcome(peer.request('a', {}));
    await peer.close();
    expect(await asked).toEqual(cancelled(/closed/));
    line.ends(new Error('as a consequence'));
    expect([line.closes, closings]).toEqual([1, [undefined]]);
  });

  test('a request that cannot be sent is rejected with the reason', async () => {
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
])('%s goes over the wire as %j', (error, body) => {
  expect(toErrorBody(error)).toEqual(body);
});

describe('open requests of the other side', () => {
  const ping = { method: 'ping' };

  test('at the limit it is not read until half of them are answered, whatever ids it gives them', async () => {
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

  test('an answer that is not read counts as open', async () => {
    const { line } = await peerPair(undefined, { open: { most: 4, beyond: 'hold' } });
    line.send = () => new Promise(() => undefined);
    for (let id = 0; id < 4; id++) line.says({ id, ...ping });
    await settled();
    expect(line.holds).toEqual([true]);
  });

  test('or each further one is refused, and those that are open can still be cancelled', async () => {
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

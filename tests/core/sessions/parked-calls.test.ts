/** Calls that wait while their client app responds to a request: what ends them, and what does not. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ParkableCall, ParkedCalls, type RequestRound } from '../../../src-main/core/sessions/parked-calls.ts';
import type { Result } from '../../../src-main/core/wire/message.ts';
import { scalarOf } from '../../../src-main/core/wire/raw-json.ts';

const principal = { user: 'person', key: 'somebody' };
/** The signal of a request that its server does not cancel. */
const stillAsked = new AbortController().signal;

function round(signal: AbortSignal = new AbortController().signal): RequestRound {
  return { signal, notify: () => undefined };
}

function stateOf(result: Result): string {
  return String(scalarOf(result, 'requestState'));
}

test('continues a parked call after the request that it was parked in has ended', async () => {
  const parked = new ParkedCalls();
  const first = new AbortController();
  const asked = await parked.start(principal, round(first.signal), async (call) => ({
    roots: await call.ask('roots/list', {}, stillAsked),
    cancelled: call.signal.aborted,
  }));
  // Over HTTP a request's signal aborts with its stream, right after the request was sent.
  first.abort('the stream is closed');
  const answer = parked.resume(principal, round(), stateOf(asked), { q1: { roots: [] } });
  expect(await answer).toEqual({ roots: { roots: [] }, cancelled: false });
});

test('cancels a resumed call with the request that waits for it', async () => {
  const parked = new ParkedCalls();
  const asked = await parked.start(principal, round(), async (call) => {
    await call.ask('roots/list', {}, stillAsked);
    return { why: String(call.signal.reason) };
  });
  const second = new AbortController();
  const answer = parked.resume(principal, round(second.signal), stateOf(asked), { q1: { roots: [] } });
  second.abort();
  expect(await answer).toEqual({ why: 'the client app cancelled the call' });
});

afterEach(() => {
  vi.useRealTimers();
});

const unknownState = expect.objectContaining({
  code: -32602,
  message: expect.stringContaining('This requestState is unknown or expired. Start a new call.') as string,
}) as Error;

/** Parks a call that sends one request and returns its response or error. */
async function park(parked: ParkedCalls, signal?: AbortSignal): Promise<{ state: string; call: ParkableCall }> {
  let call: ParkableCall | undefined;
  const asked = await parked.start(principal, round(signal), async (begun) => {
    call = begun;
    return begun.ask('elicitation/create', { message: 'Who?' }, stillAsked).then(
      (answer) => ({ answer }),
      (error: Error) => ({ refused: error.message }),
    );
  });
  return { state: stateOf(asked), call: call as ParkableCall };
}

describe('requests to the client', () => {
  test('are returned unchanged with one key each and an unguessable state', async () => {
    const parked = new ParkedCalls();
    const ask = (): Promise<Result> =>
      parked.start(principal, round(), async (call) => {
        await Promise.all([
          call.ask('roots/list', {}, stillAsked),
          call.ask('sampling/createMessage', { maxTokens: 5 }, stillAsked),
        ]);
        return {};
      });
    const [first, second] = [await ask(), await ask()];
    expect(first).toEqual({
      resultType: 'input_required',
      inputRequests: {
        q1: { method: 'roots/list', params: {} },
        q2: { method: 'sampling/createMessage', params: { maxTokens: 5 } },
      },
      requestState: expect.stringMatching(/^tooltray\.[\w-]{24}$/) as string,
    });
    expect(stateOf(second)).not.toBe(stateOf(first));
  });

  test('are repeated for those without a response, under the same keys', async () => {
    const parked = new ParkedCalls();
    const asked = await parked.start(principal, round(), async (call) => {
      const answers = ['a', 'b', 'c'].map((message) => call.ask('elicitation/create', { message }, stillAsked));
      return { all: await Promise.all(answers) };
    });
    const again = await parked.resume(principal, round(), stateOf(asked), {
      q2: { n: 2 },
      q9: { n: 9 },
      q1: 'no object',
    });
    expect(scalarOf(again, 'inputRequests')).toEqual({
      q1: { method: 'elicitation/create', params: { message: 'a' } },
      q3: { method: 'elicitation/create', params: { message: 'c' } },
    });
    const done = await parked.resume(principal, round(), stateOf(again), { q1: { n: 1 }, q3: { n: 3 }, q2: { n: 22 } });
    expect(done).toEqual({ all: [{ n: 1 }, { n: 2 }, { n: 3 }] });
  });

  test.each([undefined, null, 'text', [], {}])('are repeated after the responses %j', async (responses) => {
    const parked = new ParkedCalls();
    const { state } = await park(parked);
    const again = await parked.resume(principal, round(), state, responses);
    expect(scalarOf(again, 'resultType')).toBe('input_required');
    expect(await parked.resume(principal, round(), stateOf(again), { q1: { ok: 1 } })).toEqual({ answer: { ok: 1 } });
  });

  test('in sequence take one retry each', async () => {
    const parked = new ParkedCalls();
    let step = await parked.start(principal, round(), async (call) => {
      const answers: Result[] = [];
      for (const message of ['a', 'b']) answers.push(await call.ask('elicitation/create', { message }, stillAsked));
      return { answers };
    });
    const keys: string[][] = [];
    while (scalarOf(step, 'resultType') === 'input_required') {
      const requests = scalarOf(step, 'inputRequests') as Record<string, { params: object }>;
      keys.push(Object.keys(requests));
      const responses = Object.fromEntries(Object.entries(requests).map(([key, { params }]) => [key, params]));
      step = await parked.resume(principal, round(), stateOf(step), responses);
    }
    expect([keys, step]).toEqual([[['q1'], ['q2']], { answers: [{ message: 'a' }, { message: 'b' }] }]);
  });

  test('of a parked call come with the next retry', async () => {
    const parked = new ParkedCalls();
    const { state, call } = await park(parked);
    const late = call.ask('roots/list', {}, stillAsked);
    const again = await parked.resume(principal, round(), state, {});
    expect(Object.keys(scalarOf(again, 'inputRequests') as object)).toEqual(['q1', 'q2']);
    await parked.resume(principal, round(), stateOf(again), { q1: {}, q2: { roots: [1] } });
    expect(await late).toEqual({ roots: [1] });
  });
});

test('returns the result of a call that asks nothing, and rejects if the call fails', async () => {
  const parked = new ParkedCalls();
  expect(await parked.start(principal, round(), async () => ({ done: 1 }))).toEqual({ done: 1 });
  const failure = new Error('no');
  await expect(parked.start(principal, round(), () => Promise.reject(failure))).rejects.toBe(failure);
});

test('rejects the next retry if the call fails while it is parked', async () => {
  const parked = new ParkedCalls();
  const failing = Promise.withResolvers<Result>();
  const asked = await parked.start(principal, round(), (call) => {
    void call.ask('roots/list', {}, stillAsked);
    return failing.promise;
  });
  failing.reject(new Error('the server is gone'));
  await new Promise((resolve) => setImmediate(resolve));
  await expect(parked.resume(principal, round(), stateOf(asked), { q1: {} })).rejects.toThrow('the server is gone');
});

describe('a state', () => {
  test('is valid only for the principal that got it, and survives another one trying it', async () => {
    const parked = new ParkedCalls();
    const { state } = await park(parked);
    await expect(parked.resume({ ...principal, key: 'somebody else' }, round(), state, { q1: {} })).rejects.toEqual(
      unknownState,
    );
    expect(await parked.resume(principal, round(), state, { q1: { me: 1 } })).toEqual({ answer: { me: 1 } });
  });

  test('is valid once', async () => {
    const parked = new ParkedCalls();
    const { state } = await park(parked);
    const both = [{ n: 1 }, { n: 2 }].map((answer) => parked.resume(principal, round(), state, { q1: answer }));
    const outcomes = await Promise.allSettled(both);
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: { answer: { n: 1 } } },
      { status: 'rejected', reason: unknownState },
    ]);
  });

  test('is valid only in the core that issued it', async () => {
    const { state } = await park(new ParkedCalls());
    await expect(new ParkedCalls().resume(principal, round(), state, {})).rejects.toEqual(unknownState);
  });

  test('is valid for ten minutes, after which the call is cancelled', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const parked = new ParkedCalls();
    const [early, late] = [await park(parked), await park(parked)];
    vi.advanceTimersByTime(10 * 60_000 - 1);
    expect(await parked.resume(principal, round(), early.state, { q1: {} })).toEqual({ answer: {} });
    vi.advanceTimersByTime(1);
    expect(late.call.signal.reason).toBe('the request was not answered in time');
    await expect(parked.resume(principal, round(), late.state, { q1: {} })).rejects.toEqual(unknownState);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each(['tooltray.', 'tooltray.AAAAAAAAAAAAAAAAAAAAAAAA', '__proto__', ''])(
    'is rejected if it is unknown: %j',
    async (state) => {
      await expect(new ParkedCalls().resume(principal, round(), state, {})).rejects.toEqual(unknownState);
    },
  );
});

test('recognizes only its own states, not those of a server', () => {
  const states = ['tooltray.x', 'x', '', 5, null, undefined, { a: 1 }];
  expect(states.map((state) => ParkedCalls.isOwnState(state))).toEqual([
    true,
    ...Array.from({ length: 6 }, () => false),
  ]);
});

test('starts a call with an aborted signal if its request is already cancelled', async () => {
  const begun: boolean[] = [];
  await new ParkedCalls().start(principal, round(AbortSignal.abort()), async (call) => {
    begun.push(call.signal.aborted);
    return {};
  });
  expect(begun).toEqual([true]);
});

test('cancels the call if the retry is already cancelled', async () => {
  const parked = new ParkedCalls();
  const { state, call } = await park(parked);
  await parked.resume(principal, round(AbortSignal.abort()), state, {});
  expect(call.signal.aborted).toBe(true);
});

test('rejects and cancels a call beyond a thousand parked ones, and parks again when one ends', async () => {
  const parked = new ParkedCalls();
  const waiting = await Promise.all(Array.from({ length: 1000 }, () => park(parked)));
  let refused: ParkableCall | undefined;
  const one = parked.start(principal, round(), async (call) => {
    refused = call;
    await call.ask('roots/list', {}, stillAsked);
    return {};
  });
  // Over HTTP that is 429 with Retry-After.
  await expect(one).rejects.toMatchObject({
    code: 'session_limit',
    message: expect.stringContaining('waiting') as string,
  });
  expect(refused?.signal.aborted).toBe(true);
  await parked.resume(principal, round(), waiting[0]?.state ?? '', { q1: {} });
  expect((await park(parked)).state).toMatch(/^tooltray\./);
});

test('sends progress with the token of the current retry, and none if it has no token', async () => {
  const parked = new ParkedCalls();
  const told: unknown[] = [];
  const trying = (name: string, progressToken?: string): RequestRound => ({
    ...round(),
    notify: (method, params) => told.push([name, method, params]),
    progressToken,
  });
  const progress = (call: ParkableCall, n: number): void =>
    call.notify('notifications/progress', { progressToken: 'first', progress: n });
  let step = await parked.start(principal, trying('first', 'a'), async (call) => {
    for (let n = 1; n <= 3; n++) {
      progress(call, n);
      if (n < 3) await call.ask('roots/list', {}, stillAsked);
    }
    call.notify('notifications/message', { data: 'x' });
    return {};
  });
  step = await parked.resume(principal, trying('second', 'b'), stateOf(step), { q1: {} });
  await parked.resume(principal, trying('third'), stateOf(step), { q2: {} });
  expect(told).toEqual([
    ['first', 'notifications/progress', { progressToken: 'a', progress: 1 }],
    ['second', 'notifications/progress', { progressToken: 'b', progress: 2 }],
    ['third', 'notifications/message', { data: 'x' }],
  ]);
});

test('drops a request that the server cancels, and rejects it for the caller', async () => {
  const parked = new ParkedCalls();
  const [kept, back] = [new AbortController(), new AbortController()];
  const working = Promise.withResolvers<void>();
  const answer = parked.start(principal, round(), async (call) => {
    // Not sent to anybody yet, so it is not a pending request.
    const never = call
      .ask('elicitation/create', { message: 'Never' }, back.signal)
      .catch((error: Error) => error.message);
    back.abort('the server changed its mind');
    await working.promise;
    const first = call.ask('elicitation/create', { message: 'Withdrawn' }, kept.signal).catch(() => 'withdrawn');
    return { never: await never, first: await first, second: await call.ask('roots/list', {}, stillAsked) };
  });
  working.resolve();
  const asked = await answer;
  expect(scalarOf(asked, 'inputRequests')).toMatchObject({ q2: { params: { message: 'Withdrawn' } } });
  kept.abort('the server changed its mind');
  await Promise.resolve();
  const again = await parked.resume(principal, round(), stateOf(asked), {});
  expect(scalarOf(again, 'inputRequests')).toEqual({ q3: { method: 'roots/list', params: {} } });
  expect(await parked.resume(principal, round(), stateOf(again), { q3: { roots: [] } })).toEqual({
    never: 'Cancelled: the server changed its mind.',
    first: 'withdrawn',
    second: { roots: [] },
  });
});

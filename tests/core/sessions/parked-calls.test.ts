/** A call that is left waiting while its client app answers a question: what ends it, and what does not. */
import { expect, test } from 'vitest';
import { ParkedCalls, type Round } from '../../../src-main/core/sessions/parked-calls.ts';

const principal = 'somebody';

function round(signal: AbortSignal = new AbortController().signal): Round {
  return { signal, notify: () => undefined };
}

test('a parked call goes on although the request that it was parked in is over', async () => {
  const parked = new ParkedCalls();
  const first = new AbortController();
  const asked = await parked.begin(principal, round(first.signal), async (call) => ({
    roots: await call.ask('roots/list', {}),
    cancelled: call.signal.aborted,
  }));
  // Over HTTP a request's signal ends with its stream, right after the question was sent.
  first.abort('the stream is closed');
  const answer = parked.resume(principal, round(), String(asked['requestState']), { q1: { roots: [] } });
  expect(await answer).toEqual({ roots: { roots: [] }, cancelled: false });
});

test('a call taken up again is given up with the request that waits for it', async () => {
  const parked = new ParkedCalls();
  const asked = await parked.begin(principal, round(), async (call) => {
    await call.ask('roots/list', {});
    return { why: String(call.signal.reason) };
  });
  const second = new AbortController();
  const answer = parked.resume(principal, round(second.signal), String(asked['requestState']), { q1: { roots: [] } });
  second.abort();
  expect(await answer).toEqual({ why: 'the client app cancelled the call' });
});

/** The dashboard over IPC: only the dashboard's own page, errors with their codes, one stream per window. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { AppError } from '../../src-main/core/base/errors.ts';
import { IpcServer, type IpcSender, stateChannel } from '../../src-main/rpc/ipc-server.ts';
import { StatePublisher } from '../../src-main/rpc/state-publisher.ts';

const origin = 'app://tooltray/';

function publisherOf(): StatePublisher {
  const builders = { spills: () => ({ bytes: 1 }) } as never;
  return new StatePublisher(
    builders,
    () => () => undefined,
    () => undefined,
  );
}

function door(publisher = publisherOf()): IpcServer {
  const ask = (method: string, input: unknown): Promise<Record<string, unknown>> =>
    method === 'fail'
      ? Promise.reject(new AppError('not_found', 'Gone.', { fix: 'Look.' }))
      : Promise.resolve({ method, input });
  return new IpcServer({ origin, publisher, ask });
}

function sender(more: Partial<IpcSender> = {}): IpcSender & { readonly sent: unknown[][]; go(): void } {
  const sent: unknown[][] = [];
  let gone = (): void => undefined;
  return {
    id: 1,
    url: `${origin}index.html`,
    isMainFrame: true,
    send: (...message) => void sent.push(message),
    onGone: (listener) => (gone = listener),
    ...more,
    sent,
    go: () => gone(),
  };
}

test('answers a request of the dashboard', async () => {
  expect(await door().request(sender(), 'state', { a: 1 })).toEqual({ value: { method: 'state', input: { a: 1 } } });
});

test('returns an error with its code and fix', async () => {
  expect(await door().request(sender(), 'fail', {})).toEqual({
    error: { code: 'not_found', message: 'Gone.', fix: 'Look.' },
  });
});

test.each<[string, Partial<IpcSender>]>([
  ['another page', { url: 'https://evil.example/' }],
  ['a page whose name begins alike', { url: 'app://tooltray.evil/' }],
  ['a file', { url: 'file:///tmp/index.html' }],
  ['a frame in our page', { isMainFrame: false }],
  ['a frame that is gone', { url: undefined }],
])('rejects %s', async (_who, more) => {
  expect(await door().request(sender(more), 'stop', {})).toMatchObject({ error: { code: 'not_allowed' } });
  expect(() => door().watch(sender(more))).toThrow(expect.objectContaining({ code: 'not_allowed' }));
});

test('rejects a method that is not a string', async () => {
  expect(await door().request(sender(), { toString: 'stop' }, {})).toMatchObject({ error: { code: 'bad_request' } });
});

test('sends one stream to a window that reloads, and none to a closed one', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const publisher = publisherOf();
  const open = door(publisher);
  const window = sender();
  open.watch(window);
  open.watch(window);
  await vi.advanceTimersByTimeAsync(1000);
  const watching = publisher.watchers;
  window.go();
  expect([window.sent, watching, publisher.watchers]).toEqual([[[stateChannel, { spills: { bytes: 1 } }]], 1, 0]);
});

test('only its own window cancels a request, and closing that window does', async () => {
  const signals = new Map<string, AbortSignal>();
  const ask = (method: string, _input: unknown, signal: AbortSignal): Promise<never> => {
    signals.set(method, signal);
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
  };
  const open = new IpcServer({ origin, publisher: publisherOf(), ask });
  const [window, other] = [sender(), sender({ id: 2 })];
  const answers = ['first', 'second'].map((name) => open.request(window, name, {}, name));
  open.cancel(other, 'first');
  const before = signals.get('first')?.aborted;
  open.cancel(window, 'first');
  const between = signals.get('second')?.aborted;
  window.go();
  expect([before, signals.get('first')?.aborted, between, signals.get('second')?.aborted]).toEqual([
    false,
    true,
    false,
    true,
  ]);
  expect((await Promise.all(answers)).every((answer) => 'error' in answer)).toBe(true);
  expect(() => open.cancel(sender({ url: 'https://evil.example/' }), 'first')).toThrow(
    expect.objectContaining({ code: 'not_allowed' }),
  );
});

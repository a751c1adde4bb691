/** Entry of the thread, in a process of its own, that runs one Python program: it blocks while the code waits. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { engineFiles, loadEngine } from './python-engine.ts';
import { PythonGuest } from './python-guest.ts';
import type { HostReplyMessage, CheckMessage, FromWorker, RunMessage } from '../run-request.ts';

const port = parentPort;
if (port === null) throw new Error('This file is the entry of a worker thread.');

/** Counts the answers that the core has posted. */
const replies = workerData as Int32Array<SharedArrayBuffer>;
const post = (message: FromWorker): void => port.postMessage(message);

function nextAnswer(ms: number): HostReplyMessage | undefined {
  const end = performance.now() + ms;
  for (;;) {
    // Read first, so that an answer posted in between wakes the wait at once.
    const seen = Atomics.load(replies, 0);
    const waiting = receiveMessageOnPort(port as NonNullable<typeof port>);
    if (waiting !== undefined) return waiting.message as HostReplyMessage;
    const left = end - performance.now();
    if (left <= 0) return undefined;
    Atomics.wait(replies, 0, seen, left);
  }
}

const guest = new PythonGuest(await loadEngine(engineFiles(import.meta.url)), { post, nextAnswer });
port.on('message', (order: CheckMessage | RunMessage | HostReplyMessage) => {
  if (order.kind !== 'answer') guest.handle(order);
});
post({ kind: 'ready' });

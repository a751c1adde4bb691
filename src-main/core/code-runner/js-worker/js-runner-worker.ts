/** Entry of the worker thread that runs code of models: one run at a time, each in a VM of its own. */
import { readFile } from 'node:fs/promises';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type HostChannel, GuestRun } from './guest-run.ts';
import { engineUrl } from './guest-vm.ts';
import type { HostReplyMessage, FromWorker, RunMessage, ToWorker } from '../run-request.ts';

const port = parentPort;
if (port === null) throw new Error('This file is the entry of a worker thread.');

/** Counts the answers that the core has posted. */
const replies = workerData as Int32Array<SharedArrayBuffer>;
const engine = await WebAssembly.compile(await readFile(engineUrl(import.meta.url)));
let current: GuestRun | undefined;

const post = (message: FromWorker): void => port.postMessage(message);

const channel: HostChannel = {
  question: post,
  done: post,
  print: (line) => post({ kind: 'print', line }),
  nextAnswer(ms) {
    // Read first, so that an answer posted in between wakes the wait at once.
    const seen = Atomics.load(replies, 0);
    const waiting = receiveMessageOnPort(port);
    if (waiting !== undefined) return waiting.message as HostReplyMessage;
    Atomics.wait(replies, 0, seen, ms);
    return undefined;
  },
};

async function begin(message: RunMessage): Promise<void> {
  try {
    current = await GuestRun.start(engine, message, channel);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const outcome = { error: { code: 'MEMORY_LIMIT', message: `The engine could not start: ${words}` } } as const;
    post({ kind: 'done', outcome, reusable: false });
  }
}

port.on('message', (message: ToWorker) => {
  if (message.kind === 'run') void begin(message);
  else current?.reply(message);
});
post({ kind: 'ready' });

/** Entry of the worker thread that keeps the texts of calls: it masks, compresses, writes and reads them. */
import { parentPort, workerData } from 'node:worker_threads';
import { createThrottle, lowerThreadPriority } from '../base/workers.ts';
import { PayloadHandlers } from './payloads/payload-handlers.ts';
import type { PayloadRequest, PayloadWorkerData } from './payloads/payload-messages.ts';

// No call waits for what is kept of it, and a person who reads one can wait for a moment.
lowerThreadPriority();
const { file, hurry } = workerData as PayloadWorkerData;
const desk = new PayloadHandlers(file, createThrottle(hurry));

parentPort?.on('message', (question: PayloadRequest) => {
  parentPort?.postMessage(desk.handle(question));
  if (question.kind === 'close') parentPort?.close();
});

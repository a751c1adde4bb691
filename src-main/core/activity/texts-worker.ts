/** Entry of the worker thread that keeps the texts of calls: it masks, compresses, writes and reads them. */
import { parentPort, workerData } from 'node:worker_threads';
import { breather, giveWay } from '../base/worker-line.ts';
import { TextsDesk } from './texts/texts-desk.ts';
import type { TextsQuestion, TextsWork } from './texts/texts-messages.ts';

// No call waits for what is kept of it, and a person who reads one can wait for a moment.
giveWay();
const { file, hurry } = workerData as TextsWork;
const desk = new TextsDesk(file, breather(hurry));

parentPort?.on('message', (question: TextsQuestion) => {
  parentPort?.postMessage(desk.answer(question));
  if (question.kind === 'close') parentPort?.close();
});

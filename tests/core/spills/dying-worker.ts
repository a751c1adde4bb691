/** A worker that begins a file as the real one does, and dies at the first bytes. */
import { parentPort } from 'node:worker_threads';
import { DraftPlace } from '../../../src-main/core/spills/keep/part-draft.ts';
import type { ToKeepWorker } from '../../../src-main/core/spills/messages.ts';

parentPort?.on('message', (message: ToKeepWorker) => {
  if (message.kind === 'begin') new DraftPlace(message.job.stem, 1_000_000, 0).open();
  else process.exit(1);
});

/** A worker that starts a file and exits at the first bytes. */
import { writeFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { ToSpillWriter } from '../../../src-main/core/spills/spill-writer-messages.ts';

parentPort?.on('message', (message: ToSpillWriter) => {
  if (message.kind !== 'begin') process.exit(1);
  if (message.job.do === 'store') writeFileSync(`${message.job.stem}-1.tmp`, 'begun');
});

/**
 * Entry of the process that answers one query about data, on files that are open already. Ends itself at its memory
 * limit.
 */
import { Worker } from 'node:worker_threads';
import { newSteps, type ReadRequest } from './reader-messages.ts';
import { handleReadRequest } from './handle-read-request.ts';

type Question = Omit<ReadRequest, 'steps'> & { readonly maxMemory: number };

process.once('message', ({ maxMemory, ...request }: Question) => {
  watchMemory(maxMemory);
  process.send?.(handleReadRequest({ ...request, steps: newSteps() }), () => process.exit());
});
process.once('disconnect', () => process.exit());

/** Runs in a thread, because SQLite and JSON.parse block this one; V8's own limit excludes SQLite's memory. */
function watchMemory(bytes: number): void {
  const watch = `setInterval(() => process.memoryUsage.rss() > ${bytes} && process.kill(process.pid, 'SIGKILL'), 50)`;
  new Worker(watch, { eval: true, env: {}, stdout: true, stderr: true }).unref();
}

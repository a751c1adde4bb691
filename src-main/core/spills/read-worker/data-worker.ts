/**
 * Entry of the process that answers one question about data, of files that it was given open. It ends itself at its
 * limit of memory.
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

/**
 * In a thread, since SQLite and JSON.parse let nothing else run in this one; V8's own limit counts none of SQLite's
 * memory.
 */
function watchMemory(bytes: number): void {
  const watch = `setInterval(() => process.memoryUsage.rss() > ${bytes} && process.kill(process.pid, 'SIGKILL'), 50)`;
  new Worker(watch, { eval: true, env: {}, stdout: true, stderr: true }).unref();
}

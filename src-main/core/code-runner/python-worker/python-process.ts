/**
 * Entry of the process for one Python program: passes messages between the core and the thread, and ends with its
 * connection to the core. The thread blocks while the code runs or waits; this side stays responsive, so that no
 * program outlives the core.
 */
import { resolveWorkerUrl } from '../../base/workers.ts';
import { isJavaScript } from '../javascript-source.ts';
import type { FromWorker, ToPython } from '../run-request.ts';
import { GuestWorker } from '../guest-worker.ts';

const post = (message: FromWorker): void => void process.send?.(message);
const thread = GuestWorker.thread(resolveWorkerUrl('python-worker', import.meta.url));

process.once('disconnect', () => process.exit());
process.on('message', (message: ToPython) => {
  if (message.kind === 'answer') return thread.reply(message);
  const code = message.kind === 'check' ? message.code : undefined;
  return thread.run(message, {
    message: (said) => post(said.kind === 'checked' ? { ...said, isJavaScript: isJavaScript(code ?? '') } : said),
    // The core reports the reason of the exit.
    exit: () => process.exit(1),
  });
});

await thread.ready;
if (thread.isAlive) post({ kind: 'ready' });
else post({ kind: 'absent', reason: thread.unavailableReason ?? 'It ended.' });

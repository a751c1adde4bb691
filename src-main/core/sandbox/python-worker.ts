/** Entry of the process that runs one Python program. It ends with its line to the core. */
import { PythonRun } from './python/python-run.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

const post = (message: FromWorker): void => void process.send?.(message);
let run: PythonRun | undefined;

process.once('disconnect', () => process.exit());

try {
  // An optional package: its native part is not there on every computer.
  const engine = await import('@pydantic/monty');
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'answer') return run?.answer(message);
    run = new PythonRun(engine, message, {
      question: post,
      done: post,
      print: (line) => post({ kind: 'print', line }),
    });
    return void run.start();
  });
  post({ kind: 'ready' });
} catch (error) {
  post({ kind: 'absent', reason: error instanceof Error ? error.message : String(error) });
}

/** What `pause` and `resume` have in common. */
import { AppError } from '../core/base/errors.ts';
import { runningCoreFor } from './core-access.ts';
import { printJson, printLines } from './print.ts';
import { readFlags } from './read-flags.ts';

export async function setPaused(args: readonly string[], form: string, paused: boolean): Promise<number> {
  const { values } = readFlags(args, { json: { type: 'boolean' } }, [0, 0], form);
  const core = await runningCoreFor(undefined);
  if (core === undefined) {
    throw new AppError('not_found', 'No Tooltray is running.', { fix: 'Start it with "tooltray serve".' });
  }
  try {
    await core.ask('setPaused', { paused });
    if (values.json === true) printJson({ paused });
    else printLines([paused ? 'Paused: no server runs until "tooltray resume".' : 'The servers start again.']);
    return 0;
  } finally {
    await core.close();
  }
}

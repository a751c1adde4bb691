/** `tooltray pause`, `tooltray resume`: pause and resume all servers of the running core. */
import { type Command, command, jsonFlag } from '../command.ts';
import { withRunningCore } from '../core-access.ts';
import { printResult } from '../terminal.ts';

export const pause = pausing(true, 'Paused. Resume with: tooltray resume');
export const resume = pausing(false, 'Resumed.');

function pausing(paused: boolean, done: string): Command {
  return command({
    flags: { json: jsonFlag },
    run: ({ json }) =>
      withRunningCore('Tooltray is not running.', 'Start it with: tooltray serve', async (core) => {
        await core.ask('setPaused', { paused });
        printResult(json, { paused }, () => [done]);
        return 0;
      }),
  });
}

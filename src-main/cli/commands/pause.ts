/** `tooltray pause`, `tooltray resume`: every server of the running core is held still, and goes on. */
import { type Command, command, jsonFlag } from '../command.ts';
import { withRunningCore } from '../core-access.ts';
import { printResult } from '../terminal.ts';

export const pause = pausing(true, 'Paused: no server runs until "tooltray resume".');
export const resume = pausing(false, 'The servers start again.');

function pausing(paused: boolean, done: string): Command {
  return command({
    flags: { json: jsonFlag },
    run: ({ json }) =>
      withRunningCore('No Tooltray is running.', 'Start it with "tooltray serve".', async (core) => {
        await core.ask('setPaused', { paused });
        printResult(json, { paused }, () => [done]);
        return 0;
      }),
  });
}

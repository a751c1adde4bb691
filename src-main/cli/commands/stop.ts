/** `tooltray stop`: stops the running core; the next client app that needs it starts it again. */
import { command, jsonFlag } from '../command.ts';
import { withRunningCore } from '../core-access.ts';
import { printResult } from '../terminal.ts';

export const stop = command({
  flags: { json: jsonFlag },
  notes: ['The next client app that needs Tooltray starts it again.'],
  run: ({ json }) =>
    withRunningCore('No Tooltray is running.', 'There is nothing to stop.', async (core) => {
      await core.ask('stop', {});
      printResult(json, { stopped: true }, () => ['Stopped.']);
      return 0;
    }),
});

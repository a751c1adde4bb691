/** `tooltray retry NAME`: the running core forgets its back-off and tries the server now. */
import { unknownServer } from '../cli-config.ts';
import { command, jsonFlag } from '../command.ts';
import { withRunningCore } from '../core-access.ts';
import { printResult } from '../terminal.ts';
import { statusLine } from './sign-in.ts';

export const retry = command({
  words: 'NAME',
  flags: {
    json: jsonFlag,
    clear: {
      help: 'First delete a partially downloaded npm package that the failure names',
    },
  },
  run: ({ json, clear }, [name = '']) =>
    withRunningCore(
      'No Tooltray is running, so there is nothing to try again.',
      `Start it with "tooltray serve", or try the server by itself: tooltray test ${name}.`,
      async (core) => {
        const names = (await core.ask('state', {})).servers.map((server) => server.name);
        if (!names.includes(name)) throw unknownServer(name, names);
        const status = await core.ask('retry', { server: name, ...(clear && { clear }) });
        printResult(json, status, () => [statusLine(status)]);
        return status.level === 'ok' || status.level === 'busy' ? 0 : 1;
      },
    ),
});

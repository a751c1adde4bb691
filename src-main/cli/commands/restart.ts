/**
 * `tooltray restart NAME`: restarts a server of the running core, or all failed ones, without waiting for the retry
 * back-off.
 */
import { unknownServer } from '../cli-config.ts';
import { command, jsonFlag, usageError } from '../command.ts';
import { withRunningCore } from '../core-access.ts';
import { printResult } from '../terminal.ts';
import { statusLine } from './login.ts';

export const restart = command({
  words: '[NAME]',
  flags: {
    failed: { help: 'Restart all servers that failed' },
    clear: { help: 'First delete a partially downloaded npm package that the failure names' },
    json: jsonFlag,
  },
  run: ({ json, clear, failed }, [name]) => {
    if ((name === undefined) !== failed) throw usageError('Name a server, or use --failed');
    return withRunningCore(
      'No Tooltray is running, so no server is either.',
      `Start it with "tooltray serve", or test the connection: tooltray test ${name ?? ''}`.trim(),
      async (core) => {
        const { servers } = await core.ask('state', {});
        const names = servers.map((server) => server.name);
        if (name !== undefined && !names.includes(name)) throw unknownServer(name, names);
        const selected =
          name === undefined ? servers.filter(({ level }) => level === 'error').map((one) => one.name) : [name];
        const found = await Promise.all(
          selected.map(async (server) => core.ask('restart', { server, ...(clear && { clear }) })),
        );
        printResult(json, name === undefined ? { servers: found } : found[0], () =>
          found.length === 0 ? ['No server has failed.'] : found.map(statusLine),
        );
        return found.every(({ level }) => level === 'ok' || level === 'busy') ? 0 : 1;
      },
    );
  },
});

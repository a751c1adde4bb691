/** `tooltray retry NAME`: the running core forgets its back-off and tries the server now. */
import { AppError } from '../core/base/errors.ts';
import { runningCoreFor } from './core-access.ts';
import { oneLine } from './plain-text.ts';
import { paint, printJson, printLines } from './print.ts';
import { readFlags } from './read-flags.ts';
import { unknownServer } from './unknown-server.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values, positionals } = readFlags(args, { json: { type: 'boolean' } }, [1, 1], form);
  const name = positionals[0] ?? '';
  const core = await runningCoreFor(undefined);
  if (core === undefined) {
    throw new AppError('not_found', 'No Tooltray is running, so there is nothing to try again.', {
      fix: `Start it with "tooltray serve", or try the server by itself: tooltray test ${name}.`,
    });
  }
  try {
    const names = (await core.ask('state', {})).servers.map((server) => server.name);
    if (!names.includes(name)) throw unknownServer(name, names);
    const status = await core.ask('retry', { server: name });
    const isWell = status.level === 'ok';
    if (values.json === true) printJson(status);
    else printLines([`${oneLine(name)}: ${paint(isWell ? 'good' : 'bad', status.summary)}. ${oneLine(status.detail)}`]);
    return isWell || status.level === 'busy' ? 0 : 1;
  } finally {
    await core.close();
  }
}

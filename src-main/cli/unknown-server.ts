/** The error for a server name that is not there: what was meant, and what there is. */
import { AppError } from '../core/base/errors.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { closestWord } from '../core/config/closest-word.ts';

export function unknownServer(name: string, available: readonly string[]): AppError {
  const meant = closestWord(name, available);
  const guess = meant === undefined ? '' : `Did you mean ${JSON.stringify(meant)}? `;
  return new AppError('server_not_found', `There is no server called ${JSON.stringify(name)}.`, {
    fix: available.length === 0 ? 'Add one: tooltray add NAME COMMAND.' : `${guess}There are: ${available.join(', ')}.`,
    data: { available: [...available] },
  });
}

/** Names of all entries of the file, those that cannot be used included. */
export function serverNames({ current, problems }: ConfigStore): string[] {
  const broken = problems.flatMap(({ server }) => (server === undefined ? [] : [server]));
  return [...new Set([...current.servers.map(({ name }) => name), ...broken])];
}

/** `tooltray add` with text copied from a server's page: adds every server in it. */
import { homedir } from 'node:os';
import { AppError } from '../core/base/errors.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { parsePasted } from '../core/paste-import/parse-pasted.ts';
import { findCommand } from '../core/servers/launch/find-command.ts';
import { EnvironmentResolver } from '../core/servers/launch/resolve-environment.ts';
import { oneLine, paint, printResult } from './terminal.ts';
import {
  requireFreeName,
  writeServer,
  type WriteServerOptions,
  type WrittenServer,
  writtenLines,
} from './write-server.ts';

/**
 * Writes nothing if a name is taken. Rejects with AppError `bad_request`, `config_conflict`, `not_found` or
 * `unsupported`.
 */
export async function addPasted(
  text: string,
  store: ConfigStore,
  wish: WriteServerOptions,
  json: boolean,
): Promise<number> {
  const { servers: found, skipped } = await parsePasted(text, { isProgram: isProgramHere, home: homedir() });
  const names = found.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw new AppError('config_conflict', `The input defines ${JSON.stringify(twice)} twice.`, {
      fix: 'Add them one at a time with different names.',
    });
  }
  for (const name of names) requireFreeName(name, store);
  const servers: (WrittenServer & { readonly notes: readonly string[] })[] = [];
  for (const { name, entry, notes } of found) {
    const written = await writeServer(name, entry, store, wish);
    // Problems that the check of the config file reports are not repeated.
    const more = notes.filter((note) => !written.warnings.some((warning) => note.endsWith(warning)));
    servers.push({ ...written, notes: more.map((note) => oneLine(note)) });
  }
  printResult(json, { servers, skipped, file: store.path, written: !wish.dryRun }, () => [
    ...servers.flatMap((server) => [
      ...writtenLines(server, store.path, wish.dryRun),
      ...server.notes.map((note) => `${paint('unsure', 'note')} ${note}`),
    ]),
    ...skipped.map((one) => `${paint('unsure', 'skipped')} ${oneLine(one)}`),
  ]);
  return 0;
}

/** Whether a command exists on this computer. */
export async function isProgramHere(command: string): Promise<boolean> {
  const environment = await new EnvironmentResolver({ own: process.env }).resolve();
  return (await findCommand(command, environment)) !== undefined;
}

/** One edit of one entry in the config file, for the commands that make one. */
import { toAppError } from '../core/base/errors.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { openCliConfig } from './open-cli-config.ts';
import { printJson, printLines } from './print.ts';
import { commonFlags, readFlags } from './read-flags.ts';
import { serverNames, unknownServer } from './unknown-server.ts';

export interface ServerEdit {
  /** The new text of the file. Throws AppError server_not_found or config_invalid. */
  change(text: string, name: string, store: ConfigStore): string;
  /** What happened, for people. */
  tell(name: string, file: string): string;
  /** True when the file says so already; then nothing is written. */
  isDone?(name: string, store: ConfigStore): boolean;
  /** What happened when it was done already. */
  tellDone?(name: string): string;
  /** Checks the outcome. Throws AppError. */
  verify?(name: string, store: ConfigStore): void;
}

export async function editServer(args: readonly string[], form: string, edit: ServerEdit): Promise<number> {
  const { values, positionals } = readFlags(args, commonFlags, [1, 1], form);
  const name = positionals[0] ?? '';
  const store = await openCliConfig(values.config);
  const isDone = edit.isDone?.(name, store) ?? false;
  if (!isDone) await change(store, name, edit);
  if (values.json === true) printJson({ name, file: store.path, changed: !isDone });
  else printLines([(isDone ? edit.tellDone?.(name) : undefined) ?? edit.tell(name, store.path)]);
  return 0;
}

async function change(store: ConfigStore, name: string, edit: ServerEdit): Promise<void> {
  try {
    await store.update((text) => edit.change(text, name, store));
  } catch (error) {
    throw toAppError(error).code === 'server_not_found' ? unknownServer(name, serverNames(store)) : error;
  }
  edit.verify?.(name, store);
}

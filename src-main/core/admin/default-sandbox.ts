/** Rules for unreviewed changes: servers added by a model are sandboxed, and no model can lift a sandbox. */
import { isObject, type JsonObject } from '../base/json.ts';
import type { Isolation } from '../config/server-config.ts';
import type { ServerChange } from './server-change.ts';

/** Access to its own files, a private home, and the network, which most servers need. */
export const defaultSandbox: JsonObject = { mode: 'auto', network: true };

/**
 * Adds the default sandbox to an added server, unless the change itself specifies one, which the user sees, or the
 * user runs it without a sandbox.
 */
export function withDefaultSandbox(change: ServerChange): ServerChange {
  if (change.kind !== 'add' || change.isFoundHere) return change;
  const { entry } = change;
  const saysItself = ['isolation', 'sandboxEnabled', 'builtin', 'url'].some((field) => entry[field] !== undefined);
  return saysItself ? change : { ...change, entry: { ...entry, isolation: defaultSandbox } };
}

/** Whether a sandbox restricts at least as much as the default one. */
export function isDefaultSandbox({ kind, network, read, write }: Isolation): boolean {
  return kind === 'auto' && network === true && read.length === 0 && write === undefined;
}

/** Whether an added entry has no more access than with the default sandbox. */
export function isWithinDefaultSandbox({ command, inheritEnv, isolation }: JsonObject): boolean {
  if (command === undefined) return true;
  if (inheritEnv !== undefined || !isObject(isolation)) return false;
  const { mode, network: _, image: __, ...more } = isolation;
  const isBox = typeof mode === 'string' && ['auto', 'sandbox', 'container', 'docker'].includes(mode);
  return isBox && Object.keys(more).length === 0;
}

/** Whether these fields of an update affect where a server runs. */
export function changesSandbox(fields: JsonObject): boolean {
  return ['isolation', 'sandboxEnabled'].some((field) => fields[field] !== undefined);
}

/** Rules for unreviewed changes: servers added by a model are sandboxed, and no model can lift a sandbox. */
import { isObject, type JsonObject } from '../base/json.ts';
import type { Isolation } from '../config/server-config.ts';
import type { ServerChange } from './server-change.ts';

/** Its own files and a home of its own, and the network, without which few servers are of use. */
export const defaultSandbox: JsonObject = { mode: 'auto', network: true };

/**
 * A server that is added gets a box, unless the change says something of it itself, which the user sees, or the user
 * runs it without one.
 */
export function withDefaultSandbox(change: ServerChange): ServerChange {
  if (change.kind !== 'add' || change.isFoundHere) return change;
  const { entry } = change;
  const saysItself = ['isolation', 'sandboxEnabled', 'builtin', 'url'].some((field) => entry[field] !== undefined);
  return saysItself ? change : { ...change, entry: { ...entry, isolation: defaultSandbox } };
}

/** Whether a box gives no less than the one that a model's server gets. */
export function isDefaultSandbox({ kind, network, read, write }: Isolation): boolean {
  return kind === 'auto' && network === true && read.length === 0 && write === undefined;
}

/** Whether an entry that is added reaches no more than the usual box does. */
export function isWithinDefaultSandbox({ command, inheritEnv, isolation }: JsonObject): boolean {
  if (command === undefined) return true;
  if (inheritEnv !== undefined || !isObject(isolation)) return false;
  const { mode, network: _, image: __, ...more } = isolation;
  const isBox = typeof mode === 'string' && ['auto', 'sandbox', 'container', 'docker'].includes(mode);
  return isBox && Object.keys(more).length === 0;
}

/** Whether these fields of an update say where a server runs. */
export function changesSandbox(fields: JsonObject): boolean {
  return ['isolation', 'sandboxEnabled'].some((field) => fields[field] !== undefined);
}

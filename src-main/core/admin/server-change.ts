/** What can be changed about the configured servers, and the one rule about whose word it takes. */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { WaitingEdit } from '../config/accepted-config.ts';
import { addServer, removeServer } from '../config/edit-config.ts';
import { type Hold, switchServer } from '../config/holds.ts';
import { mergeServerField } from '../config/merge-server-field.ts';

export type ServerChange =
  | { readonly kind: 'add'; readonly server: string; readonly entry: JsonObject }
  | { readonly kind: 'remove'; readonly server: string }
  /** A field that is null is taken out; one that is an object (env, headers) is merged into what is there, key by key, alike. */
  | { readonly kind: 'update'; readonly server: string; readonly fields: JsonObject }
  /** `lifts`: what kept it off besides its switch. */
  | { readonly kind: 'enable'; readonly server: string; readonly lifts?: Hold }
  | { readonly kind: 'disable'; readonly server: string }
  /** What every app is told of a server's tools in place of its own text; an empty text takes one back. */
  | { readonly kind: 'describe'; readonly server: string; readonly texts: Readonly<Record<string, ToolText>> };

export interface ToolText {
  readonly text: string;
  /** The server's own description of the tool. */
  readonly own: string;
}

/** Who asks for a change: a model in a client app's session, through one of our tools. */
export interface ChangeAuthor {
  readonly app: string;
  readonly sessionId: string;
  readonly tool: string;
  /** The mode of the session. */
  readonly mode?: string;
}

/** The rule, as the settings tell it. Every admin tool is held to it (tests/host/agent-changes.test.ts). */
export const changeRule = {
  ask:
    'Models may look at your servers and try them again. Whatever changes what other sessions have waits for you: adding, ' +
    'removing, switching on or off, any field of an entry, kits, descriptions of tools. All of it stands in the activity.',
  allow:
    'Models may change servers without asking you; only what is held back until you agree stays so. All of it stands in the activity.',
  refuse:
    'Models may look at your servers and try them again, and cannot even ask for changes. All of it stands in the activity.',
} as const;

/** Shorter than this, in seconds, no server starts and no call ends: a way to switch one off that does not look like it. */
const leastSeconds = 1;
const timeouts = ['initTimeoutSeconds', 'callTimeoutSeconds', 'idleStopSeconds', 'timeout'];

/** Throws AppError bad_request for a change that nobody can want. */
export function requireSensible(change: ServerChange): void {
  const fields = change.kind === 'add' ? change.entry : change.kind === 'update' ? change.fields : {};
  for (const field of timeouts) {
    const value = fields[field];
    if (typeof value !== 'number' || value >= leastSeconds) continue;
    throw new AppError('bad_request', `${field} is ${value}; the least is ${leastSeconds} second.`, {
      fix: 'Nothing was changed.',
    });
  }
}

/** The text of the config file with the change made. Throws as the edits of config/edit-config.ts do. */
export function editConfig(text: string, change: ServerChange, isolateCommands: boolean): string {
  switch (change.kind) {
    case 'add':
      return addServer(text, change.server, change.entry);
    case 'remove':
      return removeServer(text, change.server);
    case 'update':
      return Object.entries(change.fields).reduce(
        (edited, [field, value]) => mergeServerField(edited, change.server, field, value),
        text,
      );
    case 'enable':
      return switchServer(text, change.server, true, isolateCommands);
    case 'disable':
      return switchServer(text, change.server, false, isolateCommands);
    case 'describe':
      return text;
  }
}

/** The change as a sentence for the person, names as they are. */

const lifting: Readonly<Record<Hold, string>> = {
  quarantine: ', and lift its quarantine',
  isolation: ', and start its command as it is, without the container or sandbox that it asks for',
};
export function describeChange(change: ServerChange): string {
  switch (change.kind) {
    case 'add':
      return `Add the server "${change.server}".`;
    case 'remove':
      return `Remove the server "${change.server}".`;
    case 'update':
      return `Change ${Object.keys(change.fields).join(', ')} of "${change.server}".`;
    case 'enable':
      return `Switch "${change.server}" on${change.lifts === undefined ? '' : lifting[change.lifts]}.`;
    case 'disable':
      return `Switch "${change.server}" off.`;
    case 'describe':
      return `Tell all apps another description of ${toolCount(change.texts)} of "${change.server}".`;
  }
}

function toolCount(texts: Readonly<Record<string, ToolText>>): string {
  const { length } = Object.keys(texts);
  return length === 1 ? '1 tool' : `${length} tools`;
}

/** What an edit of the config file, not made by Tooltray, would bring about, as a sentence for the person. */
export function describeEdits(waiting: readonly WaitingEdit[]): string {
  const what = waiting.map((edit) => {
    if (edit.kind === 'setting') return `the setting ${edit.key}`;
    return edit.before === undefined ? `the new server "${edit.server}"` : `the server "${edit.server}"`;
  });
  const last = what.length > 1 ? ` and ${what.at(-1) ?? ''}` : '';
  const list = `${(what.length > 1 ? what.slice(0, -1) : what).join(', ')}${last}`;
  return `The config file was changed outside of Tooltray: ${list}. Not in use until you agree.`;
}

/** Fields that neither launch, connect, nor say what models read or may do. */
const calmFields: ReadonlySet<string> = new Set(['lazy', 'idleStopSeconds', 'kits', 'notes', 'source']);

/** Something starts, is reached, or is told to models that was not before: the page does not make its approval the easy button. */
export function isRisky(change: ServerChange): boolean {
  if (change.kind === 'remove' || change.kind === 'disable') return false;
  if (change.kind !== 'update') return true;
  return Object.entries(change.fields).some(([field, value]) => isObject(value) || !calmFields.has(field));
}

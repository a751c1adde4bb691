/** Reasons besides its switch that hold a server until the user approves: not yet reviewed, or blocked. */
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { LeaseHandle } from './server-config.ts';
import { setServerField, rawField } from './edit-config.ts';
import type { ServerEntry } from './schema.ts';

/** Why such a server is off, as a sentence. */
export const holdReasons: Readonly<Record<LeaseHandle, string>> = {
  review: 'It waits for your review and is not started before.',
  blocked: 'You have blocked it, so it stays off.',
  setup: 'A value that its entry names is not set.',
};

/** How to lift each hold. */
export const holdFixes: Readonly<Record<LeaseHandle, string>> = {
  review: 'Look at what it would run, and accept it or not: tooltray inbox show NAME, or the dashboard.',
  blocked: 'Look at it again: tooltray inbox show NAME, or the dashboard.',
  setup: 'Set the value or edit the entry: tooltray config validate NAME says which.',
};

export function holdOf(entry: ServerEntry): LeaseHandle | undefined {
  return entry.quarantined === true ? 'review' : undefined;
}

/** Whether an update with these fields (null removes one) may lift a hold. */
export function mayLiftHold({ quarantined, command }: JsonObject): boolean {
  return [quarantined, command].some((value) => value !== undefined && value !== true);
}

/**
 * Only a review by the user permits such a server to start: neither a switch nor a change of its entry. Throws
 * AppError
 * `not_allowed`.
 */
export function assertReviewed(server: { readonly name: string; readonly held?: LeaseHandle } | undefined): void {
  if (server?.held !== 'review' && server?.held !== 'blocked') return;
  const said = server.held === 'review' ? 'waits for the review of the user' : 'was blocked by the user';
  throw new AppError('not_allowed', `${server.name} ${said}.`, {
    fix: `Only the user or an administrator can let it start: ${reviewCommand(server.name)}.`,
  });
}

/** The command to review a server, for the fix of an error. */
export function reviewCommand(server: string): string {
  return `tooltray inbox show ${server}, or the inbox in Tooltray's window`;
}

/** Removes MCPProxy's mark from an accepted entry. Throws as setServerField does. */
export function markReviewed(text: string, server: string): string {
  return clear(text, server, 'quarantined');
}

/** Marks a server as blocked in the file. Throws as setServerField does. */
export function markBlocked(text: string, server: string): string {
  return setServerField(setServerField(text, server, 'enabled', false), server, 'quarantined', true);
}

function clear(text: string, server: string, field: string): string {
  return rawField(text, server, field) === true ? setServerField(text, server, field, false) : text;
}

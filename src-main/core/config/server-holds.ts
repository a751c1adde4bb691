/** Reasons besides its switch that hold a server until the user approves: not yet reviewed, or blocked. */
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { LeaseHandle } from './server-config.ts';
import { setServerField, rawField } from './edit-config.ts';
import type { ServerEntry } from './schema.ts';

/** Why such a server is off, as a sentence. */
export const holdReasons: Readonly<Record<LeaseHandle, string>> = {
  review: 'It needs your review before it can start.',
  blocked: 'You have blocked it.',
  setup: 'A value that its entry requires is not set.',
};

/** How to lift each hold. */
export const holdFixes: Readonly<Record<LeaseHandle, string>> = {
  review: 'Review what it would run, then accept or block it: tooltray inbox show NAME, or the dashboard.',
  blocked: 'Review it again: tooltray inbox show NAME, or the dashboard.',
  setup: 'Set the value or edit the entry: run tooltray config validate NAME to see which.',
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
  const said = server.held === 'review' ? "needs the user's review" : 'was blocked by the user';
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

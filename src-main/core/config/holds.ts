/**
 * What keeps a server off until a person has agreed, besides its switch: that nobody has looked at it yet, that a person has blocked it,
 * and the wish to run in a container or sandbox, which would be broken by starting the command as it is.
 */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { Hold } from './app-config.ts';
import { setServerField, writtenField } from './edit-config.ts';
import type { Entry } from './schema.ts';

/** Why such a server is off, in a sentence. */
export const holdReasons: Readonly<Record<Hold, string>> = {
  review: 'It waits for your review and is not started before.',
  blocked: 'You have blocked it, so it stays off.',
  isolation: 'It asks to run in a container or sandbox, which Tooltray does not have, so it stays off.',
};

/** What switching it on means then. */
export const holdFixes: Readonly<Record<Hold, string>> = {
  review: 'Look at what it would run, and accept it or not: tooltray review NAME, or the dashboard.',
  blocked: 'Look at it again: tooltray review NAME, or the dashboard.',
  isolation: 'Switch it on to start its command as it is, without a container: tooltray enable NAME, or the dashboard.',
};

/** `isolateCommands`: what holds for commands that say nothing themselves. */
export function holdOf(entry: Entry, isolateCommands: boolean): Hold | undefined {
  if (entry.quarantined === true) return 'review';
  return entry.command !== undefined && wantsIsolation(entry, isolateCommands) ? 'isolation' : undefined;
}

/** Whether these fields of an update (null takes one out) may lift a hold. */
export function mayLift({ quarantined, sandboxEnabled, isolation, command }: JsonObject): boolean {
  if (isObject(isolation))
    return isolation['enabled'] === false || isolation['enabled'] === null || 'mode' in isolation;
  return [quarantined, sandboxEnabled, isolation, command].some((value) => value !== undefined && value !== true);
}

/**
 * Nothing but a person's review lets such a server start: neither a switch nor any change of its entry. Throws AppError not_allowed.
 */
export function requireReviewed(server: { readonly name: string; readonly held?: Hold } | undefined): void {
  if (server?.held !== 'review' && server?.held !== 'blocked') return;
  const said = server.held === 'review' ? 'waits for the review of the person' : 'was blocked by the person';
  throw new AppError('not_allowed', `${server.name} ${said}.`, {
    fix: `Only they can let it start, where they see what it is: tooltray review ${server.name}, or Tooltray's window.`,
  });
}

/** Takes MCPProxy's mark off an entry that a person has accepted. Throws as setServerField does. */
export function markReviewed(text: string, server: string): string {
  return clear(text, server, 'quarantined');
}

/** What a person does not want, in the words of the file itself. Throws as setServerField does. */
export function markUnwanted(text: string, server: string): string {
  return setServerField(setServerField(text, server, 'enabled', false), server, 'quarantined', true);
}

/** Switches a server on or off; on lifts the wish for a container. Throws as setServerField does. */
export function switchServer(text: string, server: string, enabled: boolean, isolateCommands: boolean): string {
  const switched = setServerField(text, server, 'enabled', enabled);
  if (!enabled) return switched;
  const lifted = clear(switched, server, 'sandboxEnabled');
  const written = writtenField(lifted, server, 'isolation');
  const isolation = isObject(written) ? written : undefined;
  if (isolation === undefined && !isolateCommands) return lifted;
  if (isolation !== undefined && !wantsIsolation({ isolation }, isolateCommands)) return lifted;
  // What image it would have run in stays written.
  const { mode, ...rest } = isolation ?? {};
  return setServerField(lifted, server, 'isolation', {
    ...rest,
    ...(mode !== undefined && { mode: 'none' }),
    enabled: false,
  });
}

function clear(text: string, server: string, field: string): string {
  return writtenField(text, server, field) === true ? setServerField(text, server, field, false) : text;
}

/** MCPProxy: `mode` says it, else `enabled`, else what holds for all; it never puts Docker's own command into a container. */
function wantsIsolation({ isolation, sandboxEnabled, command = '' }: Entry, isolateCommands: boolean): boolean {
  if (sandboxEnabled === true) return true;
  if (isolation?.mode !== undefined && isolation.mode !== '') return isolation.mode !== 'none';
  return isolation?.enabled ?? (isolateCommands && !/(^|[\\/])(docker|podman)(\.exe)?$/i.test(command));
}

/**
 * What keeps a server off until a person has agreed, besides its switch: MCPProxy's quarantine, and the wish to run in a container or sandbox,
 * which would be broken by starting the command as it is.
 */
import { isObject, type JsonObject } from '../base/json.ts';
import type { Hold } from './app-config.ts';
import { setServerField, writtenField } from './edit-config.ts';
import type { Entry } from './schema.ts';

/** Why such a server is off, in a sentence. */
export const holdReasons: Readonly<Record<Hold, string>> = {
  quarantine: 'It is in quarantine since it came from MCPProxy, so it stays off.',
  isolation: 'It asks to run in a container or sandbox, which Tooltray does not have, so it stays off.',
};

/** What switching it on means then. */
export const holdFixes: Readonly<Record<Hold, string>> = {
  quarantine: 'Switch it on to lift the quarantine: tooltray enable NAME, or the dashboard.',
  isolation: 'Switch it on to start its command as it is, without a container: tooltray enable NAME, or the dashboard.',
};

/** `isolateCommands`: what holds for commands that say nothing themselves. */
export function holdOf(entry: Entry, isolateCommands: boolean): Hold | undefined {
  if (entry.quarantined === true) return 'quarantine';
  return entry.command !== undefined && wantsIsolation(entry, isolateCommands) ? 'isolation' : undefined;
}

/** Whether these fields of an update (null takes one out) may lift a hold. */
export function mayLift({ quarantined, sandboxEnabled, isolation, command }: JsonObject): boolean {
  if (isObject(isolation))
    return isolation['enabled'] === false || isolation['enabled'] === null || 'mode' in isolation;
  return [quarantined, sandboxEnabled, isolation, command].some((value) => value !== undefined && value !== true);
}

/** Switches a server on or off; on lifts what holds it. Throws as setServerField does. */
export function switchServer(text: string, server: string, enabled: boolean, isolateCommands: boolean): string {
  const switched = setServerField(text, server, 'enabled', enabled);
  if (!enabled) return switched;
  const lifted = clear(clear(switched, server, 'quarantined'), server, 'sandboxEnabled');
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

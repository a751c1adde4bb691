/** upstream_servers `add`: a new server, which the person has to approve unless their config says otherwise. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { HelperContext } from '../mode.ts';
import { proposedChange } from './proposed-change.ts';
import { readServerFields } from './read-server-fields.ts';
import { requireName, requireServer } from './require-server.ts';
import { connectionStatus } from './server-report.ts';

/** Throws AppError bad_request, config_conflict where the name is taken. */
export async function addServer(input: JsonObject, context: HelperContext): Promise<JsonObject> {
  const name = requireName(input);
  if (name.includes(':')) throw refused(`"${name}" has a colon.`, 'A tool is named server:tool, so a server has none.');
  const { fields, warnings } = readServerFields(input);
  const enabled = input['enabled'] !== false;
  // A model may ask for less trust, never for more.
  const held = input['quarantined'] === true;
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  const entry = { ...Object.fromEntries(given), ...(!enabled && { enabled }), ...(held && { quarantined: true }) };
  const protocol = requireWay(entry);
  const outcome = await context.admin.request({ kind: 'add', server: name, entry }, context.author);
  const added = outcome.kind === 'applied';
  return {
    ...{ name, protocol, enabled, added },
    // A proposal is what quarantine is elsewhere: nothing runs before a person has looked at it.
    quarantined: held || !added,
    ...(added ? addedReport(input, context) : { ...proposedChange(outcome), security_status: 'waits for the person' }),
    ...(warnings.length > 0 && { warnings }),
  };
}

function addedReport(input: JsonObject, { admin }: HelperContext): JsonObject {
  const server = requireServer(input, admin);
  return {
    status: 'configured',
    connection_status: connectionStatus(server),
    connection_message: server.health.detail,
    security_status: 'allowed by the config',
    message: `"${server.name}" was added.`,
  };
}

/** How it is reached. */
function requireWay({ type, command, url }: JsonObject): string {
  if (command === undefined && url === undefined) {
    throw refused('A server needs a command or a url.', 'Give "command" with "args_json", or "url".');
  }
  const protocol = typeof type === 'string' && type !== 'auto' ? type : undefined;
  return protocol ?? (command === undefined ? 'streamable-http' : 'stdio');
}

function refused(what: string, fix: string): AppError {
  return new AppError('bad_request', what, { fix });
}

/** upstream_servers: MCPProxy's interface to the service that changes servers, including its policy. */
import { jsonError, jsonResult, proposedChangeInfo, readClampedInteger, badRequestError } from './results.ts';
import type { ServerChange } from '../../core/admin/server-change.ts';
import { AppError } from '../../core/base/errors.ts';
import { isObject, type JsonObject } from '../../core/base/json.ts';
import type { HelperContext, HelperTool } from '../../core/modes/mode.ts';
import {
  changedFields,
  connectionStatus,
  isQuarantined,
  protocols,
  readServerFields,
  requireName,
  requireServerFrom,
  serverReport,
} from './server-fields.ts';

// upstream_servers `add`: adds a server, which the user must approve unless the config allows it.

/** Throws AppError `bad_request`, or `config_conflict` if the name is taken. */
async function addServer(input: JsonObject, context: HelperContext): Promise<JsonObject> {
  const name = requireName(input);
  if (name.includes(':'))
    throw badRequestError(
      `"${name}" contains a colon.`,
      'Server names cannot contain colons, because tools are named server:tool.',
    );
  const { fields, warnings } = readServerFields(input);
  const enabled = fields['enabled'] !== false;
  // A model may request less trust, never more.
  const held = input['quarantined'] === true;
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  const entry = { ...Object.fromEntries(given), ...(held && { quarantined: true }) };
  const protocol = requireWay(entry);
  const outcome = await context.admin.request({ kind: 'add', server: name, entry }, context.author);
  const added = outcome.kind === 'applied';
  return {
    name,
    protocol,
    enabled,
    added,
    // A proposal corresponds to quarantine: nothing runs before the user has reviewed it.
    quarantined: held || !added,
    ...(added
      ? addedReport(input, context)
      : { ...proposedChangeInfo(outcome), security_status: 'waits for the user' }),
    ...(warnings.length > 0 && { warnings }),
  };
}

function addedReport(input: JsonObject, { admin }: HelperContext): JsonObject {
  const server = requireServerFrom(input, admin);
  return {
    status: 'configured',
    connection_status: connectionStatus(server),
    connection_message: server.health.detail,
    security_status: 'allowed by the config',
    message: `"${server.name}" was added.`,
  };
}

/** Returns the server's transport type. */
function requireWay({ type, command, url }: JsonObject): string {
  if (command === undefined && url === undefined) {
    throw badRequestError('A server requires a command or a url.', 'Give "command" with "args_json", or "url".');
  }
  const protocol = typeof type === 'string' && type !== 'auto' ? type : undefined;
  return protocol ?? (command === undefined ? 'streamable-http' : 'stdio');
}

// upstream_servers `remove`.

/** Throws AppError `server_not_found`, `config_conflict`. */
async function removeServer(input: JsonObject, { admin, author }: HelperContext): Promise<JsonObject> {
  const { name } = requireServerFrom(input, admin);
  const outcome = await admin.request({ kind: 'remove', server: name }, author);
  return { id: name, name, removed: outcome.kind === 'applied', ...proposedChangeInfo(outcome) };
}

// upstream_servers `update` and `patch`: change only the given fields; values can be cleared.

/** Throws AppError `bad_request`, `server_not_found`. */
async function patchServer(input: JsonObject, context: HelperContext): Promise<JsonObject> {
  const { admin, author } = context;
  const before = requireServerFrom(input, admin);
  const read = readServerFields(input);
  const fields = changedFields(read.fields, { ...before.config, enabled: before.enabled });
  const change = toChange(before.name, fields);
  const outcome = change === undefined ? undefined : await admin.request(change, author);
  const now = requireServerFrom(input, admin);
  return {
    id: now.name,
    name: now.name,
    updated: outcome?.kind === 'applied',
    enabled: now.enabled,
    connection_status: connectionStatus(now),
    connection_message: now.health.detail,
    changes: changesIn(fields),
    ...(outcome === undefined
      ? { message: 'Nothing to change: the configuration is the same.' }
      : proposedChangeInfo(outcome)),
    ...(read.warnings.length > 0 && { warnings: read.warnings }),
  };
}

/** Enabling or disabling alone is a separate kind of change. */
function toChange(server: string, fields: JsonObject): ServerChange | undefined {
  const names = Object.keys(fields);
  if (names.length === 0) return undefined;
  if (names.length > 1 || names[0] !== 'enabled') return { kind: 'update', server, fields };
  return { kind: fields['enabled'] === true ? 'enable' : 'disable', server };
}

/** Names only, because values may be secrets. `env.TOKEN` is a key in a map. */
function changesIn(fields: JsonObject): { modified: string[]; removed: string[] } {
  const paths = Object.entries(fields).flatMap(([field, value]) =>
    isObject(value)
      ? Object.entries(value).map(([key, item]) => [`${field}.${key}`, item] as const)
      : [[field, value] as const],
  );
  return {
    modified: paths.filter(([, value]) => value !== null).map(([path]) => path),
    removed: paths.filter(([, value]) => value === null).map(([path]) => path),
  };
}

// tail_log: the last lines of a server's stderr.

const defaultLines = 50;
const maxLines = 500;

/** Throws AppError `bad_request`, `server_not_found`. */
function logTail(input: JsonObject, { admin }: HelperContext): JsonObject {
  const server = requireServerFrom(input, admin);
  const wanted = readClampedInteger(input['lines'], defaultLines, maxLines);
  const lines = admin.log(server.name, wanted);
  return {
    server_name: server.name,
    lines_requested: wanted,
    lines_returned: lines.length,
    log_lines: lines,
    server_status: { enabled: server.enabled, quarantined: isQuarantined(server) },
    connection_status: connectionStatus(server),
  };
}

type Operation = (input: JsonObject, context: HelperContext) => JsonObject | Promise<JsonObject>;

const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['list', (_, context) => listServers(context)],
  ['add', addServer],
  ['remove', removeServer],
  ['update', patchServer],
  ['patch', patchServer],
  ['tail_log', logTail],
]);

const text = { type: 'string' };

export const upstreamServers: HelperTool = {
  admin: true,
  kind: 'change',
  definition: {
    name: 'upstream_servers',
    description:
      'List, add, change and remove servers. A patch changes only what it names: maps are merged, lists replaced, null removes.',
    inputSchema: {
      type: 'object',
      properties: {
        operation: { enum: [...operations.keys()] },
        name: text,
        command: text,
        args_json: { ...text, description: 'JSON list' },
        env_json: { ...text, description: 'JSON object' },
        url: text,
        protocol: { enum: protocols },
        headers_json: { ...text, description: 'JSON object' },
        isolation_json: { ...text, description: 'JSON object' },
        oauth_json: { ...text, description: 'JSON object' },
        working_dir: text,
        enabled: { type: 'boolean' },
        init_timeout: { ...text, description: 'like 30s' },
        lines: { type: 'integer' },
      },
      required: ['operation'],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  },
  async run(input, context) {
    const operation = operations.get(String(input['operation']));
    if (operation === undefined) {
      const known = [...operations.keys()];
      return jsonError({
        error: `Unknown operation: ${JSON.stringify(input['operation'] ?? '')}.`,
        valid_operations: known,
      });
    }
    try {
      return jsonResult(await operation(input, context));
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
      return jsonError({
        error: error.message,
        error_code: error.code,
        ...(error.fix !== undefined && { hint: error.fix }),
        ...error.data,
      });
    }
  },
};

function listServers({ admin, catalog }: HelperContext): JsonObject {
  const servers = admin.list().map((server) => serverReport(server, catalog.lookup.tools.byServer(server.name).length));
  return { servers, total: servers.length };
}

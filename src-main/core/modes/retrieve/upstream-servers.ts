/** upstream_servers: MCPProxy's façade over the one service that changes servers, policy included. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { HelperContext, HelperTool } from '../mode.ts';
import { addServer } from './add-server.ts';
import { patchServer } from './patch-server.ts';
import { jsonFailure, jsonResult } from './json-result.ts';
import { removeServer, retryServer, switchServer } from './server-operations.ts';
import { serverReport } from './server-report.ts';
import { logTail } from './tail-log.ts';

type Operation = (input: JsonObject, context: HelperContext) => JsonObject | Promise<JsonObject>;

const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['list', (_, context) => listServers(context)],
  ['add', addServer],
  ['remove', removeServer],
  ['update', patchServer],
  ['patch', patchServer],
  ['enable', (input, context) => switchServer(input, 'enable', context)],
  ['disable', (input, context) => switchServer(input, 'disable', context)],
  ['restart', (input, context) => retryServer(input, 'restart', context)],
  ['refresh', (input, context) => retryServer(input, 'refresh', context)],
  ['tail_log', logTail],
]);

const text = { type: 'string' };

export const upstreamServers: HelperTool = {
  admin: true,
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
        protocol: { enum: ['stdio', 'http', 'sse', 'streamable-http', 'auto'] },
        headers_json: { ...text, description: 'JSON object' },
        isolation_json: { ...text, description: 'JSON object' },
        oauth_json: { ...text, description: 'JSON object' },
        working_dir: text,
        enabled: { type: 'boolean' },
        init_timeout: { ...text, description: 'like 30s' },
        lines: { type: 'integer' },
        etag: { ...text, description: 'from list: change only if nothing was changed since' },
      },
      required: ['operation'],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  },
  async run(input, context) {
    const operation = operations.get(String(input['operation']));
    if (operation === undefined) {
      const known = [...operations.keys()];
      return jsonFailure({
        error: `Unknown operation: ${JSON.stringify(input['operation'] ?? '')}.`,
        valid_operations: known,
      });
    }
    try {
      return jsonResult(await operation(input, context));
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
      return jsonFailure({
        error: error.message,
        error_code: error.code,
        ...(error.fix !== undefined && { hint: error.fix }),
        ...error.data,
      });
    }
  },
};

function listServers({ admin, catalog }: HelperContext): JsonObject {
  const servers = admin
    .list()
    .map((server) => serverReport(server, admin.revision(server.name), catalog.lookup.tools.of(server.name).length));
  return { servers, total: servers.length };
}

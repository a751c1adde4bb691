/** tail_log: the last lines that a server wrote to stderr. */
import type { JsonObject } from '../../base/json.ts';
import type { HelperContext, HelperTool } from '../mode.ts';
import { jsonResult } from './json-result.ts';
import { readCount } from './read-options.ts';
import { requireServer } from './require-server.ts';
import { connectionStatus } from './server-report.ts';

const usualLines = 50;
const mostLines = 500;

export const tailLog: HelperTool = {
  admin: true,
  definition: {
    name: 'tail_log',
    description: "The last lines of a server's log.",
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'server' }, lines: { type: 'integer' } },
      required: ['name'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: async (input, context) => jsonResult(logTail(input, context)),
};

/** Throws AppError bad_request, server_not_found. */
export function logTail(input: JsonObject, { admin }: HelperContext): JsonObject {
  const server = requireServer(input, admin);
  const wanted = readCount(input['lines'], usualLines, mostLines);
  const lines = admin.log(server.name, wanted);
  return {
    server_name: server.name,
    lines_requested: wanted,
    lines_returned: lines.length,
    log_lines: lines,
    server_status: { enabled: server.enabled, quarantined: server.held === 'quarantine' },
    connection_status: connectionStatus(server),
  };
}

/** A call that came to nothing, in the shapes that MCPProxy's users know; always an error to the model. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { shortName } from '../../base/short-name.ts';
import { usableSchema } from '../../catalog/catalog.ts';
import { resolveEntry } from '../../catalog/resolve-entry.ts';
import { rpcCode, RpcError } from '../../wire/message.ts';
import type { HelperContext } from '../mode.ts';
import { jsonFailure } from './json-result.ts';

/** Throws what is not for the model: a call that was cancelled, a defect of ours. */
export function callFailure(error: unknown, tool: string, context: HelperContext): JsonObject {
  if (error instanceof RpcError) return jsonFailure(rpcFailure(error, tool, context));
  if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
  const { message, fix, data } = error;
  const notFound = notCalled(error, tool, context);
  if (notFound !== undefined) return notFound;
  switch (error.code) {
    case 'arguments_invalid':
      return jsonFailure({ error: message, ...data });
    case 'not_allowed':
      return jsonFailure({ error: message, error_code: data?.['code'], hint: fix, use: data?.['use'] });
    default:
      return jsonFailure({ error: message, ...placeOf(tool, context), ...detailsOf(error) });
  }
}

/** What was called, as far as its name can be understood. */
function placeOf(name: string, { catalog }: HelperContext): JsonObject {
  try {
    const tool = resolveEntry(catalog, 'tools', name);
    return { server_name: tool.server, tool_name: tool.name };
  } catch {
    return { tool_name: shortName(name) };
  }
}

function detailsOf({ fix, data }: AppError): JsonObject {
  const status = data?.['status'];
  return {
    ...(typeof status === 'number' && { http_details: { status_code: status } }),
    ...(fix !== undefined && { troubleshooting: fix }),
  };
}

function rpcFailure({ code, message, data }: RpcError, name: string, { catalog }: HelperContext): JsonObject {
  if (code !== rpcCode.invalidParams) {
    return { error: message, error_code: code, ...(data !== undefined && { error_data: data }) };
  }
  const tool = resolveEntry(catalog, 'tools', name);
  return {
    error: message,
    error_type: 'invalid_params',
    tool: tool.id,
    hint: 'The server refused the arguments; compare them with its schema.',
    input_schema: usableSchema(tool.definition),
    ...(data !== undefined && { error_data: data }),
  };
}

/** What MCPProxy says in a text of its own: the name led nowhere, or to something that is off. */
function notCalled(error: AppError, name: string, { admin, finder }: HelperContext): JsonObject | undefined {
  const found = finder.look(name);
  if (!('missing' in found)) return undefined;
  const { missing } = found;
  if (missing === 'off' || missing === 'quarantined' || missing === 'tool-off') {
    const text = `TOOL_BLOCKED: ${found.error.text} retrieve_tools with include_disabled shows what is off.`;
    return { content: [{ type: 'text', text }], isError: true };
  }
  if (error.code !== 'tool_not_found') return undefined;
  if (missing === 'no-server') {
    const known = admin.list().map((one) => one.name);
    return jsonFailure({
      error: `There is no server ${JSON.stringify(shortName(name.slice(0, name.indexOf(':')).trim()))}.`,
      hint: `Servers: ${known.join(', ') || 'none yet'}. Find tools with retrieve_tools; upstream_servers (operation "list") tells of the servers.`,
    });
  }
  const bare = name.includes(':') ? '' : ' A name is expected as server:tool.';
  return jsonFailure({ error: error.message, hint: `${error.fix ?? ''}${bare}`.trim() });
}

/** call_tool_read, call_tool_write, and call_tool_destructive: a call whose tool name declares the intent. */
import { AppError } from '../../core/base/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../core/base/json.ts';
import { truncateName } from '../../core/base/visible-text.ts';
import { type CallRequest, type Intent, intents } from '../../core/calls/call-tool.ts';
import { unwrapCall } from '../../core/calls/validate-arguments.ts';
import { argumentKeys, readArguments, readServerName, readToolName } from '../../core/calls/read-arguments.ts';
import { ArgumentsRejectedError } from '../../core/calls/rejected-arguments.ts';
import { resolveEntry, usableSchema } from '../../core/catalog/catalog.ts';
import type { UnavailableTool } from '../../core/catalog/tool-finder.ts';
import type { HelperContext, HelperTool } from '../../core/modes/mode.ts';
import { rpcCode, RpcError } from '../../core/wire/message.ts';
import { jsonError, jsonResult, readTrimmedText } from './results.ts';

const what: Readonly<Record<Intent, string>> = {
  read: 'Call a tool that only reads.',
  write: 'Call a tool that changes but destroys nothing.',
  destructive: 'Call a tool that may overwrite or delete.',
};

/** Annotations that differ from MCP's defaults. */
const effects: Readonly<Record<Intent, JsonObject>> = {
  read: { readOnlyHint: true },
  write: { destructiveHint: false },
  destructive: { destructiveHint: true },
};

export function callVariant(variant: Intent): HelperTool {
  const name = `call_tool_${variant}`;
  return {
    kind: 'call',
    definition: {
      name,
      description: what[variant],
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'server:tool' },
          args: { type: 'object' },
          args_json: { type: 'string', description: 'or args as JSON text' },
          intent: { type: 'object', description: 'operation_type, data_sensitivity, reason' },
        },
        required: ['name'],
      },
      annotations: effects[variant],
      _meta: { 'anthropic/alwaysLoad': true },
    },
    async run(input, context) {
      const call = unwrapCall(input);
      const problem = intentProblem({ ...input, ...call }, variant);
      if (problem !== undefined) return jsonError({ error: problem.error, error_code: problem.code });
      const request = toRequest(call, variant, name);
      try {
        return await context.callTool(request);
      } catch (error) {
        const { server, tool } = request;
        return callErrorResult(error, server === undefined ? tool : `${server}:${tool}`, context, request.arguments);
      }
    },
  };
}

function toRequest(call: JsonObject, intent: Intent, via: string): CallRequest {
  // Next to `name`, `path` or `tool` is more likely an argument of the tool.
  const tool = trimmedId(readTrimmedText(call['name']) ?? readToolName(call));
  const own = new Set<string>([...argumentKeys, ...intentKeys, 'name', '_meta']);
  const server = tool.includes(':') ? undefined : readServerName(call);
  return {
    tool,
    server,
    via,
    intent,
    arguments: readArguments(withoutTwin(call)) ?? {},
    beside: Object.fromEntries(Object.entries(call).filter(([key]) => !own.has(key))),
    declared: { reason: declaredReason(call), sensitivity: declaredSensitivity(call) },
    rest: isObject(call['_meta']) ? { _meta: call['_meta'] } : undefined,
  };
}

/** If both `args` and `args_json` are given, the string wins, as in MCPProxy. */
function withoutTwin(call: JsonObject): JsonObject {
  if (call['args'] === undefined || call['args_json'] === undefined) return call;
  const { args, args_json: text, ...rest } = call;
  return readTrimmedText(text) === undefined ? { ...rest, args } : { ...rest, args_json: text };
}

/** Models sometimes put spaces around the colon of `server:tool`. */
function trimmedId(id: string): string {
  const [server, ...rest] = id.split(':');
  return rest.length === 0 ? id : `${server?.trim()}:${rest.join(':').trim()}`;
}

// The model's declared intent in MCPProxy's two forms: nested, which must name the operation, or flat.

interface IntentProblem {
  readonly code:
    | 'MISSING_INTENT'
    | 'MISSING_OPERATION_TYPE'
    | 'INVALID_OPERATION_TYPE'
    | 'INTENT_MISMATCH'
    | 'INVALID_SENSITIVITY'
    | 'REASON_TOO_LONG';
  readonly error: string;
}

const sensitivities = ['public', 'internal', 'private', 'unknown'];
/** In UTF-8 bytes. */
const maxReasonBytes = 1000;

/** Input keys of the declared intent. */
const intentKeys: readonly string[] = ['intent', 'intent_data_sensitivity', 'intent_reason'];

/** Why the declared intent is invalid for a call through `call_tool_<variant>`. No declaration is valid. */
export function intentProblem(input: JsonObject, variant: Intent): IntentProblem | undefined {
  if (input['intent'] === undefined) {
    return detailProblem(input['intent_data_sensitivity'], input['intent_reason']);
  }
  const intent = toObject(input['intent']);
  if (intent === undefined) return { code: 'MISSING_INTENT', error: '"intent" must be an object.' };
  const { operation_type: type, data_sensitivity: sensitivity, reason } = intent;
  if (type === undefined || type === null || type === '') {
    return {
      code: 'MISSING_OPERATION_TYPE',
      error: `"intent.operation_type" is missing; for this tool it is "${variant}".`,
    };
  }
  if (!(intents as readonly unknown[]).includes(type)) {
    return { code: 'INVALID_OPERATION_TYPE', error: `"intent.operation_type" must be one of ${intents.join(', ')}.` };
  }
  if (type !== variant) {
    return {
      code: 'INTENT_MISMATCH',
      error: `The intent is ${JSON.stringify(type)}, but the call used call_tool_${variant}.`,
    };
  }
  return detailProblem(sensitivity ?? input['intent_data_sensitivity'], reason ?? input['intent_reason']);
}

/** Reason stated in a valid declaration. */
function declaredReason(input: JsonObject): string | undefined {
  const reason = toObject(input['intent'])?.['reason'] ?? input['intent_reason'];
  return typeof reason === 'string' && reason !== '' ? reason : undefined;
}

/** Data sensitivity stated in a declaration. */
function declaredSensitivity(input: JsonObject): string | undefined {
  const sensitivity = toObject(input['intent'])?.['data_sensitivity'] ?? input['intent_data_sensitivity'];
  return sensitivities.find((one) => one === sensitivity);
}

function detailProblem(sensitivity: unknown, reason: unknown): IntentProblem | undefined {
  if (isGiven(sensitivity) && !sensitivities.includes(sensitivity as string)) {
    return { code: 'INVALID_SENSITIVITY', error: `The data sensitivity must be one of ${sensitivities.join(', ')}.` };
  }
  if (isGiven(reason) && (typeof reason !== 'string' || Buffer.byteLength(reason) > maxReasonBytes)) {
    return { code: 'REASON_TOO_LONG', error: `The reason must be a string of at most ${maxReasonBytes} bytes.` };
  }
  return undefined;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function toObject(value: unknown): JsonObject | undefined {
  if (typeof value !== 'string') return isObject(value) ? value : undefined;
  try {
    return toObject(parseJson(value));
  } catch {
    return undefined;
  }
}

// A call that came to nothing, in the shapes that MCPProxy's users know; always an error to the model.

/** Throws errors that are not meant for the model: cancelled calls and internal errors. */
export function callErrorResult(error: unknown, tool: string, context: HelperContext, args?: unknown): JsonObject {
  if (error instanceof RpcError) return jsonError(rpcFailure(error, tool, context));
  if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
  const { message, fix, data } = error;
  if (data?.['code'] === 'TOOL_QUARANTINED') return heldTool(error, data);
  const notFound = notCalled(error, tool, context, args);
  if (notFound !== undefined) return notFound;
  switch (error.code) {
    case 'arguments_invalid':
      return jsonError({ error: message, ...data });
    case 'not_allowed':
      return jsonError({ error: message, error_code: data?.['code'], hint: fix, use: data?.['use'] });
    default:
      return jsonError({ error: message, ...placeOf(tool, context), ...detailsOf(error) });
  }
}

/** Server and tool of a call, as far as its name can be parsed. */
function placeOf(name: string, { catalog }: HelperContext): JsonObject {
  try {
    const tool = resolveEntry(catalog, 'tools', name);
    return { server_name: tool.server, tool_name: tool.name };
  } catch {
    return { tool_name: truncateName(name) };
  }
}

function detailsOf({ fix, data }: AppError): JsonObject {
  const status = data?.['status'];
  return {
    ...(typeof status === 'number' && { http_details: { status_code: status } }),
    ...(fix !== undefined && { troubleshooting: fix }),
  };
}

function rpcFailure(error: RpcError, name: string, { catalog }: HelperContext): JsonObject {
  const { code, data } = error;
  // The full schema is added as a member.
  const refusal = error instanceof ArgumentsRejectedError ? error : undefined;
  const message = refusal?.serverMessage ?? error.message;
  if (code !== rpcCode.invalidParams || refusal === undefined) {
    return { error: message, error_code: code, ...(data !== undefined && { error_data: data }) };
  }
  const tool = resolveEntry(catalog, 'tools', name);
  return {
    error: message,
    error_type: 'invalid_params',
    tool: tool.id,
    hint: 'The server rejected the arguments; compare them with its schema.',
    ...(refusal.isShown ? { input_schema_shown: 'earlier' } : { input_schema: usableSchema(tool.definition) }),
    ...(data !== undefined && { error_data: data }),
  };
}

/** A server that the user has not accepted; not an error in MCPProxy's format. Contains no server text. */
function heldServer(
  name: string,
  { server, tool, error: { message, fix, data } }: UnavailableTool,
  args: unknown,
): JsonObject {
  return jsonResult({
    status: 'QUARANTINED_SERVER_BLOCKED',
    serverName: server,
    toolName: tool ?? ownNameIn(name),
    requestedArgs: args ?? {},
    message,
    instructions: fix ?? '',
    toolAnalysis: null,
    securityHelp: 'Only the user can approve a server, after reviewing what it would run.',
    ...(data?.['candidates'] !== undefined && { candidates: data['candidates'] }),
  });
}

/** The tool's name in `server:tool`: the server's listing is not read before the user accepts it. */
function ownNameIn(name: string): string {
  return truncateName(name.slice(name.indexOf(':') + 1).trim());
}

/** A new tool, or one whose definition differs from the accepted one; its definition is hidden from models. */
function heldTool({ message, fix }: AppError, data: Record<string, unknown>): JsonObject {
  return jsonResult({
    status: 'TOOL_QUARANTINED',
    server_name: data['server'],
    tool_name: data['tool'],
    reason: data['isNew'] === true ? 'new_unapproved_tool' : 'tool_description_changed',
    message,
    current_description: null,
    action: fix ?? '',
  });
}

/** MCPProxy's own text for an unknown name, or a disabled server or tool. */
function notCalled(
  error: AppError,
  name: string,
  { admin, finder }: HelperContext,
  args: unknown,
): JsonObject | undefined {
  const found = finder.tryFind(name);
  if (!('missing' in found)) return undefined;
  const { missing } = found;
  if (missing === 'in-review') return heldServer(name, found, args);
  if (missing === 'off' || missing === 'tool-off') {
    const text = `TOOL_BLOCKED: ${found.error.text}`;
    return { content: [{ type: 'text', text }], isError: true };
  }
  if (error.code !== 'tool_not_found') return undefined;
  if (missing === 'no-server') {
    const known = admin.list().map((one) => one.name);
    return jsonError({
      error: `There is no server ${JSON.stringify(truncateName(name.slice(0, name.indexOf(':')).trim()))}.`,
      hint: `Servers: ${known.join(', ') || 'none yet'}. Find tools with retrieve_tools; upstream_servers (operation "list") lists the servers.`,
    });
  }
  const bare = name.includes(':') ? '' : ' Use the form server:tool.';
  return jsonError({ error: error.message, hint: `${error.fix ?? ''}${bare}`.trim() });
}

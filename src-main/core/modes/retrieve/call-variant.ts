/** call_tool_read, call_tool_write and call_tool_destructive: one call, with what it is meant to do in its name. */
import { isObject, type JsonObject } from '../../base/json.ts';
import type { CallRequest } from '../../calls/call-tool.ts';
import type { Intent } from '../../calls/check-intent.ts';
import { hoistCall } from '../../calls/hoist-arguments.ts';
import { argumentKeys, readArguments, readServerName, readToolName } from '../../calls/read-arguments.ts';
import type { HelperTool } from '../mode.ts';
import { callFailure } from './call-failure.ts';
import { declaredReason, declaredSensitivity, intentKeys, intentProblem } from './declared-intent.ts';
import { jsonFailure } from './json-result.ts';
import { readText } from './read-options.ts';

const what: Readonly<Record<Intent, string>> = {
  read: 'Call a tool that only reads.',
  write: 'Call a tool that creates or changes something.',
  destructive: 'Call a tool that deletes or cannot be undone.',
};

/** Without what MCP takes for granted. */
const effects: Readonly<Record<Intent, JsonObject>> = {
  read: { readOnlyHint: true },
  write: { destructiveHint: false },
  destructive: { destructiveHint: true },
};

export function callVariant(variant: Intent): HelperTool {
  const name = `call_tool_${variant}`;
  return {
    definition: {
      name,
      description: what[variant],
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'server:tool' },
          args: { type: ['object', 'string'], description: 'object or its JSON text' },
          intent_reason: { type: 'string' },
        },
        required: ['name'],
      },
      annotations: effects[variant],
      _meta: { 'anthropic/alwaysLoad': true },
    },
    async run(input, context) {
      const call = hoistCall(input);
      const problem = intentProblem({ ...input, ...call }, variant);
      if (problem !== undefined) return jsonFailure({ error: problem.error, error_code: problem.code });
      const request = toRequest(call, variant, name);
      try {
        return await context.callTool(request);
      } catch (error) {
        const { server, tool } = request;
        return callFailure(error, server === undefined ? tool : `${server}:${tool}`, context);
      }
    },
  };
}

function toRequest(call: JsonObject, intent: Intent, via: string): CallRequest {
  // Beside a "name", a "path" or a "tool" is more likely an argument of the tool than its name once more.
  const tool = trimmedId(readText(call['name']) ?? readToolName(call));
  const own = new Set<string>([...argumentKeys, ...intentKeys, 'name', '_meta']);
  const server = tool.includes(':') ? undefined : readServerName(call);
  return {
    tool,
    ...{ server, via, intent },
    arguments: readArguments(withoutTwin(call)) ?? {},
    beside: Object.fromEntries(Object.entries(call).filter(([key]) => !own.has(key))),
    why: declaredReason(call),
    sensitivity: declaredSensitivity(call),
    rest: isObject(call['_meta']) ? { _meta: call['_meta'] } : undefined,
  };
}

/** Of `args` and `args_json` the text counts where both are given, as MCPProxy has it. */
function withoutTwin(call: JsonObject): JsonObject {
  if (call['args'] === undefined || call['args_json'] === undefined) return call;
  const { args, args_json: text, ...rest } = call;
  return readText(text) === undefined ? { ...rest, args } : { ...rest, args_json: text };
}

/** Models put blanks around the colon of `server:tool`. */
function trimmedId(id: string): string {
  const [server, ...rest] = id.split(':');
  return rest.length === 0 ? id : `${server?.trim()}:${rest.join(':').trim()}`;
}

/** `code_execution`, as MCPProxy documents it: tools answer at once with `{ok, result}`, and so does the whole. */
import { isObject, plainNumber } from '../../base/json.ts';
import type { SandboxLimits } from '../../sandbox/sandbox-request.ts';
import type { HelperTool } from '../mode.ts';
import { runCode } from './run-code.ts';

export const codeExecution: HelperTool = {
  definition: {
    name: 'code_execution',
    description:
      'Run JavaScript or TypeScript with call_tool(server, tool, args) and call_tools([{server, tool, args}]), each giving {ok, result}. The last expression is the value.',
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        language: { enum: ['javascript', 'typescript'] },
        input: { type: ['object', 'string'], description: 'object or its JSON text; the global input' },
        options: {
          type: ['object', 'string'],
          description: 'object or its JSON text: timeout_ms, max_tool_calls, allowed_servers',
        },
      },
      required: ['code'],
    },
  },
  spills: true,
  async run(input, context) {
    const options = objectOf(input['options']);
    const servers = options['allowed_servers'];
    const run = {
      code: typeof input['code'] === 'string' ? input['code'] : '',
      language: input['language'],
      input: objectOf(input['input']),
      limits: limitsOf(options),
      globals: 'code_execution' as const,
      via: 'code_execution',
      servers: Array.isArray(servers) ? servers.filter((server) => typeof server === 'string') : undefined,
    };
    const outcome = await runCode(run, context);
    const body = outcome.ok ? { ok: true, value: outcome.value ?? null } : { ok: false, error: outcome.error };
    return { content: [{ type: 'text', text: JSON.stringify(body) }], ...(!outcome.ok && { isError: true }) };
  },
};

/** Documented limits: 1 to 600 000 ms (120 000), any number of calls with 0 for no limit. */
function limitsOf(options: Record<string, unknown>): Partial<SandboxLimits> {
  const timeMs = Number(plainNumber(options['timeout_ms']) ?? 120_000);
  const calls = Number(plainNumber(options['max_tool_calls']) ?? 0);
  return {
    timeMs: Number.isFinite(timeMs) ? Math.min(Math.max(1, timeMs), 600_000) : 120_000,
    calls: Number.isInteger(calls) && calls > 0 ? calls : Infinity,
  };
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'string') return isObject(value) ? value : {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

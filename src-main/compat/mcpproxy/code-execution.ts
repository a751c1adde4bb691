/**
 * `code_execution`, as MCPProxy documents it: tool calls return `{ok, result}` synchronously, and so does the whole
 * program.
 */
import { isObject, type JsonObject, toPlainNumber, tryParsePlainJson } from '../../core/base/json.ts';
import type { CodeRunLimits } from '../../core/code-runner/run-request.ts';
import type { HelperTool } from '../../core/modes/mode.ts';
import { type CodeRunOptions, parseLanguage, runCode } from '../../core/modes/run-code.ts';

/** Documented limits: two minutes, unlimited calls. */
const ownLimits: Partial<CodeRunLimits> = { timeMs: 120_000, calls: Infinity };

/** An invalid input, with MCPProxy's error code. */
interface Refusal {
  readonly code: 'INVALID_ARGS' | 'INVALID_LANGUAGE';
  readonly message: string;
}

export const codeExecution: HelperTool = {
  kind: 'program',
  definition: {
    name: 'code_execution',
    description:
      'Run JavaScript, TypeScript or Python with call_tool(server, tool, args) and call_tools([{server, tool, args}]), each giving {ok, result}. The last expression is the value.',
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        language: { enum: ['javascript', 'typescript', 'python'] },
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
    const run = readRun(input);
    if ('message' in run) return answer({ ok: false, error: run });
    const outcome = await runCode(run, context);
    const readAs = outcome.readAs === undefined ? {} : { read_as: outcome.readAs };
    if (outcome.ok) return answer({ ok: true, value: outcome.value ?? null, ...readAs });
    return answer({ ok: false, error: outcome.error, ...readAs });
  },
};

function answer(body: JsonObject & { readonly ok: boolean }): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(body) }], ...(!body.ok && { isError: true }) };
}

function readRun(given: JsonObject): CodeRunOptions | Refusal {
  const { code } = given;
  if (given['script'] !== undefined)
    return wrong('script: stored scripts are not supported; pass the program as code.');
  if (typeof code !== 'string' || code.trim() === '') return wrong('code: pass the program as a string.');
  const language = parseLanguage(given['language']);
  if (language === null) {
    const message = `language: ${JSON.stringify(given['language'])} is not supported; use javascript, typescript or python.`;
    return { code: 'INVALID_LANGUAGE', message };
  }
  const input = readObject(given['input']);
  const options = readObject(given['options']);
  if (input === undefined) return wrong('input: must be an object.');
  if (options === undefined) return wrong('options: must be an object.');
  const limits = readLimits(options);
  if ('message' in limits) return limits;
  const servers = options['allowed_servers'] ?? undefined;
  if (servers !== undefined && !isTexts(servers))
    return wrong('options.allowed_servers: must be a list of server names.');
  return { code, language, input, limits, ownLimits, servers, globals: 'code_execution', via: 'code_execution' };
}

function readLimits(options: JsonObject): Partial<CodeRunLimits> | Refusal {
  const timeMs = toPlainNumber(options['timeout_ms'] ?? undefined);
  const calls = toPlainNumber(options['max_tool_calls'] ?? undefined);
  if (timeMs !== undefined && !isWhole(timeMs, 1, 600_000)) {
    return wrong('options.timeout_ms: must be an integer from 1 to 600000.');
  }
  if (calls !== undefined && !isWhole(calls, 0, Number.MAX_SAFE_INTEGER)) {
    return wrong('options.max_tool_calls: must be an integer of at least 0; 0 means no limit.');
  }
  return {
    ...(timeMs !== undefined && { timeMs }),
    ...(calls !== undefined && { calls: calls === 0 ? Infinity : calls }),
  };
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** An object, or one as JSON text; undefined for anything else. */
function readObject(given: unknown): JsonObject | undefined {
  if (given === undefined || given === null || given === '') return {};
  const value = typeof given === 'string' ? tryParsePlainJson(given) : given;
  return isObject(value) ? value : undefined;
}

function wrong(message: string): Refusal {
  return { code: 'INVALID_ARGS', message };
}

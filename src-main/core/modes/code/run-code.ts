/** Runs a model's program with the session's tools; each call goes through the pipeline and is recorded by itself. */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { SandboxLanguage, SandboxLimits, SandboxOutcome, SandboxRequest } from '../../sandbox/sandbox-request.ts';
import { toObject } from '../../wire/raw-json.ts';
import type { HelperContext, HelperTool } from '../mode.ts';
import { searchTools } from '../search.ts';
import { toolmuxAdminTools } from '../toolmux/admin-tools.ts';
import { catalogTools } from '../toolmux/catalog-tools.ts';
import { getToolCount } from '../toolmux/get-tool-count.ts';
import { getToolSchema } from '../toolmux/get-tool-schema.ts';
import { invoke } from '../toolmux/invoke.ts';
import { listAllTools } from '../toolmux/list-all-tools.ts';
import { findTools, namedTools } from './find-tools.ts';
import { toolTexts } from './tool-texts.ts';

export interface CodeRun {
  readonly code: string;
  readonly language: SandboxLanguage | undefined;
  readonly input?: unknown;
  /** What the call says of them; for the rest the config's are taken, then the tool's own. */
  readonly limits?: Partial<SandboxLimits>;
  readonly ownLimits?: Partial<SandboxLimits>;
  readonly globals: SandboxRequest['globals'];
  /** The helper tool it runs for. */
  readonly via: string;
  /** Only these servers may be called; undefined: all. */
  readonly servers?: readonly string[] | undefined;
}

/** ToolMux's helper tools, which programs of its models call as functions, or by `call_tool`. */
const helpers: ReadonlyMap<string, HelperTool> = new Map(
  [listAllTools, getToolCount, catalogTools, getToolSchema, searchTools, invoke, ...toolmuxAdminTools].map(
    (helper) => [helper.definition.name, helper] as const,
  ),
);

const helperParameters = Object.fromEntries(
  [...helpers].map(([name, { definition }]) => {
    const schema = isObject(definition['inputSchema']) ? definition['inputSchema'] : {};
    return [name, Object.keys(isObject(schema['properties']) ? schema['properties'] : {})];
  }),
);

/** Throws AppError: bad_request where there is no code; unsupported where code is switched off, or Python cannot be loaded. */
export async function runCode(run: CodeRun, context: HelperContext): Promise<SandboxOutcome> {
  const { code, language, input, globals, via, servers } = run;
  const { enabled, timeoutSeconds, maxToolCalls } = context.code;
  if (!enabled) {
    const fix = 'Call the tools one by one; a person can set "code.enabled" to true in the config.';
    throw new AppError('unsupported', 'Running code is switched off here.', { fix });
  }
  if (code.trim() === '') throw new AppError('bad_request', 'There is no code to run.', { fix: 'Give it as "code".' });
  const outcome = await context.sandbox.run({
    code,
    language,
    input,
    limits: {
      ...run.ownLimits,
      ...(timeoutSeconds !== undefined && { timeMs: timeoutSeconds * 1000 }),
      ...(maxToolCalls !== undefined && { calls: maxToolCalls }),
      ...run.limits,
    },
    globals,
    signal: context.signal,
    owner: context.author.sessionId,
    helpers: globals === 'execute' ? helperParameters : {},
    callTool: async (name: string, args: JsonObject) => {
      if (servers !== undefined) await requireServer(name, servers, context);
      const helper = globals === 'execute' ? helperFor(name, context) : undefined;
      if (helper !== undefined) return helper.run(args, { ...context, author: { ...context.author, tool: name } });
      return toObject(await context.callTool({ tool: name, arguments: args, via }));
    },
    discover: {
      search: async (query, limit) => {
        await context.settled();
        return toolTexts(findTools(context, query, limit), 'brief');
      },
      schema: async (names) => toolTexts((await namedTools(context, names)).found, 'detailed'),
    },
  });
  if (outcome.ok || outcome.error.code !== 'LANGUAGE_UNAVAILABLE') return outcome;
  throw new AppError('unsupported', outcome.error.message, { fix: 'Write it in JavaScript.' });
}

const languages: Readonly<Record<string, SandboxLanguage>> = {
  ...{ javascript: 'javascript', js: 'javascript', typescript: 'typescript', ts: 'typescript' },
  ...{ python: 'python', python3: 'python', py: 'python' },
};

/** In any case; undefined where none is named: the code decides. Null for what there is not. */
export function readLanguage(given: unknown): SandboxLanguage | undefined | null {
  if (given === undefined || given === null || given === '') return undefined;
  const name = typeof given === 'string' ? given.trim().toLowerCase() : '';
  return Object.hasOwn(languages, name) ? languages[name] : null;
}

/** A server's tool of the same name comes first. */
function helperFor(name: string, { catalog }: HelperContext): HelperTool | undefined {
  return catalog.lookup.tools.listedAs(name) === undefined ? helpers.get(name) : undefined;
}

/** A server that is named beside the tool is looked at before the tool, as MCPProxy does. */
async function requireServer(name: string, servers: readonly string[], context: HelperContext): Promise<void> {
  const [named, tool] = name.split(':', 2);
  const server = tool === undefined ? (await context.awaitTool(name)).server : (named ?? '');
  if (servers.includes(server)) return;
  const message = `Server ${JSON.stringify(server)} is not among allowed_servers: ${servers.join(', ') || 'none'}.`;
  throw Object.assign(new Error(message), { code: 'SERVER_NOT_ALLOWED' });
}

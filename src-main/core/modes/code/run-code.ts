/** Runs a model's program with the session's tools; each call goes through the pipeline and is recorded by itself. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { SandboxLanguage, SandboxLimits, SandboxOutcome, SandboxRequest } from '../../sandbox/sandbox-request.ts';
import { toObject } from '../../wire/raw-json.ts';
import type { HelperContext } from '../mode.ts';
import { findTools, namedTools } from './find-tools.ts';
import { toolTexts } from './tool-texts.ts';

export interface CodeRun {
  readonly code: string;
  readonly language: unknown;
  readonly input?: unknown;
  readonly limits?: Partial<SandboxLimits>;
  readonly globals: SandboxRequest['globals'];
  /** The helper tool it runs for. */
  readonly via: string;
  /** Only these servers may be called; undefined: all. */
  readonly servers?: readonly string[] | undefined;
}

/** Throws AppError: bad_request for a language there is not, or no code; unsupported for Python where it cannot be loaded. */
export async function runCode(run: CodeRun, context: HelperContext): Promise<SandboxOutcome> {
  const { code, language, input, limits, globals, via, servers } = run;
  if (code.trim() === '') throw new AppError('bad_request', 'There is no code to run.', { fix: 'Give it as "code".' });
  const outcome = await context.sandbox.run({
    code,
    language: readLanguage(language, globals),
    input,
    limits,
    globals,
    signal: context.signal,
    callTool: async (name: string, args: JsonObject) => {
      if (servers !== undefined) await requireServer(name, servers, context);
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

/** MCPProxy's `code_execution` answers at once, which Python does not. */
function readLanguage(language: unknown, globals: CodeRun['globals']): SandboxLanguage | undefined {
  if (language === undefined || language === null) return undefined;
  const known = (['javascript', 'typescript', 'python'] as const).find((each) => each === language);
  if (known !== undefined && (known !== 'python' || globals === 'execute')) return known;
  throw new AppError('bad_request', `Code in ${JSON.stringify(language)} cannot be run here.`, {
    fix: globals === 'execute' ? 'Write JavaScript, TypeScript or Python.' : 'Write JavaScript or TypeScript.',
  });
}

async function requireServer(name: string, servers: readonly string[], context: HelperContext): Promise<void> {
  const { server } = await context.awaitTool(name);
  if (servers.includes(server)) return;
  throw new AppError('not_allowed', `SERVER_NOT_ALLOWED: ${server} is not among allowed_servers.`);
}

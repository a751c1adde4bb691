/** Runs a model's program with the session's tools; each call goes through the pipeline and is recorded. */
import { renderFullTool } from './render-tools.ts';
import { isObject, type JsonObject, objectOrEmpty, textOrEmpty } from '../base/json.ts';
import { AppError } from '../base/errors.ts';
import { type CallRequest, checkIntent, type Intent } from '../calls/call-tool.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { condenseLine } from '../condense/condense-tool.ts';
import { isLossy, parameterTypes, outputType } from '../condense/signature.ts';
import type { CodeLanguage, CodeRunLimits, CodeRunOutcome, CodeRunRequest } from '../code-runner/run-request.ts';
import { isSpillId, spillMetaKey, spillUri } from '../spills/spill.ts';
import type { SqlInput, SqlRows } from '../spills/spill-queries.ts';
import type { Result } from '../wire/message.ts';
import { toObject } from '../wire/raw-json.ts';
import { findTools, parseNeeds } from './find-tools.ts';
import type { HelperContext, HelperTool } from './mode.ts';

export interface CodeRunOptions {
  readonly code: string;
  readonly language: CodeLanguage | undefined;
  readonly input?: unknown;
  /** Limits of the call; otherwise the config's, otherwise the tool's own. */
  readonly limits?: Partial<CodeRunLimits>;
  readonly ownLimits?: Partial<CodeRunLimits>;
  readonly globals: CodeRunRequest['globals'];
  /** The helper tool that runs it. */
  readonly via: string;
  /** Only these servers may be called; undefined: all. */
  readonly servers?: readonly string[] | undefined;
  /** The most that its calls may do, by the annotations of tools; undefined: anything. */
  readonly allow?: Intent | undefined;
}

/** Throws AppError: bad_request without code; unsupported if code is disabled, or Python cannot be loaded. */
export async function runCode(run: CodeRunOptions, context: HelperContext): Promise<CodeRunOutcome> {
  const { code, language, input, globals, via, servers, allow } = run;
  const { enabled, timeoutSeconds, maxToolCalls } = context.code;
  if (!enabled) {
    const fix = 'Call the tools one by one; the user can set "code.enabled" to true in the config.';
    throw new AppError('unsupported', 'Running code is disabled.', { fix });
  }
  if (code.trim() === '') throw new AppError('bad_request', 'The code is missing.', { fix: 'Set "code".' });
  const callTool = (request: CallRequest): Promise<Result> =>
    context.callTool({ ...request, source: 'program', ...(allow !== undefined && { intent: allow }) });
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
    helpers: globals === 'execute' ? parametersOf(context.programTools) : {},
    callTool: async (name: string, args: JsonObject) => {
      if (servers !== undefined) await requireServer(name, servers, context);
      const helper = globals === 'execute' ? helperFor(name, context) : undefined;
      if (helper !== undefined) {
        if (allow !== undefined) checkIntent({ id: name, definition: helper.definition }, allow, true);
        // A spread would copy the current catalog, in which a starting server has no tools.
        return helper.run(args, {
          ...context,
          get catalog() {
            return context.catalog;
          },
          author: { ...context.author, tool: name },
          callTool,
        });
      }
      return toObject(
        await callTool({
          tool: name,
          arguments: args,
          via,
          ...(servers !== undefined && { errors: { maySuggest: ({ server }) => servers.includes(server) } }),
        }),
      );
    },
    discover: {
      search: async (query, limit) => {
        await context.settled();
        const { tools } = findTools(parseNeeds(query), context, { limit: limit ?? maxInCode });
        return toolTexts(
          tools.map(({ tool }) => tool),
          'brief',
        );
      },
      schema: async (names) => toolTexts((await namedTools(context, names)).found, 'detailed'),
      sql: async (source, query) =>
        rowsAsObjects(await context.spillFiles.select(sqlInput(source), query, context.signal)),
    },
  });
  if (outcome.ok || outcome.error.code !== 'LANGUAGE_UNAVAILABLE') return outcome;
  throw new AppError('unsupported', outcome.error.message, { fix: 'Use JavaScript.' });
}

// `sql(source, query)` inside a program: rows of its data, or of a spilled result.

/** A spilled result by its id or notice, the texts of a result, a text with tables, or any other value as JSON. */
function sqlInput(source: unknown): SqlInput {
  if (typeof source === 'string') return isSpillRef(source) ? { ref: source } : { text: source, kind: 'text' };
  const parts = objectOrEmpty(objectOrEmpty(objectOrEmpty(source)['_meta'])[spillMetaKey])['parts'];
  const id = Array.isArray(parts) ? objectOrEmpty(parts[0])['id'] : undefined;
  if (typeof id === 'string') return { ref: id };
  const content = objectOrEmpty(source)['content'];
  const texts = Array.isArray(content) ? content.map((block: unknown) => objectOrEmpty(block)['text']) : [];
  const isTexts = texts.length > 0 && texts.every((text) => typeof text === 'string');
  if (isTexts) return { text: texts.join('\n'), kind: 'text' };
  return { text: JSON.stringify(source), kind: 'json' };
}

function isSpillRef(text: string): boolean {
  return isSpillId(text) || text.startsWith(spillUri(''));
}

/** Throws AppError `bad_request` if there are too many rows to pass on. */
function rowsAsObjects({ columns, rows, rowCount }: SqlRows): JsonObject[] {
  if (rows.length < rowCount) {
    throw new AppError('bad_request', `The statement returns ${rowCount} rows; ${rows.length} fit.`, {
      fix: 'Aggregate, select fewer columns, or page with LIMIT and OFFSET.',
    });
  }
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])));
}

const languages: Readonly<Record<string, CodeLanguage>> = {
  javascript: 'javascript',
  js: 'javascript',
  typescript: 'typescript',
  ts: 'typescript',
  python: 'python',
  python3: 'python',
  py: 'python',
};

/** Ignores case; undefined if none is named: detected from the code. Null for an unknown one. */
export function parseLanguage(given: unknown): CodeLanguage | undefined | null {
  if (given === undefined || given === null || given === '') return undefined;
  const name = typeof given === 'string' ? given.trim().toLowerCase() : '';
  return Object.hasOwn(languages, name) ? languages[name] : null;
}

/** A server's tool of the same name takes precedence. */
function helperFor(name: string, { catalog, programTools }: HelperContext): HelperTool | undefined {
  return catalog.lookup.tools.byListedName(name) === undefined ? programTools.get(name) : undefined;
}

/** Returns parameter names by tool, in the order of positional arguments. */
function parametersOf(tools: ReadonlyMap<string, HelperTool>): Record<string, string[]> {
  const parameters = [...tools].map(([name, { definition }]) => {
    const schema = objectOrEmpty(definition['inputSchema']);
    return [name, Object.keys(objectOrEmpty(schema['properties']))];
  });
  return Object.fromEntries(parameters) as Record<string, string[]>;
}

/** A server that is named separately is checked before the tool, as in MCPProxy. */
async function requireServer(name: string, servers: readonly string[], context: HelperContext): Promise<void> {
  const [named, tool] = name.split(':', 2);
  const server = tool === undefined ? (await context.awaitTool(name)).server : (named ?? '');
  if (servers.includes(server)) return;
  const message = `Server ${JSON.stringify(server)} is not in allowed_servers: ${servers.join(', ') || 'none'}.`;
  throw Object.assign(new Error(message), { code: 'SERVER_NOT_ALLOWED' });
}

/** Maximum number of hits in programs, where a hit costs nothing until it is printed. */
const maxInCode = 50;

// Found or named tools, for the model and for programs alike.

/** FastMCP servers send tags in `_meta`; a tool without tags matches `untagged`. */
export function hasAnyTag({ definition }: CatalogEntry, wanted: readonly string[]): boolean {
  const meta = objectOrEmpty(definition['_meta']);
  const own = [meta['_fastmcp'], meta['fastmcp'], definition].find(isObject)?.['tags'];
  const tags = Array.isArray(own) ? (own as unknown[]) : [];
  return wanted.some((tag) => (tags.length === 0 ? tag === 'untagged' : tags.includes(tag)));
}

interface NamedTools {
  readonly found: readonly CatalogEntry[];
  /** `why`: the reason and a fix. */
  readonly missing: readonly { readonly name: string; readonly why: string }[];
}

/** Waits for starting servers. */
export async function namedTools(
  { awaitTool }: Pick<HelperContext, 'awaitTool'>,
  names: readonly string[],
): Promise<NamedTools> {
  const looked = await Promise.all(
    names.map((name) =>
      awaitTool(name).catch((error: unknown) => {
        if (error instanceof AppError && error.code !== 'cancelled') return { name, why: error.text };
        throw error;
      }),
    ),
  );
  return {
    found: looked.flatMap((tool) => ('why' in tool ? [] : [tool])),
    missing: looked.flatMap((tool) => ('why' in tool ? [tool] : [])),
  };
}

// Renders tools as text in three levels of detail, as ToolMux's code mode does.

export type Detail = 'brief' | 'detailed' | 'full';

export function readDetail(value: unknown, fallback: Detail): Detail {
  return value === 'brief' || value === 'detailed' || value === 'full' ? value : fallback;
}

export function toolTexts(tools: readonly CatalogEntry[], detail: Detail): string {
  if (detail === 'full') return JSON.stringify(tools.map(renderFullTool));
  return tools.map(detail === 'brief' ? brief : detailed).join(detail === 'brief' ? '\n' : '\n\n');
}

function brief({ listedName, definition }: CatalogEntry): string {
  return `- ${listedName}: ${condenseLine(textOrEmpty(definition['description']))}`;
}

function detailed(tool: CatalogEntry): string {
  const { parameters: all, more } = parameterTypes(usableSchema(tool.definition));
  const parameters = [
    ...all.map(({ name, type, required }) => `- \`${name}\` (${type}${required ? ', required' : ''})`),
    // The next line explains `~` alone.
    ...more.filter((one) => one !== '~').map((one) => `- ${one}`),
  ];
  const head = [`### ${tool.listedName}`, textOrEmpty(tool.definition['description'])].filter((line) => line !== '');
  const gives = outputType(tool.definition['outputSchema']);
  if (gives !== undefined) parameters.push(`**Gives** ${gives}`);
  const isPart = all.some(({ type }) => isLossy(type)) || more.some(isLossy);
  if (isPart) parameters.push('~ = omitted: detail "full" has it.');
  return [...head, ...(parameters.length === 0 ? [] : ['**Parameters**', ...parameters])].join('\n');
}

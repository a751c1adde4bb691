/**
 * Mode `code`: the model searches tools and writes a program that calls them; only the program's result is returned.
 */
import type { JsonObject } from '../base/json.ts';
import { AppError } from '../base/errors.ts';
import type { Intent } from '../calls/call-tool.ts';
import type { CodeRunError, CodeRunOutcome } from '../code-runner/run-request.ts';
import { joinServerNames, markSchemaShown } from './render-tools.ts';
import { languagesText } from './catalog-languages.ts';
import { queryHint } from './find-tools.ts';
import type { HelperContext, HelperTool, Mode, ModeView } from './mode.ts';
import { namedTools, readDetail, parseLanguage, runCode, toolTexts } from './run-code.ts';
import { searchAnswer } from './search-result-text.ts';
import type { Result } from '../wire/message.ts';

/** `search`: finds tools by purpose, as text. */
export const searchCode: HelperTool = {
  kind: 'discovery',
  definition: {
    name: 'search',
    description: 'Find tools, best first.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: queryHint },
        detail: { enum: ['brief', 'detailed', 'full'] },
        limit: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  run: (input, context) => searchAnswer(input, context, 'No tools matched the query.'),
};

// `get_schema`: returns the parameters of named tools.

const getSchema: HelperTool = {
  kind: 'schema',
  definition: {
    name: 'get_schema',
    description: 'Parameters of tools found by search.',
    inputSchema: {
      type: 'object',
      properties: {
        tools: { type: 'array', items: { type: 'string' } },
        detail: { enum: ['brief', 'detailed', 'full'] },
      },
      required: ['tools'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  async run(input, context) {
    const given = input['tools'] ?? input['name'];
    const names = (Array.isArray(given) ? (given as unknown[]) : [given]).filter((name) => typeof name === 'string');
    if (names.length === 0)
      throw new AppError('bad_request', 'Tool names are missing.', { fix: 'Set them in "tools".' });
    const { found, missing } = await namedTools(context, names);
    const absent =
      missing.length === 0
        ? []
        : [`Tools not found: ${missing.map(({ name }) => name).join(', ')}`, ...missing.map(({ why }) => why)];
    const detail = readDetail(input['detail'], 'detailed');
    if (detail === 'full') for (const tool of found) markSchemaShown(tool, context.memory);
    const known = found.length === 0 ? [] : [toolTexts(found, detail)];
    return {
      content: [{ type: 'text', text: [...known, ...absent].join('\n\n') }],
      ...(found.length === 0 && { isError: true }),
    };
  },
};

/** `execute`: runs a program and returns its result. */
export const execute: HelperTool = {
  kind: 'program',
  definition: {
    name: 'execute',
    description:
      'Run code with await call_tool(name, args) and call_tools([{name, args}]): each gives structuredContent, else its text, JSON parsed; await sql(data, query) reads its rows. Only what it returns comes back. Failures throw. 30 s, 50 calls, no network.',
    inputSchema: {
      type: 'object',
      properties: { code: { type: 'string' }, language: { enum: ['python', 'javascript', 'typescript'] } },
      required: ['code'],
    },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  spills: true,
  run: (input, context) => runProgram(input, undefined, context),
};

/**
 * Runs the program of `execute`. `allow`: the most that its calls may do; undefined: anything. Rejects with AppError
 * bad_request or unsupported.
 */
export async function runProgram(
  input: JsonObject,
  allow: Intent | undefined,
  context: HelperContext,
): Promise<Result> {
  const { code } = input;
  if (typeof code !== 'string') throw new AppError('bad_request', 'The code is missing.', { fix: 'Set "code".' });
  const language = parseLanguage(input['language']);
  if (language === null) {
    throw new AppError('bad_request', `The language ${JSON.stringify(input['language'])} is not supported.`, {
      fix: 'Use Python, JavaScript or TypeScript.',
    });
  }
  const outcome = await runCode({ code, language, globals: 'execute', via: 'execute', allow }, context);
  const printed =
    outcome.console.length === 0 ? [] : [{ type: 'text', text: `Printed:\n${outcome.console.join('\n')}` }];
  const rest = [...printed, ...readAsNote(outcome.readAs)];
  if (!outcome.ok) return { content: [{ type: 'text', text: errorLine(outcome.error) }, ...rest], isError: true };
  // The output is the result of a program that returned nothing.
  const isPrintedOnly = outcome.value === undefined && printed.length > 0;
  return { content: [...(isPrintedOnly ? [] : [{ type: 'text', text: valueText(outcome.value) }]), ...rest] };
}

/** Returns a note if no language was named and both parsers accepted the code. */
function readAsNote(readAs: CodeRunOutcome['readAs']): { type: string; text: string }[] {
  if (readAs === undefined) return [];
  const [is, other] = readAs === 'python' ? ['Python', 'JavaScript'] : ['JavaScript', 'Python'];
  return [{ type: 'text', text: `(Read as ${is}, although it is valid ${other}, too; "language" decides.)` }];
}

function valueText(value: unknown): string {
  if (value === undefined) return 'The code returned nothing. End it with: return value';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function errorLine({ code, message, line, column }: CodeRunError): string {
  const place = line === undefined ? '' : ` at line ${line}${column === undefined ? '' : `, column ${column}`}`;
  return `${code}${place}: ${message}`;
}

export const codeMode: Mode = {
  name: 'code',
  line: 'Three tools: search, read schemas, run code',
  helpers: [searchCode, getSchema, execute],
  fixedList: true,
  listed: () => [],
  callLine: (tool, args) => `execute with return await call_tool("${tool}", ${JSON.stringify(args)})`,
  instructions,
};

function instructions({ catalog }: ModeView): string {
  return `Search before saying that something cannot be done; get_schema without a signature; then execute. Tools of: ${joinServerNames(catalog.servers)}.${languagesText(catalog)}`;
}

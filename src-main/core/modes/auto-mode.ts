/**
 * The mode that `auto` uses if a list of all tools costs too much: search, single calls, and programs together. The
 * model chooses what is cheaper for the task. Programs may only read unless they ask for more.
 */
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { type Intent, intents } from '../calls/call-tool.ts';
import { autoMode } from '../config/mode-names.ts';
import { languagesText } from './catalog-languages.ts';
import { execute, runProgram } from './code-mode.ts';
import { queryHint } from './find-tools.ts';
import type { HelperTool, Mode } from './mode.ts';
import { readResultTool } from './read-spill.ts';
import { joinServerNames } from './render-tools.ts';
import { searchAnswer } from './search-result-text.ts';
import { callTool } from './search-mode.ts';

const search: HelperTool = {
  kind: 'discovery',
  definition: {
    name: 'search',
    description: 'Find tools, best first. detail "full": whole schemas.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: queryHint },
        detail: { enum: ['brief', 'full'] },
        limit: { type: 'integer' },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true },
  },
  run: (input, context) => searchAnswer(input, context, 'Nothing fits.'),
};

const executeWithin: HelperTool = {
  ...execute,
  definition: {
    name: 'execute',
    description:
      'Run code: await call_tool(name, args) and call_tools([{name, args}]) give structuredContent or text, JSON parsed; await sql(data, query) reads rows. Only its return value comes back. allow: what calls may do, default read.',
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        language: { enum: ['python', 'javascript', 'typescript'] },
        allow: { enum: intents },
      },
      required: ['code'],
    },
  },
  async run(input, context) {
    return await runProgram(input, parseAllow(input['allow']), context);
  },
};

/** Throws AppError bad_request. */
function parseAllow(given: unknown): Intent {
  const allow = intents.find((intent) => intent === (given ?? 'read'));
  if (allow !== undefined) return allow;
  throw new AppError('bad_request', `"allow" is none of ${intents.join(', ')}.`, {
    fix: 'Leave it out for a program that only reads.',
  });
}

/**
 * The same without the mark for client apps that load tools on demand: `auto` lists all tools for those, and the mark
 * costs tokens.
 */
function listedHere({ definition, ...helper }: HelperTool): HelperTool {
  const { _meta, ...rest }: JsonObject & { readonly name: string } = definition;
  return { ...helper, definition: rest };
}

export const searchAndCodeMode: Mode = {
  name: autoMode,
  line: 'Search, calls, and programs together',
  helpers: [search, listedHere(callTool), executeWithin, listedHere(readResultTool)],
  fixedList: true,
  listed: () => [],
  callLine: (name, args) =>
    name === readResultTool.definition.name
      ? `${name} ${JSON.stringify(args)}`
      : `call_tool ${JSON.stringify({ name, arguments: args })}`,
  instructions: ({ catalog }) =>
    `Search before saying that something cannot be done. One or two calls, or small results: call_tool. Three or more, loops, or large results to filter, count, sort, or join: one execute is cheaper. Tools of: ${joinServerNames(catalog.servers)}.${languagesText(catalog)}`,
};

/**
 * The mode that `auto` uses if a list of all tools costs too much: search, single calls, and programs together. The
 * model chooses what is cheaper for the task. Programs may only read unless they ask for more.
 */
import { AppError } from '../base/errors.ts';
import { type Intent, intents } from '../calls/call-tool.ts';
import { autoMode } from '../config/mode-names.ts';
import { languagesText } from './catalog-languages.ts';
import { execute, runProgram } from './code-mode.ts';
import { queryHint } from './find-tools.ts';
import type { HelperTool, Mode } from './mode.ts';
import { readResultTool, spillOps } from './read-spill.ts';
import { joinServerNames } from './render-tools.ts';
import { searchAnswer } from './search-result-text.ts';
import { callTool } from './search-mode.ts';

const search: HelperTool = {
  kind: 'discovery',
  definition: {
    name: 'search',
    description: 'Find tools. detail "full": whole schemas.',
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
      'Run JavaScript, TypeScript, or Python: await call_tool(name, args) and call_tools([{name, args}]) give structuredContent or parsed text; await sql(data, query) gives rows. Only the return value comes back. allow: what calls may do, default read.',
    inputSchema: {
      type: 'object',
      properties: { code: { type: 'string' }, allow: { enum: intents } },
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
  throw new AppError('bad_request', `"allow" must be one of ${intents.join(', ')}.`, {
    fix: 'Omit it for a program that only reads.',
  });
}

// The mark for client apps that load tools on demand is omitted: `auto` lists all tools for those.

const call: HelperTool = {
  ...callTool,
  definition: {
    name: callTool.definition.name,
    description: 'Call a found tool.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, arguments: { type: ['object', 'string'] } },
      required: ['name'],
    },
  },
};

const integer = { type: 'integer' };
const string = { type: 'string' };

/** Lists what most reads need. A spilled result names the other arguments next to the operation that takes them. */
const readResult: HelperTool = {
  ...readResultTool,
  definition: {
    name: readResultTool.definition.name,
    description: 'Read a spilled result. query: JSONPath, or for op sql a SELECT over rows.',
    inputSchema: {
      type: 'object',
      properties: {
        resultFile: string,
        op: { enum: spillOps },
        fromLine: integer,
        toLine: integer,
        pattern: string,
        query: string,
        path: string,
      },
      required: ['resultFile'],
    },
    annotations: { readOnlyHint: true },
  },
};

export const searchAndCodeMode: Mode = {
  name: autoMode,
  line: 'Search, calls, and programs together',
  helpers: [search, call, executeWithin, readResult],
  fixedList: true,
  listed: () => [],
  callLine: (name, args) =>
    name === readResultTool.definition.name
      ? `${name} ${JSON.stringify(args)}`
      : `call_tool ${JSON.stringify({ name, arguments: args })}`,
  instructions: ({ catalog }) =>
    `Search before saying that something cannot be done. One or two calls: call_tool. More, loops, or large results to filter, count, sort, or join: one execute is cheaper. Tools of: ${joinServerNames(catalog.servers)}.${languagesText(catalog)}`,
};

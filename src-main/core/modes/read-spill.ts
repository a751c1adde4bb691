/** `read_result`: all queries on spills as one tool, for modes without a tool of their own. */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { failureReason } from '../calls/error-result.ts';
import type { LookExamples } from '../calls/shape-result.ts';
import { isCancelled, readIntegerArgument, firstTextOf } from '../calls/read-arguments.ts';
import { displayPath } from '../security/file-paths.ts';
import type { SpillQueryResult, SpillQuery } from '../spills/spill-queries.ts';
import type { HelperContext, HelperTool, OwnResource } from './mode.ts';

/** The operations on spills, by name. */
export const spillOps = ['stat', 'read', 'head', 'tail', 'slice', 'grep', 'sql', 'query', 'schema', 'table'] as const;

const integer: JsonObject = { type: 'integer' };
const string: JsonObject = { type: 'string' };

export const readResultTool: HelperTool = {
  kind: 'readback',
  definition: {
    name: 'read_result',
    description:
      'Read in a spilled result. sql: one SELECT in query, over table rows; query: JSONPath in query; table: columns of the array at path.',
    inputSchema: {
      type: 'object',
      properties: {
        resultFile: string,
        op: { enum: spillOps },
        lines: integer,
        fromLine: integer,
        toLine: integer,
        pattern: string,
        context: integer,
        maxBytes: integer,
        query: string,
        path: string,
        columns: { type: 'array', items: string },
        tables: { type: 'object', additionalProperties: string },
      },
      required: ['resultFile'],
    },
    annotations: { readOnlyHint: true },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  reachable: true,
  async run(input, context) {
    const { op, resultFile, text, fields, truncated } = await readSpill(input, context, { elements: true });
    const facts = { op, resultFile, ...fields, ...(truncated && { truncated }) };
    return { content: [{ type: 'text', text }], _meta: { [factsKey]: facts } };
  },
};

/** Key in `_meta` of facts that a program may need in addition to the text. */
const factsKey = 'tooltray/read';

/** Suggests the first query on a spill, as a complete example, and alternatives. */
export function suggestNextRead({ sqlExample, example }: LookExamples): {
  readonly look: JsonObject;
  readonly others: string;
} {
  if (sqlExample !== undefined) {
    const path = example === undefined ? '' : `query (JSONPath: ${example}), `;
    return { look: { op: 'sql', query: sqlExample }, others: `Other ops: ${path}${opsOfLines}` };
  }
  if (example !== undefined) return { look: { op: 'query', query: example }, others: `Other ops: ${opsOfLines}` };
  return { look: { op: 'grep', pattern: '…' }, others: opsOfText };
}

const opsOfText = 'Other ops: head, tail (lines), slice (fromLine, toLine), read (fromByte, maxBytes).';
const opsOfLines = 'grep (pattern, context), slice (fromLine, toLine), table (path, columns), schema (path).';

/** The content that was read, and how the query was understood. */
interface SpillRead extends SpillQueryResult {
  readonly op: SpillOp;
  readonly resultFile: string;
}

interface HowToRead {
  /** A match in data is returned with its surrounding element; mini-a returns its line. */
  readonly elements?: boolean;
}

/** Rejects with AppError. */
export async function readSpill(
  input: JsonObject,
  context: ReadContext,
  { elements = false }: HowToRead = {},
): Promise<SpillRead> {
  // Some callers wrap everything in `arguments`.
  const flat = isObject(input['arguments']) ? { ...input, ...input['arguments'] } : input;
  const resultFile = firstTextOf(flat, ['resultFile'])?.text;
  if (resultFile === undefined) throw new AppError('bad_request', `${nameOf(context)} requires 'resultFile'.`);
  const question = readQuestion(opOf(flat), flat, nameOf(context), elements);
  return { ...(await ask(context, resultFile, question)), op: question.op, resultFile };
}

// `tooltray://spill/{id}`: a whole spill, for client apps that read resources.

const address = 'tooltray://spill/';

export const spillResource: OwnResource = {
  definition: { uriTemplate: `${address}{id}`, name: 'results stored on disk' },
  async read(uri, { spillFiles }) {
    if (!uri.startsWith(address)) return undefined;
    try {
      return { uri, ...(await spillFiles.content(uri.slice(address.length))) };
    } catch (error) {
      // The same error as for any unknown resource; a spill that is too large has its own.
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  },
};

type SpillOp = (typeof spillOps)[number];

export type ReadContext = Pick<HelperContext, 'author' | 'spillFiles' | 'maxTextLength' | 'signal'>;

const defaultLines = 50;

/** Returns the name under which the model called it, so that errors do not direct it to another tool. */
function nameOf({ author: { tool } }: ReadContext): string {
  return tool === 'proxy-dispatch' ? "Action 'readresult'" : tool;
}

/** A missing op gets the safe default; an unknown one reads, as in mini-a. */
function opOf(input: JsonObject): SpillOp {
  const wanted = firstTextOf(input, ['op'])?.text.toLowerCase() ?? 'stat';
  return spillOps.find((op) => op === wanted) ?? 'read';
}

function readQuestion(op: SpillOp, input: JsonObject, called: string, elements: boolean): SpillQuery {
  switch (op) {
    case 'stat':
      return { op };
    case 'head':
    case 'tail':
      return { op, lines: readIntegerArgument(input, 'lines', 1) ?? defaultLines };
    case 'slice': {
      const fromLine = readIntegerArgument(input, 'fromLine', 1) ?? readIntegerArgument(input, 'start', 1) ?? 1;
      return { op, fromLine, toLine: readIntegerArgument(input, 'toLine', 1) ?? readIntegerArgument(input, 'end', 1) };
    }
    case 'grep': {
      const context = readIntegerArgument(input, 'context', 0) ?? 0;
      const pattern = readNeeded(input, op, 'pattern', called);
      return { op, pattern, context, limit: readIntegerArgument(input, 'limit', 1), ...(elements && { elements }) };
    }
    case 'read':
      return {
        op,
        maxBytes: readIntegerArgument(input, 'maxBytes', 0),
        fromByte: readIntegerArgument(input, 'fromByte', 0),
      };
    case 'query':
      return { op, query: readNeeded(input, op, 'query', called), limit: readIntegerArgument(input, 'limit', 1) };
    case 'sql': {
      const limit = readIntegerArgument(input, 'limit', 1);
      const path = firstTextOf(input, ['path'])?.text;
      return { op, query: readStatement(input, called), path, tables: readTables(input['tables']), limit };
    }
    case 'schema':
      return { op, path: firstTextOf(input, ['path'])?.text };
    case 'table': {
      const rows = readIntegerArgument(input, 'rows', 1) ?? readIntegerArgument(input, 'limit', 1) ?? defaultLines;
      const fromRow = readIntegerArgument(input, 'fromRow', 1) ?? 1;
      return { op, path: firstTextOf(input, ['path'])?.text, columns: readColumns(input['columns']), fromRow, rows };
    }
  }
}

/** Returns a required text untrimmed: spaces at its ends may be part of the query. */
function readNeeded(input: JsonObject, op: SpillOp, key: string, called: string): string {
  const value = input[key];
  if (typeof value === 'string' && value !== '') return value;
  throw new AppError('bad_request', `${called} with op='${op}' requires a '${key}'.`);
}

/** Models call it `sql`, too. */
function readStatement(input: JsonObject, called: string): string {
  const statement = firstTextOf(input, ['query', 'sql', 'statement'])?.text;
  if (statement !== undefined && statement.trim() !== '') return statement;
  throw new AppError('bad_request', `${called} with op='sql' requires a 'query'.`, {
    fix: "Write it as query='SELECT … FROM rows'.",
  });
}

const tableName = /^[A-Za-z_]\w{0,59}$/;

/** Further results by table name: `{"users": "<resultFile>"}`. */
function readTables(tables: unknown): Record<string, string> | undefined {
  if (tables === undefined || tables === null || tables === '') return undefined;
  const named = Object.entries(objectOrEmpty(tables));
  const isNamed = named.every(
    ([name, ref]) => tableName.test(name) && !/^rows$/i.test(name) && typeof ref === 'string',
  );
  if (isObject(tables) && named.length > 0 && isNamed) return Object.fromEntries(named) as Record<string, string>;
  throw new AppError('bad_request', "'tables' must be an object of names and results.", {
    fix: 'Write it as tables={"users": "<resultFile of another result>"}; its rows are then the table users.',
  });
}

/** A list, or names separated by commas. */
function readColumns(columns: unknown): string[] | undefined {
  if (columns === undefined || columns === null || columns === '') return undefined;
  const names: unknown[] = typeof columns === 'string' ? columns.split(',') : Array.isArray(columns) ? columns : [];
  const texts = names.filter((name) => typeof name === 'string').map((name) => name.trim());
  if (texts.length > 0 && texts.length === names.length) return texts;
  throw new AppError('bad_request', "'columns' must be a list of names.", { fix: 'Omit it for the default.' });
}

/** Ops that may return as many lines as the app accepts; a search is better narrowed down. */
const stretches: ReadonlySet<SpillOp> = new Set(['read', 'head', 'tail', 'slice']);

async function ask(
  { spillFiles, maxTextLength, signal }: ReadContext,
  file: string,
  question: SpillQuery,
): Promise<SpillQueryResult> {
  try {
    return await spillFiles.query(file, question, signal, stretches.has(question.op) ? maxTextLength : undefined);
  } catch (error) {
    if (isCancelled(error)) throw error;
    const code = error instanceof AppError ? error.code : 'internal';
    throw new AppError(code, `Failed to read result file '${displayPath(file)}': ${failureReason(error)}`, {
      cause: error,
    });
  }
}

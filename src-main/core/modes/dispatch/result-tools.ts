/** `result_stat`, `result_read` …: the ops of `readresult` as tools of their own, as mini-a shows them to agents with a tool set. */
import type { JsonObject } from '../../base/json.ts';
import type { HelperTool } from '../mode.ts';
import { answered } from './proxy-dispatch.ts';
import { readResult, type ResultOp, resultOps } from './read-result.ts';

const count: JsonObject = { type: 'integer' };
const word: JsonObject = { type: 'string' };

const inputsOf: Readonly<Record<ResultOp, { readonly line: string; readonly properties: JsonObject }>> = {
  stat: { line: 'Size and line count of a kept result.', properties: {} },
  read: { line: 'Text of a kept result.', properties: { maxBytes: count, fromByte: count } },
  head: { line: 'First lines of a kept result.', properties: { lines: count } },
  tail: { line: 'Last lines of a kept result.', properties: { lines: count } },
  slice: { line: 'Some lines of a kept result.', properties: { fromLine: count, toLine: count } },
  grep: { line: 'Lines of a kept result that match.', properties: { pattern: word, context: count, limit: count } },
  query: { line: 'What a JSONPath selects in a kept result.', properties: { query: word, limit: count } },
  schema: { line: 'What is inside a kept result: keys, types, lengths, ranges.', properties: { path: word } },
  table: {
    line: 'Columns of a list in a kept result.',
    properties: { path: word, columns: { type: 'array', items: word }, fromRow: count, rows: count },
  },
};

/** What an op cannot do without. */
const neededBy: Readonly<Partial<Record<ResultOp, string>>> = { grep: 'pattern', query: 'query' };

/** Callable in every mode, listed where `extraTools` names them. */
export const resultTools: readonly HelperTool[] = resultOps.map(resultTool);

function resultTool(op: ResultOp): HelperTool {
  const { line, properties } = inputsOf[op];
  const needed = neededBy[op];
  return {
    definition: {
      name: `result_${op}`,
      description: line,
      inputSchema: {
        type: 'object',
        properties: { resultFile: word, ...properties },
        required: ['resultFile', ...(needed === undefined ? [] : [needed])],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    reachable: true,
    run: (input, context) => answered('readresult', () => readResult(input, context, op)),
  };
}

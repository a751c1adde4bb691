/** `read_result`: everything that can be asked of an answer on disk, as one tool for the modes that have none of their own for it. */
import type { JsonObject } from '../../base/json.ts';
import { answered } from '../dispatch/proxy-dispatch.ts';
import { readResult } from '../dispatch/read-result.ts';
import type { HelperTool } from '../mode.ts';

const integer: JsonObject = { type: 'integer' };
const string: JsonObject = { type: 'string' };

export const readResultTool: HelperTool = {
  definition: {
    name: 'read_result',
    description: 'Read in an answer that was kept on disk. query: JSONPath; table: columns of the array at path.',
    inputSchema: {
      type: 'object',
      properties: {
        resultFile: string,
        op: { enum: ['stat', 'head', 'tail', 'slice', 'grep', 'read', 'query', 'schema', 'table'] },
        lines: integer,
        fromLine: integer,
        toLine: integer,
        pattern: string,
        context: integer,
        maxBytes: integer,
        query: string,
        path: string,
        columns: { type: 'array', items: string },
      },
      required: ['resultFile'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  reachable: true,
  run: (input, context) => answered('readresult', () => readResult(input, context)),
};

/** How `proxy-dispatch` is listed. */
import type { JsonObject } from '../../base/json.ts';

/** By its name alone a model knows what it is: a type for each would cost more than all the names together. */
const named: Readonly<JsonObject> = {};

/**
 * Every property of mini-a's tool is declared. Ours beside them are not, the text in place of a kept answer tells them:
 * fromByte, path, columns, fromRow, rows.
 */
export const definition: JsonObject & { readonly name: string } = {
  name: 'proxy-dispatch',
  description:
    'All tools of all servers. Actions: status; list; search (query); call (tool, arguments); readresult (resultFile, op).',
  inputSchema: {
    type: 'object',
    properties: {
      action: { type: 'string' },
      connection: { type: 'string' },
      query: { type: 'string' },
      limit: { type: 'integer' },
      format: { enum: ['compact', 'detail'] },
      includeTools: named,
      includeInputSchema: { type: 'boolean' },
      includeAnnotations: named,
      refresh: named,
      tool: { type: 'string' },
      arguments: { type: ['object', 'string'] },
      argumentsFile: named,
      meta: named,
      resultToFile: { type: 'boolean' },
      resultSizeThreshold: named,
      resultFile: { type: 'string' },
      op: { enum: ['stat', 'read', 'head', 'tail', 'slice', 'grep', 'query', 'schema', 'table'] },
      pattern: { type: 'string' },
      context: named,
      lines: named,
      fromLine: named,
      toLine: named,
      maxBytes: named,
    },
    required: ['action'],
  },
  _meta: { 'anthropic/alwaysLoad': true },
};

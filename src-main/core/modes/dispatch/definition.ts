/** How `proxy-dispatch` is listed. */
import type { JsonObject } from '../../base/json.ts';

/**
 * Every property of mini-a's tool is accepted. Declared are those that a model needs to find, call and read back: all of them
 * would cost more than the budget of 250 tokens. Left out, with defaults that fit: argumentsFile, meta, resultSizeThreshold,
 * includeTools, includeAnnotations, refresh, fromLine, toLine, lines, context, maxBytes, fromByte, path, columns, fromRow,
 * rows. What a model may do with an answer on disk stands in the text that it gets in its place.
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
      includeInputSchema: { type: 'boolean' },
      tool: { type: 'string' },
      arguments: { type: ['object', 'string'] },
      resultToFile: { type: 'boolean' },
      resultFile: { type: 'string' },
      op: { enum: ['stat', 'read', 'head', 'tail', 'slice', 'grep', 'query', 'schema', 'table'] },
      pattern: { type: 'string' },
    },
    required: ['action'],
  },
  _meta: { 'anthropic/alwaysLoad': true },
};

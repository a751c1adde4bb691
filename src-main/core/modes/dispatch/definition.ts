/** How `proxy-dispatch` is listed. */
import type { JsonObject } from '../../base/json.ts';

/**
 * Every property of mini-a's tool is accepted. Declared are those that a model needs to find, call and read back: all of them
 * would cost more than the budget of 250 tokens. Left out, with defaults that fit: argumentsFile, meta, resultSizeThreshold,
 * includeTools, includeAnnotations, refresh, fromLine, toLine, lines, context, maxBytes.
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
      arguments: { type: ['object', 'string'], description: 'object or its JSON text' },
      resultToFile: { type: 'boolean' },
      resultFile: { type: 'string' },
      op: { enum: ['stat', 'read', 'head', 'tail', 'slice', 'grep'] },
      pattern: { type: 'string' },
    },
    required: ['action'],
  },
  _meta: { 'anthropic/alwaysLoad': true },
};

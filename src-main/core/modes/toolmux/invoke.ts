/** `invoke`: calls any tool of any server by its name. */
import { readServerName, readToolName } from '../../calls/read-arguments.ts';
import type { HelperTool } from '../mode.ts';
import { enrichedCall } from './enriched-call.ts';

export const invoke: HelperTool = {
  definition: {
    name: 'invoke',
    description: 'Call a tool.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        args: { type: ['object', 'string'], description: 'object or JSON text' },
      },
      required: ['name'],
    },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  run: async (input, context) =>
    enrichedCall({ spelling: readToolName(input), server: readServerName(input), input }, context),
};

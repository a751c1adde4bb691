/** The tool `proxy`: tools, resources and prompts of all servers through one. Source: MCP Proxy Extension 0.1.0 (Magg). */
import type { JsonObject } from '../../base/json.ts';
import type { Result } from '../../wire/message.ts';
import type { HelperContext, HelperTool } from '../mode.ts';
import { callCapability } from './call-capability.ts';
import { withMissing } from '../missing-servers.ts';
import { entryInfo, listEntries } from './list-entries.ts';
import { proxyTypes, readProxyRequest } from './proxy-request.ts';
import { runBatch } from './run-batch.ts';

export const proxyTool: HelperTool = {
  definition: {
    name: 'proxy',
    description: 'Tools, resources and prompts of all servers: list them, get info on one, call it.',
    inputSchema: {
      type: 'object',
      properties: {
        action: { enum: ['list', 'info', 'call', 'batch'] },
        type: { enum: proxyTypes },
        path: { type: 'string', description: 'name or URI, for info and call' },
        args: { type: ['object', 'string'], description: 'object or its JSON text' },
        limit: { type: 'integer', description: 'default 100' },
        offset: { type: 'integer' },
        filter_server: { type: 'string' },
        filter: { properties: { prefix: { type: 'string' }, tags: { type: 'array' } } },
        operations: { type: 'array', description: 'for batch (any type): [{action, type, path, args}]' },
      },
      required: ['action', 'type'],
    },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  spills: true,
  run,
};

async function run(input: JsonObject, context: HelperContext): Promise<Result> {
  const request = readProxyRequest(input);
  switch (request.action) {
    case 'list':
      await context.settled();
      return withMissing(
        listEntries(request, context),
        request.offset === 0 ? context.finder.missingServers(request.server) : undefined,
      );
    case 'info':
      return entryInfo(request, context);
    case 'call':
      return callCapability(request, context);
    case 'batch':
      return runBatch(request.operations, (operation) => run(operation, context), context.signal);
  }
}

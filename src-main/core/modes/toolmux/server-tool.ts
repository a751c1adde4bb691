/** The tool that stands for a server in gateway mode: calls that server's tools, and no other's. */
import { AppError } from '../../base/errors.ts';
import { nameKeys, readToolName } from '../../calls/read-arguments.ts';
import { type CatalogEntry, usableSchema } from '../../catalog/catalog.ts';
import { parametersText } from '../../condense/signature.ts';
import type { HelperContext, HelperTool } from '../mode.ts';
import { enrichedCall } from './enriched-call.ts';
import { inToolMuxWords } from './find-tool.ts';
import { shortText } from './tool-texts.ts';

/** `hint` is what the list says of the server's tools. */
export function serverTool(name: string, server: string, hint: string | undefined): HelperTool {
  return {
    definition: {
      name,
      description: hint ?? 'No tools now; call to see why.',
      inputSchema: {
        type: 'object',
        properties: {
          tool: { type: 'string' },
          arguments: { type: ['object', 'string'], description: 'or JSON text' },
        },
      },
    },
    async run(input, context) {
      await context.awaitServer(server).catch((error: unknown) => {
        throw inToolMuxWords(error, '', server);
      });
      const tools = context.catalog.lookup.tools.of(server);
      if (tools.length === 0) throw notAvailable(server, context);
      if (nameKeys.every((key) => input[key] === undefined || input[key] === '')) throw missingTool(tools, context);
      return enrichedCall({ spelling: ownName(tools, readToolName(input)), server, input }, context);
    },
  };
}

/** The server's own name for a tool comes first: it may have one that is called as another one is listed. */
function ownName(tools: readonly CatalogEntry[], spelling: string): string {
  return tools.find(({ name }) => name === spelling)?.id ?? spelling;
}

function missingTool(tools: readonly CatalogEntry[], context: HelperContext): AppError {
  const lines = tools.map((tool) => {
    const schema = usableSchema(tool.definition);
    const required = parametersText(schema, (_, isRequired) => isRequired);
    const optional = parametersText(schema, (_, isRequired) => !isRequired);
    const needs = required === '' ? '' : ` (required: ${required})`;
    return `  - ${tool.name}: ${shortText(tool, context, 60)}${needs}${optional === '' ? '' : ` [${optional}]`}`;
  });
  return new AppError('bad_request', `Missing 'tool' argument. Available sub-tools:\n${lines.join('\n')}`);
}

function notAvailable(server: string, { admin }: HelperContext): AppError {
  const facts = admin.list().find(({ name }) => name === server);
  const reason = facts?.error ?? facts?.health.detail ?? 'It was removed.';
  return new AppError('tool_not_found', `Server '${server}' not available: ${reason}`, { data: { candidates: [] } });
}

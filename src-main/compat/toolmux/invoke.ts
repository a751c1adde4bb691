/** `invoke`: calls any tool of any server by its name. */
import { callKeys, readArguments, readServerName, readToolName } from '../../core/calls/read-arguments.ts';
import type { JsonObject } from '../../core/base/json.ts';
import { errorResult } from '../../core/calls/error-result.ts';
import { withText } from '../../core/calls/rejected-arguments.ts';
import { type CatalogEntry, usableSchema } from '../../core/catalog/catalog.ts';
import type { HelperContext, HelperTool, ShownItems } from '../../core/modes/mode.ts';
import { type Result, RpcError } from '../../core/wire/message.ts';
import { scalarOf, RawJson } from '../../core/wire/raw-json.ts';
import { fullDescription, toToolMuxError } from './tool-summaries.ts';

export const invoke: HelperTool = {
  kind: 'call',
  inPrograms: true,
  definition: {
    name: 'invoke',
    description: 'Call a tool.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        args: { type: ['object', 'string'], description: 'or JSON text' },
      },
      required: ['name'],
    },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  run: async (input, context) =>
    enrichedCall({ spelling: readToolName(input), server: readServerName(input), input }, context),
};

// Calls a server's tool for `invoke` and gateway's tools: its answer, where the settings say so with what the model may
// not know of the tool.

/** The tool as the model spelled it, and the helper's input with the arguments in it. */
interface RequestedCall {
  readonly spelling: string;
  readonly server: string | undefined;
  readonly input: JsonObject;
}

/** Rejects with AppError in ToolMux's words. */
export async function enrichedCall(
  { spelling, server, input }: RequestedCall,
  context: HelperContext,
): Promise<Result> {
  const { finder, firstUse = false, memory } = context;
  const known = finder.tryFind(spelling, server);
  const request = {
    // Unknown tools also go through the pipeline, which waits for them, or reports and records why they cannot be
    // called.
    ...('missing' in known ? { tool: spelling, server } : { tool: known.id, server: known.server }),
    arguments: readArguments(input) ?? {},
    beside: Object.fromEntries(Object.entries(input).filter(([key]) => !callKeys.has(key))),
    via: context.author.tool,
    errors: { spelling, helperAddsSchema: firstUse },
  };
  try {
    const result = await context.callTool(request);
    if (!firstUse) return result;
    const tool = finder.tryFind(spelling, server);
    return 'missing' in tool ? result : enrichResult(result, tool, memory);
  } catch (error) {
    // What the server itself refuses is mostly about the arguments.
    const tool = firstUse && error instanceof RpcError ? finder.tryFind(spelling, server) : undefined;
    if (tool !== undefined && !('missing' in tool)) return enrichResult(errorResult(error), tool, memory);
    throw toToolMuxError(error, spelling, server);
  }
}

/**
 * Adds to an answer what the model may not know of the tool: everything at its first use in a session, the schema at
 * each failure. That is what lets a list say one line per tool.
 */
export function enrichResult(result: Result, tool: CatalogEntry, memory: ShownItems): Result {
  // Bytes by the megabyte are passed on as they came; the tool stays new to the session.
  if (result instanceof RawJson) return result;
  const failed = scalarOf(result, 'isError') === true;
  const schema = JSON.stringify(usableSchema(tool.definition));
  const isKnown = memory.markShown('used', tool.id);
  if (failed) return withText(result, `\n[Schema for ${tool.name}: ${schema}]`);
  if (isKnown) return result;
  const about = `[Tool: ${tool.name}]\n[Description: ${fullDescription(tool)}]\n[Parameters: ${schema}]`;
  // A block of its own leaves the text that repeats the structure as it is, so that nothing is said twice.
  if (result['structuredContent'] === undefined) return withText(result, `\n${about}`);
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  return { ...result, content: [...content, { type: 'text', text: about }] };
}

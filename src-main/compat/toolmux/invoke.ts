/** `invoke`: calls any tool of any server by name. */
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

// Calls a server's tool for `invoke` and gateway's tools; if configured, adds what the model may not know about the
// tool to the result.

/** The tool name as given by the model, and the helper's input with the arguments. */
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
    // Errors from the server are mostly about the arguments.
    const tool = firstUse && error instanceof RpcError ? finder.tryFind(spelling, server) : undefined;
    if (tool !== undefined && !('missing' in tool)) return enrichResult(errorResult(error), tool, memory);
    throw toToolMuxError(error, spelling, server);
  }
}

/**
 * Adds to a result what the model may not know about the tool: everything at its first use in a session, the schema at
 * each failure. This is why lists can use one line per tool.
 */
export function enrichResult(result: Result, tool: CatalogEntry, memory: ShownItems): Result {
  // Large results are passed on unparsed; the tool remains new to the session.
  if (result instanceof RawJson) return result;
  const failed = scalarOf(result, 'isError') === true;
  const schema = JSON.stringify(usableSchema(tool.definition));
  const isKnown = memory.markShown('used', tool.id);
  if (failed) return withText(result, `\n[Schema for ${tool.name}: ${schema}]`);
  if (isKnown) return result;
  const about = `[Tool: ${tool.name}]\n[Description: ${fullDescription(tool)}]\n[Parameters: ${schema}]`;
  // A separate block leaves the text that repeats the structured content unchanged, so that nothing is duplicated.
  if (result['structuredContent'] === undefined) return withText(result, `\n${about}`);
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  return { ...result, content: [...content, { type: 'text', text: about }] };
}

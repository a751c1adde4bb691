/** Calls a server's tool for `invoke` and gateway's tools: its answer, with what the model may not know of the tool. */
import type { JsonObject } from '../../base/json.ts';
import { errorResult } from '../../calls/error-result.ts';
import { argumentKeys, nameKeys, readArguments } from '../../calls/read-arguments.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { type Result, RpcError } from '../../wire/message.ts';
import type { HelperContext } from '../mode.ts';
import { enrichResult } from './enrich-result.ts';
import { findTool, inToolMuxWords } from './find-tool.ts';

const ownKeys: ReadonlySet<string> = new Set([...argumentKeys, ...nameKeys, 'server', 'connection', '_meta']);

/** The tool as the model spelled it, and the helper's input with the arguments in it. */
export interface AskedCall {
  readonly spelling: string;
  readonly server: string | undefined;
  readonly input: JsonObject;
}

/** Rejects with AppError in ToolMux's words. */
export async function enrichedCall({ spelling, server, input }: AskedCall, context: HelperContext): Promise<Result> {
  const tool = quietly(() => findTool(spelling, server, context));
  const request = {
    // What is not found goes down the pipeline all the same, which says so and records it.
    tool: tool?.id ?? spelling,
    server: tool?.server ?? server,
    arguments: readArguments(input) ?? {},
    beside: Object.fromEntries(Object.entries(input).filter(([key]) => !ownKeys.has(key))),
    via: context.author.tool,
  };
  try {
    const result = await context.callTool(request);
    return tool === undefined ? result : enrichResult(result, tool, context.memory);
  } catch (error) {
    // What the server itself refuses is mostly about the arguments.
    if (error instanceof RpcError && tool !== undefined) return enrichResult(errorResult(error), tool, context.memory);
    throw inToolMuxWords(error, spelling, request.server);
  }
}

function quietly(find: () => CatalogEntry): CatalogEntry | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

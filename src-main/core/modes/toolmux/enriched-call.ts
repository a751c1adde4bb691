/** Calls a server's tool for `invoke` and gateway's tools: its answer, with what the model may not know of the tool. */
import type { JsonObject } from '../../base/json.ts';
import { errorResult } from '../../calls/error-result.ts';
import { argumentKeys, nameKeys, readArguments } from '../../calls/read-arguments.ts';
import { type Result, RpcError } from '../../wire/message.ts';
import type { HelperContext } from '../mode.ts';
import { enrichResult } from './enrich-result.ts';
import { inToolMuxWords } from './find-tool.ts';

const ownKeys: ReadonlySet<string> = new Set([...argumentKeys, ...nameKeys, 'server', 'connection', '_meta']);

/** The tool as the model spelled it, and the helper's input with the arguments in it. */
export interface AskedCall {
  readonly spelling: string;
  readonly server: string | undefined;
  readonly input: JsonObject;
}

/** Rejects with AppError in ToolMux's words. */
export async function enrichedCall({ spelling, server, input }: AskedCall, context: HelperContext): Promise<Result> {
  const { finder, memory } = context;
  const known = finder.look(spelling, server);
  const request = {
    // What is not there goes down the pipeline all the same, which waits for it, or says why not and records it.
    ...('missing' in known ? { tool: spelling, server } : { tool: known.id, server: known.server }),
    arguments: readArguments(input) ?? {},
    beside: Object.fromEntries(Object.entries(input).filter(([key]) => !ownKeys.has(key))),
    via: context.author.tool,
  };
  try {
    const result = await context.callTool(request);
    const tool = finder.look(spelling, server);
    return 'missing' in tool ? result : enrichResult(result, tool, memory);
  } catch (error) {
    // What the server itself refuses is mostly about the arguments.
    const tool = error instanceof RpcError ? finder.look(spelling, server) : undefined;
    if (tool !== undefined && !('missing' in tool)) return enrichResult(errorResult(error), tool, memory);
    throw inToolMuxWords(error, spelling, server);
  }
}

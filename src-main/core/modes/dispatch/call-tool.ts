/** Action `call`: a tool of some connection, through the pipeline. */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { type CatalogEntry, usableSchema } from '../../catalog/catalog.ts';
import type { SpillWish } from '../../calls/call-tool.ts';
import { toObject } from '../../wire/raw-json.ts';
import type { HelperContext } from '../mode.ts';
import { argumentHint } from './argument-hint.ts';
import { callArguments, type CallArguments } from './call-arguments.ts';
import { envelope, estimateTokens, failure, isCancelled, reason } from './envelope.ts';
import { findTool } from './find-tool.ts';
import { readFirst } from './read-input.ts';
import { type Connection, findConnection, type ShownCatalog } from './shown-catalog.ts';
import { readSpilled, readSpillWish } from './spill-result.ts';
import { textsOf, toolPayload } from './tool-payload.ts';

interface DispatchedCall {
  readonly tool: CatalogEntry;
  readonly connection: Connection;
  readonly given: CallArguments;
  readonly meta: JsonObject | undefined;
  readonly wish: SpillWish;
}

/** Rejects with AppError where nothing was called. */
export async function callTool(input: JsonObject, shown: ShownCatalog, context: HelperContext): Promise<JsonObject> {
  const call = await readCall(input, shown, context);
  const { id, alias } = call.connection;
  const facts = { action: 'call', connection: { id, alias }, tool: call.tool.name };
  let result: JsonObject;
  try {
    result = toObject(await request(call, context));
  } catch (error) {
    if (isCancelled(error)) throw error;
    return failure(facts, enriched(reasonOf(error, call), call, error));
  }
  if (result['isError'] === true) {
    const { blocks } = toolPayload({ ...result, structuredContent: undefined });
    const { facts: kept } = readSpilled(result);
    return failure({ ...facts, ...kept }, enriched(textsOf(result) || 'The tool failed without a word.', call), blocks);
  }
  return answer(facts, result, call);
}

/** The checks in the documented order; the connection's own come with finding the tool. */
async function readCall(input: JsonObject, shown: ShownCatalog, context: HelperContext): Promise<DispatchedCall> {
  const named = readFirst(input, ['tool', 'tool_name', 'name', 'path']);
  if (named === undefined) throw new AppError('bad_request', "Action 'call' requires a 'tool' name.");
  const handle = readFirst(input, ['connection', 'server']);
  const tool = findTool(named.text, handle?.text, shown, context);
  const given = await callArguments(input, [named.key, handle?.key ?? ''], context.resultFiles);
  const meta = input['meta'] ?? input['_meta'] ?? undefined;
  if (meta !== undefined && !isObject(meta)) {
    throw new AppError('bad_request', "Action 'call' requires 'meta' to be an object.");
  }
  const wish = readSpillWish(input);
  return { tool, connection: findConnection(shown, tool.server), given, meta, wish };
}

function request(
  { tool, given, meta, wish }: DispatchedCall,
  context: HelperContext,
): ReturnType<HelperContext['callTool']> {
  return context.callTool({
    // The id means this tool alone, whatever others are called.
    tool: tool.id,
    arguments: given.arguments,
    rest: meta && { _meta: meta },
    via: 'proxy-dispatch',
    spill: wish,
  });
}

function answer(head: JsonObject, result: JsonObject, call: DispatchedCall): JsonObject {
  const { tool, connection, given } = call;
  const { id, alias, serverInfo } = connection;
  const spilled = readSpilled(result);
  const { text, blocks, format } = toolPayload(result);
  const facts = {
    ...head,
    connection: { id, alias, serverInfo },
    tool: tool.name,
    arguments: given.echo,
    resultFormat: format,
    ...spilled.facts,
    ...errorOf(result, call),
  };
  if (spilled.text !== undefined) return envelope(facts, spilled.text, spilled.blocks);
  return envelope({ ...facts, estimatedTokens: estimateTokens(text) }, text, blocks);
}

/** Some servers tell a failure as a member of their result. */
function errorOf({ error }: JsonObject, call: DispatchedCall): JsonObject {
  if (error === undefined || error === null) return {};
  return { error: typeof error === 'string' ? enriched(error, call) : error };
}

/** Codes of AppError that mean: nobody was there to answer. */
const unreachable: ReadonlySet<string> = new Set([
  ...['command_not_found', 'server_disabled', 'server_exited', 'server_not_started'],
  ...['server_unauthorized', 'server_unreachable'],
]);

function reasonOf(error: unknown, { connection }: DispatchedCall): string {
  if (isUnfit(error)) return error.message;
  if (!(error instanceof AppError) || !unreachable.has(error.code)) return reason(error);
  return `Connection '${connection.alias}' is not available or does not expose callable tools: ${reason(error)}`;
}

/** With what is wrong about the parameters, and where they were refused before the call, the schema they do not fit. */
function enriched(text: string, { tool, given }: DispatchedCall, error?: unknown): string {
  const schema = usableSchema(tool.definition);
  const hint = argumentHint(given.arguments, schema);
  const lines = [text, hint, isUnfit(error) ? `Schema: ${JSON.stringify(schema)}` : undefined];
  return lines.filter((line) => line !== undefined).join('\n');
}

function isUnfit(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'arguments_invalid';
}

/** The tool `proxy-dispatch`: dispatches on the action. Failures are returned as results. */
import type { HelperKind } from '../../core/activity/ledger/ledger-entry.ts';
import { AppError } from '../../core/base/errors.ts';
import type { JsonObject } from '../../core/base/json.ts';
import { failureReason } from '../../core/calls/error-result.ts';
import { isCancelled, readArguments, firstTextOf } from '../../core/calls/read-arguments.ts';
import { awaitResult } from '../../core/modes/await-result-tool.ts';
import { readResourceTool } from '../../core/modes/read-resource.ts';
import type { HelperContext, HelperTool } from '../../core/modes/mode.ts';
import { type ReadContext, readSpill } from '../../core/modes/read-spill.ts';
import { toObject } from '../../core/wire/raw-json.ts';
import { errorEnvelope, readFlag, envelope, estimateTextTokens } from './results.ts';
import { runCallAction } from './call.ts';
import { runListAction, runSearchAction, statusTool } from './catalog-actions.ts';
import { type DispatchConnection, findConnection, visibleCatalog, type VisibleCatalog } from './visible-catalog.ts';

// The definition of `proxy-dispatch` in tool lists.

const flag: Readonly<JsonObject> = { type: 'boolean' };
const count: Readonly<JsonObject> = { type: 'integer' };
const word: Readonly<JsonObject> = { type: 'string' };

/**
 * All properties of mini-a's tool are declared. Tooltray's additional ones are not, because the text in place of a
 * spill names them: fromByte, path, columns, fromRow, rows.
 */
const definition: JsonObject & { readonly name: string } = {
  name: 'proxy-dispatch',
  description:
    'Tools of all servers. Actions: status; list; search (several ; wordings ,); call (tool, arguments); readresult.',
  inputSchema: {
    type: 'object',
    properties: {
      action: { type: 'string' },
      connection: { type: 'string', description: 'server or alias' },
      query: { type: 'string' },
      limit: { type: 'integer' },
      format: { enum: ['compact', 'detail'] },
      includeTools: flag,
      includeInputSchema: flag,
      includeAnnotations: flag,
      refresh: flag,
      tool: { type: 'string' },
      arguments: { type: ['object', 'string'] },
      argumentsFile: word,
      meta: { type: 'object' },
      resultToFile: flag,
      resultSizeThreshold: count,
      resultFile: { type: 'string' },
      op: { enum: ['stat', 'read', 'head', 'tail', 'slice', 'grep', 'query', 'schema', 'table'] },
      pattern: word,
      context: count,
      lines: count,
      fromLine: count,
      toLine: count,
      maxBytes: count,
    },
    required: ['action'],
  },
  _meta: { 'anthropic/alwaysLoad': true },
};

export const proxyDispatch: HelperTool = {
  kind: (input) => kinds.get(actionOf(input)) ?? 'call',
  definition,
  async run(input, context) {
    const action = actionOf(input);
    return answered(action, () => act(action, input, context));
  },
};

const kinds: ReadonlyMap<string, HelperKind> = new Map([
  ['status', 'discovery'],
  ['list', 'discovery'],
  ['search', 'discovery'],
  ['readresult', 'readback'],
]);

function actionOf(input: JsonObject): string {
  return firstTextOf(input, ['action'])?.text.toLowerCase() ?? '';
}

/** Converts a rejection of `run` into a result, unless the request was cancelled. */
async function answered(action: string, run: () => Promise<JsonObject>): Promise<JsonObject> {
  try {
    return await run();
  } catch (error) {
    if (isCancelled(error)) throw error;
    return errorEnvelope({ action: action.slice(0, maxEchoLength) }, failureReason(error));
  }
}

const maxEchoLength = 80;

async function act(action: string, input: JsonObject, context: HelperContext): Promise<JsonObject> {
  if (action === 'readresult') return runReadResultAction(input, context);
  if (!['status', 'list', 'search', 'call'].includes(action)) throw unsupported(action);
  const own = action === 'call' ? ownTool(input) : undefined;
  if (own !== undefined) return toObject(await own.run(readArguments(input) ?? {}, context));
  if (action === 'call') await known(input, context);
  else await context.settled();
  const fresh = await refreshed(input, context);
  const shown = visibleCatalog(fresh);
  switch (action) {
    case 'status':
      return statusTool(shown, context.toolFilter);
    case 'list':
      return runListAction(input, shown, onlyConnection(input, shown), fresh);
    case 'search':
      return runSearchAction(input, shown, onlyConnection(input, shown), fresh);
    default:
      return runCallAction(input, shown, fresh);
  }
}

/** Waits for the called tool's server; problems are reported when the tool is looked up. */
async function known(input: JsonObject, { awaitTool }: HelperContext): Promise<void> {
  const tool = firstTextOf(input, ['tool', 'tool_name', 'name', 'path'])?.text;
  if (tool === undefined) return;
  try {
    await awaitTool(tool, handleOf(input));
  } catch (error) {
    if (isCancelled(error)) throw error;
  }
}

/** The helper tool named by action `call`: results suggest these two as the next call. */
function ownTool(input: JsonObject): HelperTool | undefined {
  const named = firstTextOf(input, ['tool', 'tool_name', 'name', 'path'])?.text;
  return [awaitResult, readResourceTool].find(({ definition }) => definition.name === named);
}

/** With `refresh`, lists the tools again first, or only those of the named connection. */
async function refreshed(input: JsonObject, context: HelperContext): Promise<HelperContext> {
  if (!readFlag(input, 'refresh', false)) return context;
  const handle = handleOf(input);
  const { refresh, descriptions } = context;
  const only =
    handle === undefined ? undefined : findConnection(visibleCatalog(context), handle, ' supplied for refresh').id;
  return { ...context, ...(await refresh(only)), descriptions };
}

function onlyConnection(input: JsonObject, shown: VisibleCatalog): DispatchConnection | undefined {
  const handle = handleOf(input);
  return handle === undefined ? undefined : findConnection(shown, handle);
}

function handleOf(input: JsonObject): string | undefined {
  return firstTextOf(input, ['connection', 'server'])?.text;
}

function unsupported(action: string): AppError {
  const shown = action.slice(0, maxEchoLength);
  if (['shell', 'exec', 'run', 'bash'].includes(action)) {
    return new AppError('bad_request', `proxy-dispatch does not support action='${shown}'.`, {
      fix: "To run a tool of a server: action='call' with 'tool' and 'arguments'.",
    });
  }
  const valid = 'Valid actions are: status, list, search, call, readresult';
  return new AppError('bad_request', `Unsupported proxy-dispatch action '${shown}'. ${valid}.`);
}

// Action `readresult`: reads parts of a spilled result.

/** Rejects with AppError. */
export async function runReadResultAction(input: JsonObject, context: ReadContext): Promise<JsonObject> {
  const { op, resultFile, text, fields, truncated } = await readSpill(input, context);
  const facts = {
    action: 'readresult',
    op,
    resultFile,
    estimatedTokens: estimateTextTokens(text),
    ...fields,
    ...(truncated && { truncated }),
  };
  return envelope(facts, text);
}

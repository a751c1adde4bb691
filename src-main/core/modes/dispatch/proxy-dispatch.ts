/** The tool `proxy-dispatch`: reads the action and hands the rest to it. What goes wrong is an answer like the others. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { readArguments } from '../../calls/read-arguments.ts';
import { toObject } from '../../wire/raw-json.ts';
import { awaitResult } from '../await-result.ts';
import type { HelperContext, HelperTool } from '../mode.ts';
import { callTool } from './call-tool.ts';
import { definition } from './definition.ts';
import { failure, isCancelled, reason } from './envelope.ts';
import { listTools } from './list-tools.ts';
import { readFirst, readFlag } from './read-input.ts';
import { readResult } from './read-result.ts';
import { searchTools } from './search-tools.ts';
import { type Connection, findConnection, showCatalog, type ShownCatalog } from './shown-catalog.ts';
import { showStatus } from './show-status.ts';

export const proxyDispatch: HelperTool = {
  definition,
  async run(input, context) {
    const action = readFirst(input, ['action'])?.text.toLowerCase() ?? '';
    return answered(action, () => act(action, input, context));
  },
};

/** Turns what `run` rejects with into an answer, unless nobody waits for one. */
export async function answered(action: string, run: () => Promise<JsonObject>): Promise<JsonObject> {
  try {
    return await run();
  } catch (error) {
    if (isCancelled(error)) throw error;
    return failure({ action: action.slice(0, longestEcho) }, reason(error));
  }
}

const longestEcho = 80;

async function act(action: string, input: JsonObject, context: HelperContext): Promise<JsonObject> {
  if (action === 'readresult') return readResult(input, context);
  if (!['status', 'list', 'search', 'call'].includes(action)) throw unsupported(action);
  if (action === 'call' && isWait(input)) return toObject(await awaitResult.run(readArguments(input) ?? {}, context));
  if (action === 'call') await known(input, context);
  else await context.settled();
  const fresh = await refreshed(input, context);
  const shown = showCatalog(fresh);
  switch (action) {
    case 'status':
      return showStatus(shown, context.toolFilter);
    case 'list':
      return listTools(input, shown, onlyConnection(input, shown), fresh);
    case 'search':
      return searchTools(input, shown, onlyConnection(input, shown), fresh);
    default:
      return callTool(input, shown, fresh);
  }
}

/** Waits for the server whose tool is to be called; what stands in the way is told when it is looked up. */
async function known(input: JsonObject, { awaitTool }: HelperContext): Promise<void> {
  const tool = readFirst(input, ['tool', 'tool_name', 'name', 'path'])?.text;
  if (tool === undefined) return;
  try {
    await awaitTool(tool, handleOf(input));
  } catch (error) {
    if (isCancelled(error)) throw error;
  }
}

/** Our own tool, which leads to the answer that a call of this one still owes. */
function isWait(input: JsonObject): boolean {
  return readFirst(input, ['tool', 'tool_name', 'name', 'path'])?.text === awaitResult.definition.name;
}

/** With `refresh` the tools are read anew first, those of one connection where it is named. */
async function refreshed(input: JsonObject, context: HelperContext): Promise<HelperContext> {
  if (!readFlag(input, 'refresh', false)) return context;
  const handle = handleOf(input);
  const { refresh, descriptions } = context;
  const only =
    handle === undefined ? undefined : findConnection(showCatalog(context), handle, ' supplied for refresh').id;
  return { ...context, ...(await refresh(only)), descriptions };
}

function onlyConnection(input: JsonObject, shown: ShownCatalog): Connection | undefined {
  const handle = handleOf(input);
  return handle === undefined ? undefined : findConnection(shown, handle);
}

function handleOf(input: JsonObject): string | undefined {
  return readFirst(input, ['connection', 'server'])?.text;
}

function unsupported(action: string): AppError {
  const shown = action.slice(0, longestEcho);
  if (['shell', 'exec', 'run', 'bash'].includes(action)) {
    return new AppError('bad_request', `proxy-dispatch does not support action='${shown}'.`, {
      fix: "To run a tool of a server: action='call' with 'tool' and 'arguments'.",
    });
  }
  const valid = 'Valid actions are: status, list, search, call, readresult';
  return new AppError('bad_request', `Unsupported proxy-dispatch action '${shown}'. ${valid}.`);
}

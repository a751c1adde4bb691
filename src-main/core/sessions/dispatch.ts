/** Which part of a view answers which method: the same for both eras. */
import { listMethods } from '../activity/ledger/baseline.ts';
import { AppError } from '../base/errors.ts';
import { asText, type JsonObject } from '../base/json.ts';
import type { CallerContext } from '../calls/call-tool.ts';
import { errorResult } from '../calls/error-result.ts';
import type { ListKey } from '../servers/listing.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import type { SessionView } from './session-view.ts';

/** Rejects with RpcError, or with AppError for the line to turn into one; may throw them. `advice` is for whoever calls a tool that is not there. */
export function dispatch(
  view: SessionView,
  method: string,
  params: JsonObject,
  context: CallerContext,
  advice: () => string,
): Promise<Result> {
  const list = listMethods.get(method);
  if (list !== undefined) return listed(view, list, context);
  switch (method) {
    case 'ping':
      return Promise.resolve({});
    case 'tools/call':
      return callTool(view, params, context, advice);
    case 'resources/read':
      return view.readResource(params, context);
    case 'resources/subscribe':
      return view.subscribe(asText(params['uri']), context);
    case 'resources/unsubscribe':
      return view.unsubscribe(asText(params['uri']), context);
    case 'prompts/get':
      return view.getPrompt(params, context);
    case 'completion/complete':
      return view.complete(params, context);
    case 'logging/setLevel':
      return view.setLogLevel(asText(params['level']), context).then(() => ({}));
    default:
      return view.other(method, params, context);
  }
}

async function listed(view: SessionView, list: ListKey, context: CallerContext): Promise<Result> {
  return { [list]: await view.list(list, context.acceptsInputRequired ? 'modern' : 'legacy') };
}

/** What a model can act on comes back as a result; only a tool that does not exist is an error of the protocol. */
async function callTool(
  view: SessionView,
  params: JsonObject,
  context: CallerContext,
  advice: () => string,
): Promise<Result> {
  try {
    return await view.callTool(params, context);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
    if (error.code === 'tool_not_found') throw new RpcError(rpcCode.invalidParams, `${error.text} ${advice()}`.trim());
    return errorResult(error);
  }
}

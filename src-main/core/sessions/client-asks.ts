/** Keeps questions away from client apps that never said they can answer them. */
import { isObject, type JsonObject } from '../base/json.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';

export type Ask = (method: string, params: JsonObject, signal: AbortSignal) => Promise<Result>;

const needed: ReadonlyMap<string, string> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
]);

export function asksOf(capabilities: JsonObject, ask: Ask): Ask {
  return (method, params, signal) => {
    const capability = needed.get(method);
    if (capability !== undefined && !isObject(capabilities[capability])) {
      return Promise.reject(new RpcError(rpcCode.methodNotFound, `This client app does not support ${capability}.`));
    }
    return ask(method, params, signal);
  };
}

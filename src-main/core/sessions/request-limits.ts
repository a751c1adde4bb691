/**
 * Limits the length of names in requests of client apps, because they are looked up, compared and repeated in errors.
 */
import { isObject, type JsonObject } from '../base/json.ts';
import { maxRequestedNameLength } from '../catalog/listed-names.ts';
import { rpcCode, RpcError } from '../wire/message.ts';

/** In UTF-16 units, similar to the limits of browsers and HTTP servers. */
export const maxUriLength = 8192;

const names = ['name', 'taskId', 'level', 'type'] as const;

/** Throws RpcError invalidParams if a name or URI in the parameters of a request is too long. */
export function checkNames(params: JsonObject): void {
  for (const key of names) checkLength(key, params[key], maxRequestedNameLength);
  checkLength('uri', params['uri'], maxUriLength);
  if (isObject(params['ref'])) checkNames(params['ref']);
}

function checkLength(key: string, value: unknown, limit: number): void {
  if (typeof value !== 'string' || value.length <= limit) return;
  throw new RpcError(rpcCode.invalidParams, `"${key}" has ${value.length} characters; at most ${limit} are allowed.`);
}

/**
 * Limits and labels the requests of a server to its client. The client app only knows Tooltray, so without the
 * server's name the user could not tell which server asks for a password, or whose prompt the model is to answer.
 */
import { isObject, type JsonObject, objectOrEmpty, textOrEmpty } from '../base/json.ts';
import { RateLimiter } from '../base/semaphore.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { scalarOf, toObject } from '../wire/raw-json.ts';

/** Maximum number of open requests on one connection; at the limit, the server is not read. */
export const maxOpenServerRequests = 64;
/** Maximum number of requests in one `input_required` result of 2026-07-28. */
const maxAtOnce = 16;

/** Each of these requires a user's attention or a model's tokens. */
const rates = {
  'elicitation/create': { atOnce: 20, perSecond: 0.5 },
  'sampling/createMessage': { atOnce: 50, perSecond: 1 },
  other: { atOnce: 100, perSecond: 10 },
} as const;

/** Limits the rate of requests of one connection. */
export class ServerRequestLimiter {
  readonly #limits = {
    'elicitation/create': new RateLimiter(rates['elicitation/create']),
    'sampling/createMessage': new RateLimiter(rates['sampling/createMessage']),
    other: new RateLimiter(rates.other),
  };

  /** Throws RpcError if requests come too often. */
  admit(method: string): void {
    const kind = method === 'elicitation/create' || method === 'sampling/createMessage' ? method : 'other';
    if (!this.#limits[kind].tryAcquire())
      throw new RpcError(rpcCode.aborted, `${method} was requested too often. Wait a few seconds, then retry.`);
  }
}

/** Returns the requests inside an input-required response. Throws RpcError for requests that no client can answer. */
export function inputRequests(response: JsonObject): [string, string, JsonObject][] {
  const requests = isObject(response['inputRequests']) ? Object.entries(response['inputRequests']) : [];
  if (requests.length > maxAtOnce)
    throw new RpcError(rpcCode.internal, `The server sent ${requests.length} input requests at once.`);
  return requests.map(([key, request]) => {
    const { method, params } = objectOrEmpty(request);
    if (typeof method !== 'string')
      throw new RpcError(rpcCode.internal, `The server requested input without a method (${key}).`);
    checkLink(method, objectOrEmpty(params));
    return [key, method, objectOrEmpty(params)];
  });
}

/** Throws RpcError invalidParams for an elicitation whose link is not http(s), because a client app would open it. */
export function checkLink(method: string, { mode, url }: JsonObject): void {
  if (method !== 'elicitation/create' || (mode !== 'url' && url === undefined)) return;
  if (!isWebUrl(url))
    throw new RpcError(rpcCode.invalidParams, 'The URL of an elicitation must start with http:// or https://.');
}

/** Source: MCP 2025-11-25, Elicitation (URLElicitationRequiredError). */
const urlElicitationRequired = -32042;

/** The same error without elicitations whose links are not http(s). */
export function withWebLinks(error: RpcError): RpcError {
  const { elicitations, ...rest } = objectOrEmpty(error.data);
  if (error.code !== urlElicitationRequired || !Array.isArray(elicitations)) return error;
  const safe = (elicitations as unknown[]).filter((one) => isWebUrl(objectOrEmpty(one)['url']));
  return safe.length === elicitations.length
    ? error
    : new RpcError(error.code, error.message, { ...rest, elicitations: safe });
}

function isWebUrl(url: unknown): boolean {
  const protocol = typeof url === 'string' ? URL.parse(url)?.protocol : undefined;
  return protocol === 'http:' || protocol === 'https:';
}

/** Adds the server's name to a request: to the text for the user, and to `_meta` for programs. */
export function labelServerRequest(server: string, method: string, params: JsonObject): JsonObject {
  const meta = objectOrEmpty(params['_meta']);
  const named = { ...params, _meta: { ...meta, 'tooltray/server': server } };
  if (method === 'elicitation/create') return { ...named, message: `${server}: ${textOrEmpty(params['message'])}` };
  if (method !== 'sampling/createMessage') return params;
  const prompt = textOrEmpty(params['systemPrompt']);
  return { ...named, systemPrompt: `Requested by the MCP server ${server}.${prompt === '' ? '' : `\n\n${prompt}`}` };
}

/**
 * The same for an `input_required` result of 2026-07-28. `server` is undefined if the client app sees only that
 * server. Throws RpcError for requests that no client can handle.
 */
export function labelInputRequests(server: string | undefined, result: Result): Result {
  if (scalarOf(result, 'resultType') !== 'input_required') return result;
  const response = toObject(result);
  const all = inputRequests(response);
  if (server === undefined) return result;
  const requests = all.map(([key, method, params]) => [
    key,
    { method, params: labelServerRequest(server, method, params) },
  ]);
  return { ...response, inputRequests: Object.fromEntries(requests) as JsonObject };
}

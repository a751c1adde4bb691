/**
 * Limits and labels the requests of a server to its client. The client app knows only Tooltray, so without the server's
 * name the user could not tell which server wants a password, or whose prompt the model is to answer.
 */
import { isObject, type JsonObject, objectOrEmpty, textOrEmpty } from '../base/json.ts';
import { RateLimiter } from '../base/semaphore.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { scalarOf, toObject } from '../wire/raw-json.ts';

/** Questions of one line that may be open at once; while there are so many, the server is not read. */
export const maxOpenServerRequests = 64;
/** In one answer of 2026-07-28 that asks for input. */
const maxAtOnce = 16;

/** Each of these costs a user's attention, or tokens of their model. */
const rates = {
  'elicitation/create': { atOnce: 20, perSecond: 0.5 },
  'sampling/createMessage': { atOnce: 50, perSecond: 1 },
  other: { atOnce: 100, perSecond: 10 },
} as const;

/** How often one line may ask. */
export class ServerRequestLimiter {
  readonly #limits = {
    'elicitation/create': new RateLimiter(rates['elicitation/create']),
    'sampling/createMessage': new RateLimiter(rates['sampling/createMessage']),
    other: new RateLimiter(rates.other),
  };

  /** Throws RpcError where it asks too often. */
  admit(method: string): void {
    const kind = method === 'elicitation/create' || method === 'sampling/createMessage' ? method : 'other';
    if (!this.#limits[kind].tryAcquire())
      throw new RpcError(rpcCode.aborted, `${method} was asked too often. Wait some seconds, then ask again.`);
  }
}

/** Returns the requests inside an input-required response. Throws RpcError for requests that no client can answer. */
export function inputRequests(response: JsonObject): [string, string, JsonObject][] {
  const requests = isObject(response['inputRequests']) ? Object.entries(response['inputRequests']) : [];
  if (requests.length > maxAtOnce)
    throw new RpcError(rpcCode.internal, `The server asked ${requests.length} things at once.`);
  return requests.map(([key, request]) => {
    const { method, params } = objectOrEmpty(request);
    if (typeof method !== 'string')
      throw new RpcError(rpcCode.internal, `The server asked for input without naming a method (${key}).`);
    checkLink(method, objectOrEmpty(params));
    return [key, method, objectOrEmpty(params)];
  });
}

/**
 * Throws RpcError invalidParams for an elicitation with a link that is no web page: a client app would open it for the
 * user.
 */
export function checkLink(method: string, { mode, url }: JsonObject): void {
  if (method !== 'elicitation/create' || (mode !== 'url' && url === undefined)) return;
  if (!isWebUrl(url))
    throw new RpcError(rpcCode.invalidParams, 'The URL of an elicitation must begin with http:// or https://.');
}

/** Source: MCP 2025-11-25, Elicitation (URLElicitationRequiredError). */
const urlElicitationRequired = -32042;

/** The same error without elicitations whose links are no web pages. */
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

/** The question with the server's name on it: in front of what a user reads, and for programs in `_meta`. */
export function labelServerRequest(server: string, method: string, params: JsonObject): JsonObject {
  const meta = objectOrEmpty(params['_meta']);
  const named = { ...params, _meta: { ...meta, 'tooltray/server': server } };
  if (method === 'elicitation/create') return { ...named, message: `${server}: ${textOrEmpty(params['message'])}` };
  if (method !== 'sampling/createMessage') return params;
  const prompt = textOrEmpty(params['systemPrompt']);
  return { ...named, systemPrompt: `Asked by the MCP server ${server}.${prompt === '' ? '' : `\n\n${prompt}`}` };
}

/**
 * Like the above, for an input-required response of 2026-07-28 that is returned to the client app. `server` is
 * undefined if the client app sees only that server. Throws RpcError for requests that no client can answer.
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

/**
 * Parses a POST: the messages and their protocol, or why they are refused. The body decides; the headers must match it.
 * Sources: MCP 2025-11-25, basic/transports (Streamable HTTP); MCP 2026-07-28, basic/transports ("Standard Request
 * Headers") and basic ("Request metadata"); JSON-RPC 2.0, batches as in MCP 2025-03-26.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject, objectOrEmpty } from '../../base/json.ts';
import { readHeaderValue } from '../../servers/param-headers.ts';
import { logLevels } from '../../servers/server-subscriptions.ts';
import { isStatelessRequest, metaKeys, metaOf, statelessVersion } from '../../wire/protocol-kind.ts';
import { type Message, type RequestId, rpcCode, type RpcRequest } from '../../wire/message.ts';
import { unsupportedVersionError } from '../stateless-results.ts';
import { idOf, type HttpRefusal, httpRefusal } from './http-io.ts';

export type Inbound =
  /** `isBatch`: the messages came as an array, and the response is an array. */
  | { readonly kind: 'legacy'; readonly messages: readonly Message[]; readonly isBatch: boolean }
  | { readonly kind: 'modern'; readonly request: RpcRequest }
  /** A notification of 2026-07-28; none of them concerns a server over HTTP. */
  | { readonly kind: 'acknowledged' }
  | { readonly kind: 'refused'; readonly refusal: HttpRefusal };

/** Maximum number of messages in a batch. */
const maxInBatch = 100;

/** `application/json` with any parameters. Duplicate headers are joined to a list, which does not match. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return (
    contentType !== undefined && !contentType.includes(',') && /^\s*application\/json\s*(?:;|$)/i.test(contentType)
  );
}

/** Whether the client accepts both a JSON body and a stream, as the specification requires. */
export function acceptsJsonAndEvents(accept: string | undefined): boolean {
  if (accept === undefined || accept === 'application/json, text/event-stream') return true;
  const types = accept.toLowerCase();
  const takes = (type: string): boolean =>
    types.includes(type) || types.includes('*/*') || types.includes(`${type.split('/', 1)[0]}/*`);
  return takes('application/json') && takes('text/event-stream');
}

export function parseInbound(body: unknown, headers: IncomingHttpHeaders): Inbound {
  if (Array.isArray(body)) return readBatch(body);
  if (!isMessage(body))
    return refused(httpRefusal(400, rpcCode.invalidRequest, 'The request is not a JSON-RPC message.'));
  const version = singleHeader(headers['mcp-protocol-version']);
  const namesModern = version !== undefined && version >= statelessVersion;
  if (!('method' in body)) return legacy(body);
  const claims = metaKeys.protocolVersion in metaOf(body.params);
  if (body.method === 'initialize' && !(isStatelessRequest(body.params) && envelopeFault(body.params) === undefined)) {
    return namesModern ? disagree(body, 'initialize is not part of the protocol version in the header.') : legacy(body);
  }
  if (!claims && !namesModern) return legacy(body);
  const fault = 'id' in body ? requestFault(body, headers) : notificationFault(body, headers);
  if (fault !== undefined) return refused(fault);
  return 'id' in body ? { kind: 'modern', request: body } : { kind: 'acknowledged' };
}

function readBatch(body: readonly unknown[]): Inbound {
  const bad = (message: string): Inbound => refused(httpRefusal(400, rpcCode.invalidRequest, message));
  if (body.length === 0) return bad('The batch is empty.');
  if (body.length > maxInBatch) return bad(`A batch can contain at most ${maxInBatch} messages.`);
  if (!body.every(isMessage)) return bad('The batch contains an item that is not a JSON-RPC message.');
  if (body.some((one) => 'method' in one && metaKeys.protocolVersion in metaOf(one.params)))
    return bad('Since 2025-06-18, a request must contain a single message, not a batch.');
  if (body.length > 1 && body.some((one) => 'method' in one && one.method === 'initialize'))
    return bad('initialize must not be part of a batch.');
  const requestIds = body.flatMap((one) => ('method' in one && 'id' in one ? [one.id] : []));
  if (new Set(requestIds).size < requestIds.length) return bad('Two requests in the batch have the same id.');
  return { kind: 'legacy', messages: body, isBatch: true };
}

function requestFault(request: RpcRequest, headers: IncomingHttpHeaders): HttpRefusal | undefined {
  const { params, method, id } = request;
  const fault = envelopeFault(params);
  if (fault !== undefined)
    return httpRefusal(
      400,
      rpcCode.invalidParams,
      `The _meta that 2026-07-28 requires in each request is invalid: ${fault}`,
      id,
    );
  return claimFault(request, headers, id) ?? missingHeader(method, objectOrEmpty(params), headers, id);
}

/** Checks the metadata of a notification: optional, but valid if present. */
function notificationFault(
  notification: Message & { readonly method: string; readonly params?: JsonObject | undefined },
  headers: IncomingHttpHeaders,
): HttpRefusal | undefined {
  const claim = metaOf(notification.params)[metaKeys.protocolVersion];
  if (claim !== undefined && typeof claim !== 'string')
    return httpRefusal(
      400,
      rpcCode.invalidParams,
      `The ${metaKeys.protocolVersion} of the notification is not a string.`,
    );
  return claimFault(notification, headers, null);
}

/**
 * The protocol version in the body, or else in the header, must be supported, and existing headers must match the
 * body.
 */
function claimFault(
  { method, params }: { readonly method: string; readonly params?: JsonObject | undefined },
  headers: IncomingHttpHeaders,
  id: RequestId | null,
): HttpRefusal | undefined {
  const header = singleHeader(headers['mcp-protocol-version']);
  const claim = metaOf(params)[metaKeys.protocolVersion] as string | undefined;
  if (claim !== undefined && header !== undefined && header !== claim)
    return mismatch(`the body has version ${claim}, but the header MCP-Protocol-Version has ${header}.`, id);
  const named = singleHeader(headers['mcp-method']);
  if (named !== undefined && named !== method)
    return mismatch(`the method is ${method}, but the header Mcp-Method has ${named}.`, id);
  const version = claim ?? header;
  if (version === statelessVersion) return undefined;
  const { code, message, data } = unsupportedVersionError(version);
  return { status: 400, error: { code, message, data }, id };
}

/** The member of the params that the header Mcp-Name repeats. */
const nameSources: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** Intermediaries rely on the headers, so all are required. */
function missingHeader(
  method: string,
  params: JsonObject,
  headers: IncomingHttpHeaders,
  id: RequestId,
): HttpRefusal | undefined {
  if (headers['mcp-protocol-version'] === undefined) return mismatch('the header MCP-Protocol-Version is missing.', id);
  if (headers['mcp-method'] === undefined) return mismatch('the header Mcp-Method is missing.', id);
  const source = nameSources.get(method);
  const name = source === undefined ? undefined : params[source];
  const written = singleHeader(headers['mcp-name']);
  if (source === undefined) return undefined;
  if (written === undefined)
    return typeof name === 'string'
      ? mismatch(`params.${source} is "${name}", but the header Mcp-Name is missing.`, id)
      : undefined;
  const said = readHeaderValue(written);
  if (said === undefined) return mismatch('the header Mcp-Name is marked as base64 but is not valid base64.', id);
  if (typeof name !== 'string' || name === said) return undefined;
  return mismatch(`params.${source} is "${name}", but the header Mcp-Name has "${said}".`, id);
}

/** Returns what is wrong with a stateless request's metadata, as a sentence. Source: schema.ts, RequestMetaObject. */
function envelopeFault(params: JsonObject | undefined): string | undefined {
  const meta = params?.['_meta'];
  if (!isObject(meta)) return '_meta is missing.';
  const missing = [metaKeys.protocolVersion, metaKeys.clientCapabilities].filter((key) => !(key in meta));
  if (missing.length > 0) return `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`;
  if (typeof meta[metaKeys.protocolVersion] !== 'string') return `${metaKeys.protocolVersion} is not a string.`;
  if (!isObject(meta[metaKeys.clientCapabilities])) return `${metaKeys.clientCapabilities} is not an object.`;
  const info = meta[metaKeys.clientInfo];
  if (
    info !== undefined &&
    !(isObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string')
  )
    return `${metaKeys.clientInfo} lacks name or version.`;
  const level = meta[metaKeys.logLevel];
  if (level !== undefined && !(logLevels as readonly unknown[]).includes(level))
    return `${metaKeys.logLevel} is not a log level.`;
  const token = meta['progressToken'];
  const isToken = token === undefined || typeof token === 'string' || typeof token === 'number';
  return isToken ? undefined : 'progressToken must be a string or a number.';
}

/** Unknown members are ignored. */
function isMessage(value: unknown): value is Message {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return false;
  const { id, method, params } = value;
  const isId = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string')
    return (isId || !('id' in value)) && (params === undefined || params === null || isObject(params));
  if (method !== undefined) return false;
  return 'result' in value ? isId : isObject(value['error']) && (isId || id === null || id === undefined);
}

function legacy(message: Message): Inbound {
  return { kind: 'legacy', messages: [message], isBatch: false };
}

function disagree(body: unknown, how: string): Inbound {
  return refused(mismatch(how, idOf(body)));
}

function mismatch(how: string, id: RequestId | null): HttpRefusal {
  return httpRefusal(400, rpcCode.headerMismatch, `The headers and the body of the request disagree: ${how}`, id);
}

function refused(why: HttpRefusal): Inbound {
  return { kind: 'refused', refusal: why };
}

/** Duplicate headers are joined, so that they match no single value. */
export function singleHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

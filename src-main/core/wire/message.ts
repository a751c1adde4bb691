/** JSON-RPC 2.0 messages as used by MCP, and results that are too large to parse. */
import type { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, toPlainNumber } from '../base/json.ts';
import { RawJson } from './raw-json.ts';

export type RequestId = string | number;

export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject | undefined;
  /** Why the request could not be read completely; set by our own reader, never by the other side. */
  readonly lost?: AppError;
}

interface RpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

/** The result of a request: parsed, or the raw bytes if it is large. */
export type Result = JsonObject | RawJson;

export interface RpcResult {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: Result;
}

export interface RpcErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface RpcFailure {
  readonly jsonrpc: '2.0';
  /** null only if the request's id could not be read. */
  readonly id: RequestId | null;
  readonly error: RpcErrorBody;
  /** Why a response has no result; set by our own reader, never by the other side. */
  readonly lost?: AppError;
}

export type Message = RpcRequest | RpcNotification | RpcResult | RpcFailure;

/** A JSON-RPC error: code, message and data verbatim. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Codes of JSON-RPC 2.0 and MCP 2026-07-28 (schema.ts). */
export const rpcCode = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Custom code, not in any specification: the request was aborted (timeout, disconnect, cancelled). */
  aborted: -32000,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const;

export function isRequest(message: Message): message is RpcRequest {
  return 'method' in message && 'id' in message;
}

export function isNotification(message: Message): message is RpcNotification {
  return 'method' in message && !('id' in message);
}

/**
 * Returns whether a value is a JSON-RPC message. The version is required: servers print log lines as JSON, with
 * members such as `method` and `id`, and both SDKs drop messages without the version.
 */
export function isMessage(value: unknown): value is Message {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return false;
  // A response without a result still ends its request.
  return typeof value['method'] === 'string' || 'id' in value;
}

/** An integer in its canonical spelling, within the range of a double. */
const wholeNumber = /^(?:0|-?[1-9]\d{0,14})$/;

/**
 * Converts an id or progress token from the other side to the number that we sent: some servers and gateways return
 * "7" or 7.0 for 7. Our own ids and tokens are integers, so nothing else is changed. Source: both SDKs convert it
 * (typescript-sdk `Number(response.id)`; python-sdk issue 1720, rust-sdk issue 1017).
 */
export function ownId(id: unknown): unknown {
  const plain = toPlainNumber(id);
  return typeof plain === 'string' && wholeNumber.test(plain) ? Number(plain) : plain;
}

/** Returns the key of an open request under an id of the other side, which may repeat "7" as 7, and 7 as "7". */
export function openId(open: { has(id: RequestId): boolean }, id: unknown): RequestId {
  const plain = toPlainNumber(id) as RequestId;
  if (open.has(plain)) return plain;
  return typeof plain === 'number' ? String(plain) : (ownId(plain) as RequestId);
}

/** Some servers send `"error": null` next to a result, as in JSON-RPC 1.0. */
export function isFailure(message: Message): message is RpcFailure {
  return 'error' in message && (message.error as unknown) !== null && message.error !== undefined;
}

/** A message as the pieces of one line; a raw result is sent as the received bytes. */
export function serializeMessage(message: Message): (string | Buffer)[] {
  if (!('result' in message) || !(message.result instanceof RawJson)) return [JSON.stringify(message) + '\n'];
  return [`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`, ...message.result.chunks, '}\n'];
}

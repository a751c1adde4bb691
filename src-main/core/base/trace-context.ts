/**
 * The trace of a call (W3C Trace Context), if traces are collected: the call is a span, and its server's part a child
 * span.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

export interface CallTrace {
  readonly traceId: string;
  /** Span of the client app; undefined if the trace starts with the call. */
  readonly parentId: string | undefined;
  readonly callId: string;
  /** Span of the server's part; the parent of the server's own spans. */
  readonly serverId: string;
  /** If the client app opted out, nothing is exported, and its context is forwarded unchanged. */
  readonly isSampled: boolean;
}

/** Longer values are invalid. */
const maxTraceparentLength = 100;

/** `traceparent`: the app's value, untrusted. `newId`: returns the id of a trace that starts here. */
export function startTrace(traceparent: unknown, newId = (): string => randomBytes(16).toString('hex')): CallTrace {
  const parent = readParent(traceparent);
  return {
    traceId: parent?.traceId ?? newId(),
    parentId: parent?.spanId,
    callId: randomBytes(8).toString('hex'),
    serverId: randomBytes(8).toString('hex'),
    isSampled: parent?.isSampled ?? true,
  };
}

/** Returns the `traceparent` for `_meta` of a request to a server. Source: W3C Trace Context, 3.2. */
export function formatTraceparent({ traceId, serverId }: CallTrace): string {
  return `00-${traceId}-${serverId}-01`;
}

interface Parent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Source: W3C Trace Context, 3.2. Undefined if invalid; the trace then starts here. */
function readParent(text: unknown): Parent | undefined {
  if (typeof text !== 'string' || text.length > maxTraceparentLength) return undefined;
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/.exec(text) ?? [];
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export interface RequestIds {
  readonly requestId: string;
  readonly traceId: string;
}

/** Identifies the HTTP request that the current code runs for, across asynchronous calls, for its log lines. */
export class RequestScope {
  readonly #storage = new AsyncLocalStorage<RequestIds>();

  /** Undefined outside of requests. */
  get current(): RequestIds | undefined {
    return this.#storage.getStore();
  }

  run(ids: RequestIds, work: () => void): void {
    this.#storage.run(ids, work);
  }
}

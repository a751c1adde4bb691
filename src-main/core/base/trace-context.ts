/**
 * In which trace a call is (W3C Trace Context), where they are gathered: the call is a span of it, and what its server
 * takes one below that.
 */
import { randomBytes } from 'node:crypto';

export interface CallTrace {
  readonly traceId: string;
  /** Span of the client app; undefined if the trace begins with the call. */
  readonly parentId: string | undefined;
  readonly callId: string;
  /** Span of the server's part; the parent of the server's own spans. */
  readonly serverId: string;
  /** If the client app opted out, nothing is exported, and its context is forwarded unchanged. */
  readonly isSampled: boolean;
}

/** Longer ones are none. */
const maxTraceparentLength = 100;

/** `traceparent`: what the app said of its own; anything. */
export function startTrace(traceparent: unknown): CallTrace {
  const parent = readParent(traceparent);
  return {
    traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
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

/** Source: W3C Trace Context, 3.2. undefined: it is none, and the trace begins with us. */
function readParent(text: unknown): Parent | undefined {
  if (typeof text !== 'string' || text.length > maxTraceparentLength) return undefined;
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/.exec(text) ?? [];
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

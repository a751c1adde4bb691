/** In which trace a call is (W3C Trace Context), where they are gathered: the call is a span of it, and what its server takes one below that. */
import { randomBytes } from 'node:crypto';

export interface CallTrace {
  readonly traceId: string;
  /** Of the app; undefined: the trace begins with the call. */
  readonly parentId: string | undefined;
  readonly callId: string;
  /** Of the server's part; what the server does is below it. */
  readonly serverId: string;
  /** Where the app says that nobody is, nobody is told of it, and its context goes on as it came. */
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

/** What a server is told, in `_meta` of its request. Source: W3C Trace Context, 3.2. */
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

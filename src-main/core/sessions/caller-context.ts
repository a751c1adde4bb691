/** Who is calling, and what of its client app can be reached while a request is served: made anew for each request. */
import type { JsonObject } from '../base/json.ts';
import type { CallerContext } from '../calls/call-tool.ts';
import { metaKey, metaOf } from '../wire/eras.ts';
import type { RequestId } from '../wire/message.ts';
import type { LogFilter } from './log-filter.ts';
import type { Round } from './parked-calls.ts';

/** What a request brings along from the line it came on. */
export interface RequestLine extends Round {
  readonly id: RequestId;
  /** The request in the ledger. */
  readonly exchange?: CallerContext['exchange'];
}

/** What of a context is the session's. */
export type Caller = Pick<CallerContext, 'sessionId' | 'app' | 'mode' | 'clientInfo' | 'clientCapabilities'> &
  Pick<CallerContext, 'protocolVersion' | 'onToolsChanged' | 'holdSession'>;

/** `log`: the level that a session of the handshake era has set; in 2026-07-28 (undefined) each request names its own. */
export function callerContext(
  caller: Caller,
  params: JsonObject,
  line: RequestLine,
  askClient: CallerContext['askClient'],
  log: LogFilter | undefined,
): CallerContext {
  const meta = metaOf(params);
  const token = meta['progressToken'];
  const level = log === undefined ? meta[metaKey.logLevel] : log.level;
  const wants = (message: JsonObject): boolean =>
    log === undefined ? level !== undefined : log.passes('notifications/message', message);
  return {
    ...caller,
    exchange: line.exchange,
    signal: line.signal,
    onProgress:
      token === undefined
        ? undefined
        : (progress) => line.notify('notifications/progress', { ...progress, progressToken: token }),
    onLog: (message) => {
      if (wants(message)) line.notify('notifications/message', message);
    },
    logLevel: typeof level === 'string' ? level : undefined,
    askClient,
    namesServers: caller.mode !== 'server',
    acceptsInputRequired: log === undefined,
  };
}

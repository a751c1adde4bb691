/** The caller of a request, and what the request can reach of its client app. Created for each request. */
import { logLevels } from '../servers/server-subscriptions.ts';
import { toText, isObject, type JsonObject } from '../base/json.ts';
import { FairSemaphore, type Rate, RateLimiter } from '../base/semaphore.ts';
import type { CallerContext } from '../calls/call-tool.ts';
import { metaKeys, metaOf } from '../wire/protocol-kind.ts';
import { type RequestId, type Result, rpcCode, RpcError } from '../wire/message.ts';
import type { RequestRound } from './parked-calls.ts';

/** The part of a context that a request takes from its connection. */
export interface RequestScope extends RequestRound {
  readonly id: RequestId;
  /** The request in the ledger. */
  readonly exchange?: CallerContext['exchange'];
}

/** The session's part of a context. */
export type Caller = Pick<
  CallerContext,
  'principal' | 'sessionId' | 'app' | 'mode' | 'clientInfo' | 'clientCapabilities'
> &
  Pick<CallerContext, 'protocolVersion' | 'onToolsChanged' | 'holdSession' | 'awaited' | 'memoryId'>;

/** `log`: the level set by a stateful session; in 2026-07-28 (undefined) each request names its own. */
export function callerContext(
  caller: Caller,
  params: JsonObject,
  line: RequestScope,
  askClient: CallerContext['askClient'],
  log: LogFilter | undefined,
): CallerContext {
  const meta = metaOf(params);
  const token = meta['progressToken'];
  const level = log === undefined ? meta[metaKeys.logLevel] : log.level;
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

/** Forwards a server's request to the client app if the app declared support, within a limit over all servers. */
export type AskClient = (method: string, params: JsonObject, signal: AbortSignal) => Promise<Result>;

const needed: ReadonlyMap<string, string> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
]);

/** Each server has limits of its own (servers/questions.ts); these apply to all servers of one session together. */
export interface ClientRequestLimits {
  /** Maximum number shown to the user at once; one server may use half of it. */
  readonly open: number;
  /** Maximum number in the queue. */
  readonly waiting: number;
  /** Maximum time in the queue, in ms. */
  readonly waitMs: number;
  readonly rate: Rate;
}

const bounds: ClientRequestLimits = { open: 12, waiting: 48, waitMs: 60_000, rate: { atOnce: 120, perSecond: 2 } };

/**
 * Limits server-initiated requests that take a user's attention or a model's tokens, over all servers of one session.
 */
export class ClientRequestQueue {
  readonly #bounds: ClientRequestLimits;
  readonly #slots: FairSemaphore<string>;
  readonly #rate: RateLimiter;

  constructor(limits: ClientRequestLimits = bounds) {
    this.#bounds = limits;
    this.#slots = new FairSemaphore(limits.open);
    this.#rate = new RateLimiter(limits.rate);
  }

  /** Queues requests; servers take turns. Also rejects with RpcError that says why a request was not shown. */
  withLimits(ask: AskClient): AskClient {
    return async (method, params, signal) => {
      if (method !== 'elicitation/create' && method !== 'sampling/createMessage') return ask(method, params, signal);
      const { open, waiting, waitMs } = this.#bounds;
      if (!this.#rate.tryAcquire()) throw tooMany('Servers sent this user too many requests in a short time.');
      if (this.#slots.waiting >= waiting)
        throw tooMany(`This user already has ${open} open requests, and more are queued.`);
      const server = serverOf(params);
      const turn = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
      if (!(await this.#slots.acquire(server, turn))) throw tooMany('The request timed out while others were open.');
      try {
        return await ask(method, params, signal);
      } finally {
        this.#slots.release(server);
      }
    };
  }
}

export function restrictToCapabilities(capabilities: JsonObject, ask: AskClient): AskClient {
  return (method, params, signal) => {
    const capability = needed.get(method);
    if (capability !== undefined && !isObject(capabilities[capability])) {
      return Promise.reject(new RpcError(rpcCode.methodNotFound, `This client app does not support ${capability}.`));
    }
    return ask(method, params, signal);
  };
}

/** Returns the server named in the request (servers/questions.ts); empty if the client app sees only one server. */
function serverOf({ _meta: meta }: JsonObject): string {
  return isObject(meta) && typeof meta['tooltray/server'] === 'string' ? meta['tooltray/server'] : '';
}

function tooMany(why: string): RpcError {
  return new RpcError(rpcCode.aborted, `${why} Wait until some are answered, then retry.`);
}

// Decides which log messages a session receives.

export class LogFilter {
  /** The minimum severity; undefined: everything that the server sends. */
  level: string | undefined;

  /** Whether a notification passes; notifications other than log messages always do. */
  passes(method: string, params: JsonObject): boolean {
    if (method !== 'notifications/message' || this.level === undefined) return true;
    const given = logLevels.indexOf(toText(params['level']));
    return given < 0 || given >= logLevels.indexOf(this.level);
  }
}

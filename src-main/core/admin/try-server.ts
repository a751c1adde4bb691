/** Whether a server answers, found out on the line that everybody shares: nothing is started twice, no call is cut off. */
import { AppError, toAppError } from '../base/errors.ts';
import type { CallContext } from '../servers/call-context.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import { rpcCode, RpcError } from '../wire/message.ts';

export interface ServerTrial {
  readonly name: string;
  readonly ok: boolean;
  readonly status: 'healthy' | 'timeout' | 'error';
  readonly tools: number;
  /** Why not. */
  readonly error?: string;
  /** It was left asleep, and not asked. */
  readonly asleep?: true;
}

/** What to do with a server that is not there: leave it so, start it as a call would, or start it without its back-off. */
export type Rousing = 'leave' | 'wake' | 'retry';

/** A server that takes longer goes on starting; only the answer does not wait for it. */
const usualLimitMs = 15_000;

/** Never rejects. */
export async function tryServer(
  server: ManagedServer,
  rousing: Rousing,
  limitMs: number = usualLimitMs,
): Promise<ServerTrial> {
  const { name } = server.config;
  const limit = AbortSignal.timeout(limitMs);
  const healthy = (): ServerTrial => ({ name, ok: true, status: 'healthy', tools: server.listing.tools.length });
  if (rousing === 'leave' && server.state.kind === 'disconnected') return { ...healthy(), asleep: true };
  try {
    await untilAborted(rouse(server, rousing), limit);
    await server.request('tools/list', {}, trialContext(limit));
    return healthy();
  } catch (error) {
    // To say no is an answer as well.
    if (error instanceof RpcError) return healthy();
    if (!limit.aborted) return { name, ok: false, status: 'error', tools: 0, error: toAppError(error).text };
    return { name, ok: false, status: 'timeout', tools: 0, error: `No answer within ${limitMs / 1000} s.` };
  }
}

async function rouse(server: ManagedServer, rousing: Rousing): Promise<void> {
  const { state } = server;
  if (rousing !== 'leave') {
    // One that is ready may be at work for others.
    await (rousing === 'wake' || state.kind === 'ready' ? server.ready() : server.retry());
  } else if (state.kind === 'error' || state.kind === 'pending-sign-in') throw state.error;
}

async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new AppError('cancelled', 'It took too long.'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([work, late]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function trialContext(signal: AbortSignal): CallContext {
  return {
    sessionId: 'trial',
    clientInfo: {},
    clientCapabilities: {},
    signal,
    onLog: () => undefined,
    askClient: () => Promise.reject(new RpcError(rpcCode.methodNotFound, 'Nobody is there to be asked.')),
    acceptsInputRequired: false,
  };
}

/** Whether a server answers right now, asked on the line that is there; a server that sleeps is not woken for it. */
import { errorText } from '../base/errors.ts';
import type { CallContext } from '../servers/call-context.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import { rpcCode, RpcError } from '../wire/message.ts';

export interface ServerProbe {
  readonly status: 'healthy' | 'timeout' | 'error';
  readonly reason?: string;
}

/** Never rejects. */
export async function probeServer(server: ManagedServer, limitMs: number): Promise<ServerProbe> {
  const { state } = server;
  if (state.kind === 'disconnected') return { status: 'healthy', reason: 'Asleep; it starts when it is called.' };
  if (state.kind === 'error' || state.kind === 'pending-sign-in') return { status: 'error', reason: state.error.text };
  const limit = AbortSignal.timeout(limitMs);
  try {
    await server.request('tools/list', {}, probeContext(limit));
    return { status: 'healthy' };
  } catch (error) {
    // To say no is an answer as well.
    if (error instanceof RpcError) return { status: 'healthy' };
    if (limit.aborted) return { status: 'timeout', reason: `No answer within ${limitMs / 1000} s.` };
    return { status: 'error', reason: errorText(error) };
  }
}

function probeContext(signal: AbortSignal): CallContext {
  return {
    sessionId: 'probe',
    clientInfo: {},
    clientCapabilities: {},
    signal,
    onLog: () => undefined,
    askClient: () => Promise.reject(new RpcError(rpcCode.methodNotFound, 'Nobody is there to be asked.')),
    acceptsInputRequired: false,
  };
}

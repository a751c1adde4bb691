/**
 * Recognizes the errors of HTTP servers that no longer know our session. The specification requires 404; some servers
 * answer with 400 or 410, with a JSON-RPC error and any status, or with a plain error in an event stream. Source: MCP
 * 2025-11-25, basic/transports ("Session Management").
 */
import { AppError } from '../base/errors.ts';
import { rpcCode, RpcError } from '../wire/message.ts';

const refusedStatus: ReadonlySet<unknown> = new Set([400, 404, 410]);
const words = /session|not (?:yet |been )?initiali[sz]ed|before initiali[sz]|initiali[sz]e first/i;

/**
 * Whether a response may mean that the session is lost. Tools may have sessions of their own, so `ping` has to confirm
 * it.
 */
export function mayBeLostSession(error: unknown): boolean {
  if (error instanceof RpcError) return words.test(error.message);
  return error instanceof AppError && refusedStatus.has(error.data?.['status']);
}

/** Whether the response to `ping` in the same session confirms it. */
export function confirmsLostSession(error: unknown): boolean {
  if (isSessionLost(error)) return true;
  if (error instanceof RpcError && error.code === rpcCode.methodNotFound && !words.test(error.message)) return false;
  return mayBeLostSession(error);
}

/** The error of a request that a server rejected because it does not know the session. */
export function lostSession(server: string): AppError {
  return new AppError('server_exited', `${server} no longer knows the session.`, {
    fix: 'Tooltray reconnects automatically.',
    data: { sessionLost: true, neverSent: true },
  });
}

/** Whether the server has forgotten the session of a connection, so that a new one can be opened at once. */
export function isSessionLost(error: unknown): boolean {
  return error instanceof AppError && error.data?.['sessionLost'] === true;
}

/** Whether a request was not processed for that reason, so that it can be sent again. */
export function isUnheard(error: unknown): boolean {
  return error instanceof AppError && isSessionLost(error) && error.data?.['neverSent'] === true;
}

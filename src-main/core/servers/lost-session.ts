/**
 * How servers over HTTP say that they do not know our session any more. The specification wants 404; servers in the
 * field also answer by 400 or 410, by a JSON-RPC error with any status, or by a bare error in an event stream.
 * Source: MCP 2025-11-25, basic/transports ("Session Management").
 */
import { AppError } from '../base/errors.ts';
import { rpcCode, RpcError } from '../wire/message.ts';

const refusedStatus: ReadonlySet<unknown> = new Set([400, 404, 410]);
const words = /session|not (?:yet |been )?initiali[sz]ed|before initiali[sz]|initiali[sz]e first/i;

/**
 * Whether an answer to a request may mean that the session is lost. A tool may have sessions of its own, so `ping` has
 * to confirm it.
 */
export function mayBeLostSession(error: unknown): boolean {
  if (error instanceof RpcError) return words.test(error.message);
  return error instanceof AppError && refusedStatus.has(error.data?.['status']);
}

/** Whether the answer to `ping` on the same session confirms it. */
export function confirmsLostSession(error: unknown): boolean {
  if (isSessionLost(error)) return true;
  if (error instanceof RpcError && error.code === rpcCode.methodNotFound && !words.test(error.message)) return false;
  return mayBeLostSession(error);
}

/** The error of a request that a server did not take because it does not know the session. */
export function lostSession(server: string): AppError {
  return new AppError('server_exited', `${server} does not know our session any more.`, {
    fix: 'It is connected again by itself.',
    data: { sessionLost: true, neverSent: true },
  });
}

/** Whether a connection is of no use because the server has forgotten its session: a new one can be had at once. */
export function isSessionLost(error: unknown): boolean {
  return error instanceof AppError && error.data?.['sessionLost'] === true;
}

/** Whether a request failed for that reason and was therefore not carried out, so that it can be sent again. */
export function isUnheard(error: unknown): boolean {
  return error instanceof AppError && isSessionLost(error) && error.data?.['neverSent'] === true;
}

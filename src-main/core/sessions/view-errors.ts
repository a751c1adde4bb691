/** What errors mean to a view that asks several servers. */
import { AppError } from '../base/errors.ts';
import { rpcCode, RpcError } from '../wire/message.ts';

/** A server does not have that resource: -32002 until 2025-11-25, -32602 in 2026-07-28; some say it in words only. */
export function isNotFound(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  return (
    error.code === -32002 || error.code === rpcCode.invalidParams || /not found|unknown resource/i.test(error.message)
  );
}

/** Nobody waits for the answer any more. */
export function isCancelled(error: unknown): boolean {
  return error instanceof AppError && error.code === 'cancelled';
}

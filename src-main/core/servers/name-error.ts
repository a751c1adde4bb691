/** Says in every failure of a line whose it is. */
import { AppError, toAppError } from '../base/errors.ts';
import { RpcError } from '../wire/message.ts';

export function nameError(server: string, error: unknown): AppError {
  const known = toAppError(error, error instanceof RpcError ? 'server_protocol' : 'server_unreachable');
  if (known.data?.['server'] === server) return known;
  return new AppError(known.code, known.message.startsWith(server) ? known.message : `${server}: ${known.message}`, {
    ...(known.fix !== undefined && { fix: known.fix }),
    cause: known.cause ?? error,
    data: { ...known.data, server },
  });
}

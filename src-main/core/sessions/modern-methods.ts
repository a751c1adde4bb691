/** Which methods 2026-07-28 has, where that matters to a session, and what a client app of yet another revision is told. */
import { rpcCode, RpcError } from '../wire/message.ts';

/** Methods of 2026-07-28 whose server may want input in between. */
export const mayAsk: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Gone in 2026-07-28. */
export const legacyOnly: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

export function unsupportedVersion(requested: unknown): RpcError {
  return new RpcError(
    rpcCode.unsupportedProtocolVersion,
    `Unsupported protocol version: ${JSON.stringify(requested)}`,
    {
      supported: ['2026-07-28'],
      requested,
    },
  );
}

/** Responds to a request that the user ends while its client app waits. */
import type { JsonObject } from '../base/json.ts';
import { isStatelessRequest } from '../wire/protocol-kind.ts';
import { type Message, type RequestId, rpcCode } from '../wire/message.ts';

export const cancelledByUser = 'The user cancelled this in Tooltray.';

/** Builds the response to a request ended by the user: a tool result if the app expects one, for its model to read. */
export function cancelledResponse(
  id: RequestId,
  { method, params }: { readonly method: string; readonly params: JsonObject },
): Message {
  const text = `${cancelledByUser} Ask them before you retry.`;
  if (method === 'tools/call') {
    // In 2026-07-28 every request names its protocol and every result its type.
    const type = isStatelessRequest(params) && { resultType: 'complete' };
    return { jsonrpc: '2.0', id, result: { ...type, content: [{ type: 'text', text }], isError: true } };
  }
  return { jsonrpc: '2.0', id, error: { code: rpcCode.aborted, message: text } };
}

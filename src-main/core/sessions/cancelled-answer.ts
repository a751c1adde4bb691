/** What becomes of a request that a person ends while its app waits for it. */
import type { JsonObject } from '../base/json.ts';
import { isStatelessRequest } from '../wire/eras.ts';
import { type Message, type RequestId, rpcCode } from '../wire/message.ts';

export const cancelledByUser = 'The person ended this in Tooltray.';

/** What an app is told whose request a person ended: a tool's answer where it waits for one, so that the model reads it. */
export function cancelledResponse(
  id: RequestId,
  { method, params }: { readonly method: string; readonly params: JsonObject },
): Message {
  const text = `${cancelledByUser} Ask them before you try it again.`;
  if (method === 'tools/call') {
    // Of 2026-07-28 every request says so itself, and every result what it is.
    const type = isStatelessRequest(params) && { resultType: 'complete' };
    return { jsonrpc: '2.0', id, result: { ...type, content: [{ type: 'text', text }], isError: true } };
  }
  return { jsonrpc: '2.0', id, error: { code: rpcCode.aborted, message: text } };
}

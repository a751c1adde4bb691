/** The few MCP messages that the shim itself says to a client. Ids are JSON text, spelled as the other side spelled them. */

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

/** A JSON-RPC error answer; -32000 is free for implementations to define (JSON-RPC 2.0, section 5.1). */
export function errorLine(id: string, message: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":${JSON.stringify(message)}}}\n`;
}

/** Takes back a request that a lost core made. */
export function cancelledLine(id: string): string {
  const reason = JSON.stringify("Tooltray's core was restarted and no longer waits for this.");
  return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":${reason}}}\n`;
}

/** For a 2026-07-28 client it belongs to the `subscriptions/listen` with that id. */
export function toolsChangedLine(listenId?: string): string {
  const params = listenId === undefined ? '' : `,"params":{"_meta":{"${subscriptionKey}":${listenId}}}`;
  return `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"${params}}\n`;
}

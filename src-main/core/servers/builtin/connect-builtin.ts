/** Starts a built-in server in this process and gives the client's end of the line to it. */
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createBuiltinServer } from './builtin-server.ts';
import type { UtilsOptions } from './utils-server.ts';

/**
 * The client end, not started yet: `start()` delivers what arrived before. Closing it ends the server.
 * Throws AppError `server_not_found` for an unknown name.
 */
export function connectBuiltin(name: string, options: UtilsOptions): InMemoryTransport {
  const server = createBuiltinServer(name, options);
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
  // Messages sent meanwhile wait in the pair; a server that fails to connect ends the line instead.
  server.connect(serverEnd).catch(() => serverEnd.close());
  return clientEnd;
}

/** The built-in server `utils`: time, and files of folders that the user permitted. */
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { AppError } from '../../base/errors.ts';
import { registerListTool } from './list-tool.ts';
import { registerReadTool, registerWriteTool } from './file-tools.ts';
import { registerSearchTool } from './search-tool.ts';
import { registerTimeTools } from './time-tools.ts';
import type { UtilsOptions } from './file-content.ts';

export function createUtilsServer(options: UtilsOptions): McpServer {
  const server = new McpServer({ name: 'utils', title: 'Tooltray utilities', version: '1.0.0' });
  registerTimeTools(server, options.now ?? (() => new Date()));
  // File tools that could only refuse would cost each caller a call.
  if (options.folders.length === 0) return server;
  registerListTool(server, options);
  registerReadTool(server, options);
  registerSearchTool(server, options);
  registerWriteTool(server, options);
  return server;
}

// The MCP servers that are part of Tooltray and run inside it, by name.

const builtins: ReadonlyMap<string, (options: UtilsOptions) => McpServer> = new Map([['utils', createUtilsServer]]);

/** Creates a server, not connected yet. Throws AppError `server_not_found` for an unknown name. */
export function createBuiltinServer(name: string, options: UtilsOptions): McpServer {
  const create = builtins.get(name);
  if (create !== undefined) return create(options);
  const known = [...builtins.keys()].join(', ');
  throw new AppError('server_not_found', `Unknown built-in server "${name}".`, { fix: `Known: ${known}.` });
}

// Starts a built-in server in this process and returns the client's end of its connection.

/**
 * The client end, not started yet: `start()` delivers earlier messages. Closing it ends the server. Throws AppError
 * `server_not_found` for an unknown name.
 */
export function connectBuiltin(name: string, options: UtilsOptions): InMemoryTransport {
  const server = createBuiltinServer(name, options);
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
  // Earlier messages wait in the pair. If the server fails to connect, the connection is closed.
  server.connect(serverEnd).catch(() => serverEnd.close());
  return clientEnd;
}

/** The MCP servers that come with Tooltray and run inside it, by name. */
import type { McpServer } from '@modelcontextprotocol/server';
import { AppError } from '../../base/errors.ts';
import { createUtilsServer } from './utils-server.ts';
import type { UtilsOptions } from './utils-server.ts';

const builtins: ReadonlyMap<string, (options: UtilsOptions) => McpServer> = new Map([['utils', createUtilsServer]]);

/** A new server, not connected yet. Throws AppError `server_not_found` for an unknown name. */
export function createBuiltinServer(name: string, options: UtilsOptions): McpServer {
  const create = builtins.get(name);
  if (create !== undefined) return create(options);
  const known = [...builtins.keys()].join(', ');
  throw new AppError('server_not_found', `There is no built-in server "${name}".`, { fix: `Known: ${known}.` });
}

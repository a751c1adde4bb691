/** The built-in server `utils`: the time, and the files of folders that the person has allowed. */
import { McpServer } from '@modelcontextprotocol/server';
import type { OwnPlaces } from '../../security/own-places.ts';
import { registerListTool } from './list-tool.ts';
import { registerReadTool } from './read-tool.ts';
import { registerSearchTool } from './search-tool.ts';
import { registerTimeTools } from './time-tools.ts';
import { registerWriteTool } from './write-tool.ts';

export interface UtilsOptions {
  /** Absolute folders the file tools may touch. */
  readonly folders: readonly string[];
  /** What they may not touch, whatever is allowed. */
  readonly own?: OwnPlaces;
  readonly now?: () => Date;
  /** Whose naming rules apply to paths; this computer's by default. */
  readonly platform?: NodeJS.Platform;
}

export function createUtilsServer(options: UtilsOptions): McpServer {
  const server = new McpServer({ name: 'utils', title: 'Tooltray utilities', version: '1.0.0' });
  registerTimeTools(server, options.now ?? (() => new Date()));
  registerListTool(server, options);
  registerReadTool(server, options);
  registerSearchTool(server, options);
  registerWriteTool(server, options);
  return server;
}

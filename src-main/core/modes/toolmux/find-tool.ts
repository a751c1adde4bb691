/** Tools as ToolMux's tools look them up and miss them. */
import { AppError, type ErrorCode } from '../../base/errors.ts';
import { shortName } from '../../base/short-name.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { resolveEntry } from '../../catalog/resolve-entry.ts';
import type { HelperContext } from '../mode.ts';

/** The tool that a spelling means. Throws AppError in ToolMux's words, naming what comes near. */
export function findTool(spelling: string, server: string | undefined, context: HelperContext): CatalogEntry {
  const suggest = (name: string): string[] => context.index.suggest(name);
  try {
    return resolveEntry(context.catalog, 'tools', spelling, { server, suggest });
  } catch (error) {
    throw inToolMuxWords(error, spelling, server);
  }
}

/** The errors that mean that a server is not there to answer. */
const isGone: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'command_not_found',
  'server_disabled',
  'server_exited',
  'server_not_started',
  'server_unauthorized',
  'server_unreachable',
]);

/** The same error beginning with the words that programs made for ToolMux look for. */
export function inToolMuxWords(error: unknown, tool: string, server: string | undefined): unknown {
  if (!(error instanceof AppError)) return error;
  const retold = (text: string): AppError => {
    const { fix, data } = error;
    return new AppError(error.code, text, { cause: error, ...(fix !== undefined && { fix }), ...(data && { data }) });
  };
  if (error.code === 'tool_not_found') return retold(`Tool '${shortName(tool)}' not found.`);
  return server !== undefined && isGone.has(error.code)
    ? retold(`Server '${shortName(server)}' not available: ${error.message}`)
    : error;
}

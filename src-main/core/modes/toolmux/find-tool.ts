/** Tools as ToolMux's tools look them up and miss them. */
import { AppError, type ErrorCode } from '../../base/errors.ts';
import { shortName } from '../../base/short-name.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { HelperContext } from '../mode.ts';

/** The tool that a spelling means, when its server has started. Rejects with AppError in ToolMux's words. */
export async function findTool(
  spelling: string,
  server: string | undefined,
  { awaitTool }: Pick<HelperContext, 'awaitTool'>,
): Promise<CatalogEntry> {
  try {
    return await awaitTool(spelling, server);
  } catch (error) {
    throw inToolMuxWords(error, spelling, server);
  }
}

/** The errors that mean that a server is not there to answer. */
const isGone: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'command_not_found',
  'paused',
  'server_disabled',
  'server_exited',
  'server_not_started',
  'server_starting',
  'server_timeout',
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
  const named = error.data?.['server'] ?? server;
  return typeof named === 'string' && isGone.has(error.code)
    ? retold(`Server '${shortName(named)}' not available: ${error.message}`)
    : error;
}

/** A tool by its id, or why there is none: it is unknown, or its server is off. */
import { AppError } from '../../base/errors.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { resolveEntry } from '../../catalog/resolve-entry.ts';
import type { HelperContext } from '../mode.ts';

export interface Missing {
  readonly missing: 'not_found' | 'server_disabled' | 'server_not_configured';
  /** The id that was probably meant. */
  readonly nearest: string | undefined;
  readonly remediation: string;
}

export function findTool(id: string, { catalog, index, admin }: HelperContext): CatalogEntry | Missing {
  const name = id.trim();
  try {
    return resolveEntry(catalog, 'tools', name);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const server = admin.list().find((one) => name.startsWith(`${one.name}:`));
    if (server?.enabled === false) {
      const remediation = `"${server.name}" is switched off. The person can switch it on: tooltray enable ${server.name}.`;
      return { missing: 'server_disabled', nearest: undefined, remediation };
    }
    const missing = server === undefined && name.includes(':') ? 'server_not_configured' : 'not_found';
    const remediation = error.code === 'tool_ambiguous' ? error.text : 'Search for it with retrieve_tools.';
    return { missing, nearest: nearestOf(name, { catalog, index }), remediation };
  }
}

/** The same id in other letters goes before what is merely alike. */
function nearestOf(name: string, { catalog, index }: Pick<HelperContext, 'catalog' | 'index'>): string | undefined {
  const lower = name.toLowerCase();
  return catalog.tools.find((tool) => tool.id.toLowerCase() === lower)?.id ?? index.suggest(name)[0];
}

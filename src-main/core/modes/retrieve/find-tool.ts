/** A tool by its id, or why there is none, in MCPProxy's reasons. */
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { MissingReason, MissingTool } from '../../catalog/tool-finder.ts';
import type { HelperContext } from '../mode.ts';

/** Why a tool cannot be called, by MCPProxy's names. */
export type BlockReason =
  | 'not_found'
  | 'server_not_configured'
  | 'server_disabled'
  | 'server_quarantined'
  | 'server_initializing'
  | 'server_unhealthy'
  | 'oauth_required'
  | 'tool_blocked_by_user';

export interface Missing {
  readonly missing: BlockReason;
  /** The server that was meant, and its own name for the tool where its last listing has it. */
  readonly server: string | undefined;
  readonly tool: string | undefined;
  /** The id that was probably meant. */
  readonly nearest: string | undefined;
  /** What helps; `detail` is what is the matter. */
  readonly remediation: string;
  readonly detail: string;
}

const reasons: Readonly<Record<MissingReason, BlockReason>> = {
  unknown: 'not_found',
  ambiguous: 'not_found',
  'no-tool': 'not_found',
  'is-server': 'not_found',
  'is-helper': 'not_found',
  'no-server': 'server_not_configured',
  'tool-off': 'tool_blocked_by_user',
  unusable: 'server_not_configured',
  off: 'server_disabled',
  paused: 'server_disabled',
  quarantined: 'server_quarantined',
  starting: 'server_initializing',
  'sign-in': 'oauth_required',
  failed: 'server_unhealthy',
};

/** Nobody is waited for. */
export function findTool(
  id: string,
  { catalog, finder }: Pick<HelperContext, 'catalog' | 'finder'>,
): CatalogEntry | Missing {
  const name = id.trim();
  const found = finder.look(name);
  if (!('missing' in found)) return found;
  const { missing, server, tool, nearest, error } = found;
  // The same id in other letters goes before what is merely alike.
  const lower = name.toLowerCase();
  const same = catalog.tools.find((one) => one.id.toLowerCase() === lower)?.id;
  return {
    ...{ missing: reasons[missing], server, tool, detail: error.message },
    nearest: same ?? nearest[0],
    remediation: remediationOf(found),
  };
}

function remediationOf({ missing, error }: MissingTool): string {
  const isUnknown = reasons[missing] === 'not_found' && missing !== 'ambiguous';
  return isUnknown ? 'Search for it with retrieve_tools.' : (error.fix ?? error.message);
}

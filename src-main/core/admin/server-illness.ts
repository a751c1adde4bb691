/** Whether a server is ill in a way that another launch could mend. */
import type { ErrorCode } from '../base/errors.ts';
import type { ManagedServer } from '../servers/managed-server.ts';

/** These say that the launch itself is wrong; any other failure may be chance. */
const atOnce: ReadonlySet<ErrorCode> = new Set(['command_not_found', 'server_not_started', 'config_invalid']);
const perhapsChance: ReadonlySet<ErrorCode> = new Set([
  'server_exited',
  'server_protocol',
  'server_timeout',
  'server_unreachable',
]);

/** The reason; undefined for a server that is well, off, or waits for something else. `tries`: failures it takes where one may be chance. */
export function illnessOf({ config, state, listing, listedAt }: ManagedServer, tries: number): string | undefined {
  if (!config.enabled || config.kind === 'builtin') return undefined;
  if (state.kind === 'error') {
    const { code, text } = state.error;
    return atOnce.has(code) || (perhapsChance.has(code) && state.failures >= tries) ? text : undefined;
  }
  if (state.kind !== 'ready' || listedAt === undefined) return undefined;
  const { tools, resources, resourceTemplates, prompts } = listing;
  const offered = tools.length + resources.length + resourceTemplates.length + prompts.length;
  return offered === 0 ? 'It answers, but with no tools.' : undefined;
}

/** Whether a server is ill in a way that another launch could mend. */
import type { ErrorCode } from '../base/errors.ts';
import type { ManagedServer } from '../servers/managed-server.ts';

/** These say that the launch itself is wrong; any other failure counts once a second try has failed as well. */
const atOnce: ReadonlySet<ErrorCode> = new Set(['command_not_found', 'server_not_started', 'config_invalid']);
const afterTwo: ReadonlySet<ErrorCode> = new Set([
  'server_exited',
  'server_protocol',
  'server_timeout',
  'server_unreachable',
]);

/** The reason in a few words; undefined for a server that is well, off, or waits for something else. */
export function illnessOf({ config, state, listing, listedAt }: ManagedServer): string | undefined {
  if (!config.enabled || config.kind === 'builtin') return undefined;
  if (state.kind === 'error') {
    const { code, text } = state.error;
    return atOnce.has(code) || (afterTwo.has(code) && state.failures > 1) ? text : undefined;
  }
  if (state.kind !== 'ready' || listedAt === undefined) return undefined;
  const { tools, resources, resourceTemplates, prompts } = listing;
  const offered = tools.length + resources.length + resourceTemplates.length + prompts.length;
  return offered === 0 ? 'It answers, but with no tools.' : undefined;
}

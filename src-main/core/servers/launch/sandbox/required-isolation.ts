/**
 * The isolation of commands in a core that serves several users: a sandbox without network unless their entry names
 * another one or opts out.
 */
import type { Isolation, StdioServerConfig } from '../../../config/server-config.ts';
import { runnerOf } from '../../../trust/runner-words.ts';

const defaultIsolation = { read: [], write: undefined, network: false, extraArgs: [] } as const;

/**
 * Returns undefined if the entry opts out of the sandbox, or starts a container itself. `allowsUnconfined`: a sandbox is
 * required only where one is available.
 */
export function requiredIsolation(config: StdioServerConfig, allowsUnconfined: boolean): Isolation | undefined {
  const kind = allowsUnconfined ? 'auto' : 'sandbox';
  const { isolate, isolation } = config;
  if (isolate === undefined)
    return isUnconfined(config) || startsContainer(config) ? undefined : { ...defaultIsolation, kind };
  const { network, networkMode } = isolate;
  return {
    ...isolate,
    // A sandbox that is used only if available gives no guarantee.
    kind: isolate.kind === 'auto' ? kind : isolate.kind,
    // By default a container would have network access.
    network: isolation?.['network'] === undefined && networkMode === undefined ? false : network,
  };
}

/** Whether the entry runs its command without a sandbox. */
export function isUnconfined(config: Pick<StdioServerConfig, 'isolate' | 'isolation' | 'command' | 'args'>): boolean {
  return config.isolate === undefined && config.isolation?.['mode'] === 'none' && !startsContainer(config);
}

/** Whether the command is a container engine that runs an image. */
export function startsContainer({ command, args }: Pick<StdioServerConfig, 'command' | 'args'>): boolean {
  return runnerOf(command) === 'container' && args.find((word) => !word.startsWith('-')) === 'run';
}

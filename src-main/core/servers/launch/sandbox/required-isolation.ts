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
    // A sandbox that is used only where there is one does not hold.
    kind: isolate.kind === 'auto' ? kind : isolate.kind,
    // Without a word on it, a container would have the network.
    network: isolation?.['network'] === undefined && networkMode === undefined ? false : network,
  };
}

/** Whether the entry says that its command runs without a sandbox. */
export function isUnconfined(config: Pick<StdioServerConfig, 'isolate' | 'isolation' | 'command' | 'args'>): boolean {
  return config.isolate === undefined && config.isolation?.['mode'] === 'none' && !startsContainer(config);
}

/** Whether the command is a container engine's that runs an image. */
export function startsContainer({ command, args }: Pick<StdioServerConfig, 'command' | 'args'>): boolean {
  return runnerOf(command) === 'container' && args.find((word) => !word.startsWith('-')) === 'run';
}

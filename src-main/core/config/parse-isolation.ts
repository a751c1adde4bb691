/** Parses the isolation of a server's process; accepts MCPProxy's and VS Code's spellings. */
import type { Isolation } from './server-config.ts';
import type { ServerEntry } from './schema.ts';

/** `everyCommand`: the default for commands. Undefined: no isolation. */
export function parseIsolation(
  { isolation = {}, sandboxEnabled, command = '' }: ServerEntry,
  everyCommand: boolean,
  toPath: (written: string) => string,
): Isolation | undefined {
  const kind = kindOf(isolation, sandboxEnabled === true, everyCommand, command);
  if (kind === undefined) return undefined;
  const { read = [], write, network, image, network_mode: mode, working_dir: workingDir, extra_args } = isolation;
  return {
    kind,
    read: read.map(toPath),
    write: write?.map(toPath),
    // A container has network access by default, in MCPProxy as in Docker.
    network: network ?? (kind === 'container' && mode !== 'none'),
    ...(image && { image }),
    ...(mode && { networkMode: mode }),
    ...(workingDir && { workingDir }),
    extraArgs: extra_args ?? [],
  };
}

/** MCPProxy: `mode`, otherwise `enabled`, otherwise the default; Docker's own command never runs in a container. */
function kindOf(
  { mode, enabled, read, write, network }: NonNullable<ServerEntry['isolation']>,
  inSandbox: boolean,
  everyCommand: boolean,
  command: string,
): Isolation['kind'] | undefined {
  if (mode === 'none') return undefined;
  if (mode === 'docker') return 'container';
  if (mode !== undefined && mode !== '') return mode;
  if (inSandbox) return 'sandbox';
  // A user who limits what a command reads, writes or reaches expects the limit to be enforced.
  if (enabled == null && !everyCommand && [read, write, network].some((limit) => limit !== undefined)) return 'sandbox';
  const isWanted = enabled ?? (everyCommand && !/(^|[\\/])(docker|podman)(\.exe)?$/i.test(command));
  return isWanted ? 'container' : undefined;
}

/** Reads anew what servers offer. One that fails or is slow keeps nobody waiting for the others. */
import type { ManagedServer } from './managed-server.ts';

/** Resolves when all have been read or have failed, after `ms` at the most. Starts those that sleep. Never rejects. */
export async function refreshListings(servers: readonly ManagedServer[], ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  const enabled = servers.filter(({ config }) => config.enabled);
  const reading = Promise.allSettled(enabled.map((server) => server.ready()));
  await Promise.race([reading, patience]).finally(() => clearTimeout(timer));
}

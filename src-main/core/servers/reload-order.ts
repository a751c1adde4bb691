/**
 * The order in which a new config takes effect: what ends does so first, removed before switched off before replaced. What
 * starts then starts side by side, each as soon as nothing holds what it needs any more.
 */
import type { ServerConfig } from '../config/app-config.ts';
import { hashServer } from '../config/hash-server.ts';

interface Configured {
  readonly config: ServerConfig;
}

/** `next`: what is configured from now on, by name. */
export function endingOrder<T extends Configured>(gone: readonly T[], next: ReadonlyMap<string, Configured>): T[] {
  return gone.toSorted((a, b) => place(a) - place(b));

  function place({ config }: T): number {
    const after = next.get(config.name);
    if (after === undefined) return 0;
    return after.config.enabled ? 2 : 1;
  }
}

/** Those that may hold what it needs, a port, a lock, a profile: the one of its name, and itself under another name. */
export function predecessors<T extends Configured>({ config }: Configured, gone: readonly T[]): T[] {
  return gone.filter((one) => one.config.name === config.name || nameless(one.config) === nameless(config));
}

function nameless(config: ServerConfig): string {
  const { hash: _, ...unhashed } = config;
  return hashServer({ ...unhashed, name: '' });
}

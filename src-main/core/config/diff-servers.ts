/** What a new config means for the servers that run: which start, which stop, which start anew. */
import type { ServerConfig } from './app-config.ts';

export interface ServerDifference {
  readonly added: readonly ServerConfig[];
  readonly removed: readonly ServerConfig[];
  readonly changed: readonly { readonly before: ServerConfig; readonly after: ServerConfig }[];
  /** As they are now: their description may be new. */
  readonly same: readonly ServerConfig[];
}

/** Compares by name; a server has changed when its hash or its switch has. */
export function diffServers(before: readonly ServerConfig[], after: readonly ServerConfig[]): ServerDifference {
  const old = new Map(before.map((server) => [server.name, server]));
  const names = new Set(after.map(({ name }) => name));
  const pairs = after.flatMap((server) => {
    const known = old.get(server.name);
    return known === undefined ? [] : [{ before: known, after: server }];
  });
  return {
    added: after.filter(({ name }) => !old.has(name)),
    removed: before.filter(({ name }) => !names.has(name)),
    changed: pairs.filter(isDifferent),
    same: pairs.filter((pair) => !isDifferent(pair)).map((pair) => pair.after),
  };
}

function isDifferent({ before, after }: { before: ServerConfig; after: ServerConfig }): boolean {
  return before.hash !== after.hash || before.enabled !== after.enabled;
}

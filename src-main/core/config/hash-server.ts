/** The fingerprint of a server: equal as long as its running connection and its cached listing stay right. */
import { createHash } from 'node:crypto';
import type { ServerConfig } from './app-config.ts';

type Unhashed<T> = T extends unknown ? Omit<T, 'hash'> : never;

const noReasons: ReadonlySet<string> = new Set(['enabled', 'held', 'toolSwitch', 'description']);

/** SHA-256 (hex) of everything but the switches and the text for people, none of which is a reason to restart. */
export function hashServer(server: Unhashed<ServerConfig>): string {
  const relevant = Object.entries(server).filter(([key]) => !noReasons.has(key));
  return createHash('sha256')
    .update(JSON.stringify(relevant.sort(byKey).map(sortNested)))
    .digest('hex');
}

/** The order in which environment variables and headers are written says nothing. */
function sortNested([key, value]: [string, unknown]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [key, value ?? null];
  return [key, Object.entries(value).sort(byKey)];
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : Number(a > b);
}

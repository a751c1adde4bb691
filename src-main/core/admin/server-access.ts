/**
 * The access of a server as data for the dashboard: files that it can read and write, and hosts that it can reach. The
 * sentences are in describe-isolation.ts.
 */
import type { Isolation, ServerConfig } from '../config/server-config.ts';
import { hostKind } from '../servers/network/address-kinds.ts';
import { imageOf } from '../trust/pins/launch-fingerprint.ts';

/**
 * `everything`: all that the user can access. `nothing`: none of the user's files, no host. `arguments`: the files and
 * folders
 * in its arguments and variables. `unknown`: decided where the server runs. Otherwise paths or hosts.
 */
export type AccessScope = 'everything' | 'nothing' | 'arguments' | 'unknown' | readonly string[];

export interface ServerAccess {
  readonly read: AccessScope;
  readonly write: AccessScope;
  readonly reach: AccessScope;
  /** `none`: not sandboxed, but possible. Undefined: Tooltray starts no process that could be sandboxed. */
  readonly sandbox: Isolation['kind'] | 'none' | undefined;
}

/** Derived from the config; starts nothing. */
export function serverAccess(server: ServerConfig): ServerAccess {
  if (server.kind === 'builtin') {
    const folders = scopeOf(server.folders);
    return { read: folders, write: folders, reach: 'unknown', sandbox: undefined };
  }
  if (server.kind !== 'stdio') {
    const isLocal = URL.canParse(server.url) && hostKind(new URL(server.url).hostname) === 'loopback';
    const files = isLocal ? 'unknown' : 'nothing';
    return { read: files, write: files, reach: 'unknown', sandbox: undefined };
  }
  if (server.isolate !== undefined) return confinedAccess(server.isolate);
  if (imageOf(server.command, server.args) !== undefined) {
    return { read: 'unknown', write: 'unknown', reach: 'unknown', sandbox: undefined };
  }
  return { read: 'everything', write: 'everything', reach: 'everything', sandbox: 'none' };
}

/** Writable folders are readable, too. */
function confinedAccess({ kind, read, write, network }: Isolation): ServerAccess {
  return {
    read: write === undefined && read.length === 0 ? 'arguments' : scopeOf([...new Set([...read, ...(write ?? [])])]),
    write: write === undefined ? 'arguments' : scopeOf(write),
    reach: network === true ? 'everything' : network === false ? 'nothing' : scopeOf(network),
    sandbox: kind,
  };
}

function scopeOf(places: readonly string[]): AccessScope {
  return places.length === 0 ? 'nothing' : places;
}

/** Decides where servers run: one for all users or one for each. On a desktop both are the same. */
import type { HttpServerConfig, Placement, ServerConfig } from './server-config.ts';
import { secretNamesIn, userValueNamesIn } from './replace-variables.ts';

export interface ResolvedPlacement {
  readonly placement: Placement;
  /** Whether each user has a process, or a connection, of their own. */
  readonly isEachOnes: boolean;
  /** The reason, as a sentence. */
  readonly reason: string;
}

/** Returns how a server runs where several users share a core. */
export function placementOf(server: ServerConfig): ResolvedPlacement {
  if ('url' in server) {
    const { isEachOnes, why } = connectionsTo(server);
    const usage = isEachOnes ? 'each user with their own connection and sign-in' : 'with one connection for all users';
    return {
      placement: 'remote',
      isEachOnes,
      reason: `Every replica connects to its URL, ${usage}, ${why}.`,
    };
  }
  if (server.placement === 'per-user') {
    return {
      placement: 'per-user',
      isEachOnes: true,
      reason: 'Each user has their own process, as configured.',
    };
  }
  const [own] = userValueNamesIn(server);
  if (own !== undefined) {
    return {
      placement: 'per-user',
      isEachOnes: true,
      reason: `Each user has their own process, because it gets their own ${own}.`,
    };
  }
  const said = server.placement === 'shared' ? 'as configured' : 'because its entry has no per-user values';
  return {
    placement: 'shared',
    isEachOnes: false,
    reason: `All users of a replica share one process, ${said}.`,
  };
}

/** Returns whose connections a remote server has: if the entry has a key, all users share it. */
function connectionsTo(server: HttpServerConfig): { readonly isEachOnes: boolean; readonly why: string } {
  if (server.placement === 'per-user') return { isEachOnes: true, why: 'as configured' };
  if (server.placement === 'shared') return { isEachOnes: false, why: 'as configured' };
  const { url, headers, oauth } = server;
  if (oauth?.tokenExchange !== undefined)
    return { isEachOnes: true, why: 'because its tokens are exchanged for those of users' };
  const [own] = userValueNamesIn([url, headers]);
  if (own !== undefined) return { isEachOnes: true, why: `because it gets their own ${own}` };
  const key = Object.keys(headers).find((name) => isKey(name, headers[name]));
  if (key !== undefined) return { isEachOnes: false, why: `with the key in its header ${key}` };
  if (secretNamesIn(url).length > 0) return { isEachOnes: false, why: 'with the key in its URL' };
  return { isEachOnes: true, why: 'because its entry has no shared key' };
}

function isKey(header: string, value: string | undefined): boolean {
  return header.toLowerCase() === 'authorization' || secretNamesIn(value).length > 0;
}

interface Mistake {
  readonly reason: string;
  readonly suggestion: string;
}

/** Returns the problem with a written placement; undefined if valid. `entry`: before variables are filled in. */
export function placementProblem(
  entry: { readonly placement?: Placement | undefined },
  kind: ServerConfig['kind'],
): Mistake | undefined {
  const { placement } = entry;
  if (placement === undefined) return undefined;
  const isRemote = kind === 'http' || kind === 'sse' || kind === 'openapi';
  if (!isRemote && placement === 'remote') {
    return {
      reason: 'Only a server with a URL is remote.',
      suggestion: 'Set "shared" or "per-user", or remove it.',
    };
  }
  if (kind === 'builtin' && placement === 'per-user') {
    return { reason: 'Built-in servers have no process.', suggestion: 'Remove it.' };
  }
  if (placement === 'shared' && userValueNamesIn(entry).length > 0) {
    return {
      reason: 'It gets a per-user value, so users cannot share it.',
      suggestion: 'Set "per-user", or remove it.',
    };
  }
  return undefined;
}

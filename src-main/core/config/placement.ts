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
  if (server.kind === 'http' || server.kind === 'sse') {
    const { isEachOnes, why } = connectionsTo(server);
    const usage = isEachOnes ? 'each user with a connection and a sign-in of their own' : 'for all users alike';
    return {
      placement: 'remote',
      isEachOnes,
      reason: `Every replica reaches it at its address, ${usage}, ${why}.`,
    };
  }
  if (server.placement === 'per-user') {
    return {
      placement: 'per-user',
      isEachOnes: true,
      reason: 'Each user has a process of it, as its entry says.',
    };
  }
  const [own] = userValueNamesIn(server);
  if (own !== undefined) {
    return {
      placement: 'per-user',
      isEachOnes: true,
      reason: `Each user has a process of it, since it gets their own ${own}.`,
    };
  }
  const said = server.placement === 'shared' ? 'as its entry says' : 'since its entry names nothing of one user';
  return {
    placement: 'shared',
    isEachOnes: false,
    reason: `All users share one process of it on each replica, ${said}.`,
  };
}

/** Returns whose connections a remote server has: if the entry has a key, all users share it. */
function connectionsTo(server: HttpServerConfig): { readonly isEachOnes: boolean; readonly why: string } {
  if (server.placement === 'per-user') return { isEachOnes: true, why: 'as its entry says' };
  if (server.placement === 'shared') return { isEachOnes: false, why: 'as its entry says' };
  const { url, headers, oauth } = server;
  if (oauth?.tokenExchange !== undefined)
    return { isEachOnes: true, why: 'since its tokens are made from those that users come with' };
  const [own] = userValueNamesIn([url, headers]);
  if (own !== undefined) return { isEachOnes: true, why: `since it gets their own ${own}` };
  const key = Object.keys(headers).find((name) => isKey(name, headers[name]));
  if (key !== undefined) return { isEachOnes: false, why: `with the key that its entry has in the header ${key}` };
  if (secretNamesIn(url).length > 0)
    return { isEachOnes: false, why: 'with the key that its entry has in the address' };
  return { isEachOnes: true, why: 'since its entry has no key for all' };
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
  const isRemote = kind === 'http' || kind === 'sse';
  if (!isRemote && placement === 'remote') {
    return {
      reason: 'Only a server at an address is remote.',
      suggestion: 'Write "shared" or "per-user", or leave it out.',
    };
  }
  if (kind === 'builtin' && placement === 'per-user') {
    return { reason: 'What comes with Tooltray has no process of its own.', suggestion: 'Leave it out.' };
  }
  if (placement === 'shared' && userValueNamesIn(entry).length > 0) {
    return {
      reason: 'It gets a value of each user’s own, so they cannot share it.',
      suggestion: 'Write "per-user", or leave it out.',
    };
  }
  return undefined;
}

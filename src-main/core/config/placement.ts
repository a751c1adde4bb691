/** Where a team's servers run: one for everybody, or one for each person. On a desktop there is one person, and it all means the same. */
import type { Placement, ServerConfig } from './app-config.ts';
import { usersValuesNamed } from './replace-variables.ts';

export interface Placed {
  readonly placement: Placement;
  /** Why, as a sentence. */
  readonly reason: string;
}

/** How a team runs it. */
export function placementOf(server: ServerConfig): Placed {
  if (server.kind === 'http' || server.kind === 'sse') {
    return { placement: 'remote', reason: 'In a team every replica reaches it at its address.' };
  }
  if (server.placement === 'personal') {
    return { placement: 'personal', reason: 'In a team each person has a process of it, as its entry says.' };
  }
  const [own] = usersValuesNamed(server);
  if (own !== undefined) {
    return {
      placement: 'personal',
      reason: `In a team each person has a process of it, since it gets their own ${own}.`,
    };
  }
  const said = server.placement === 'shared' ? 'as its entry says' : 'since its entry names nothing of one person';
  return { placement: 'shared', reason: `In a team all people share one process of it on each replica, ${said}.` };
}

interface Mistake {
  readonly reason: string;
  readonly suggestion: string;
}

/** What is wrong with a placement as it is written; undefined: nothing. `entry`: before variables are filled in. */
export function placementMistake(
  entry: { readonly placement?: Placement | undefined },
  kind: ServerConfig['kind'],
): Mistake | undefined {
  const { placement } = entry;
  if (placement === undefined) return undefined;
  const isRemote = kind === 'http' || kind === 'sse';
  if (isRemote && placement !== 'remote') {
    return {
      reason: 'A server at an address has no process here that could be shared or one person’s.',
      suggestion: 'Write "remote", or leave it out.',
    };
  }
  if (!isRemote && placement === 'remote') {
    return {
      reason: 'Only a server at an address is remote.',
      suggestion: 'Write "shared" or "personal", or leave it out.',
    };
  }
  if (kind === 'builtin' && placement === 'personal') {
    return { reason: 'What comes with Tooltray has no process of its own.', suggestion: 'Leave it out.' };
  }
  if (placement === 'shared' && usersValuesNamed(entry).length > 0) {
    return {
      reason: 'It gets a value of each person’s own, so they cannot share a process.',
      suggestion: 'Write "personal", or leave it out.',
    };
  }
  return undefined;
}

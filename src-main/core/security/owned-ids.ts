/**
 * Ids under which something is found again that lives in this process alone. A core that is one of several makes ids that say which of
 * them has it (team/replicas); a core by itself needs only what nobody can guess.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Principal } from './principal.ts';

/** `session`: of the handshake era over HTTP; `call`: one that goes on, or a task; `question`: a call that waits for an answer. */
export type OwnedKind = 'session' | 'call' | 'question';

/** Whom an id is given to. */
export type Person = Pick<Principal, 'tenant' | 'user'>;

/** Of an id that is not known here: `gone` with the core that made it, or made by another one that is there. */
export type Fate = 'gone' | 'elsewhere';

export interface OwnedIds {
  make(kind: OwnedKind, person: Person): string;
  /** A task's id that a server has made, as apps are given it. */
  ofTask(taskId: string, person: Person): string;
  /** undefined: it is this core's own, or none that was given to this person. */
  fate(kind: OwnedKind, id: string, person: Person): Fate | undefined;
}

export const plainIds: OwnedIds = {
  make: (kind) => (kind === 'session' ? randomUUID() : randomBytes(kind === 'call' ? 16 : 18).toString('base64url')),
  ofTask: (taskId) => taskId,
  fate: () => undefined,
};

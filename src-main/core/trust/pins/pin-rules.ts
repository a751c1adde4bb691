/** What pins of a server need to know from outside: when something was said, what becomes of changes, and other servers' pins. */
import type { DefinitionChange } from './offer.ts';
import type { PinDecision, PinnedServer } from './pin-file.ts';

/** When a listing was read. */
export interface Moment {
  /** The server said something else before, on this very connection. */
  readonly sameProcess: boolean;
  /** It announced the change within a minute of a call. */
  readonly isAfterCall: boolean;
}

/** The first listing of a connection, or of the cache. */
export const firstMoment: Moment = { sameProcess: false, isAfterCall: false };

export interface PinPolicy {
  /** What becomes of a change that comes with an update. */
  readonly onChange: () => 'hold' | 'warn' | 'scan';
  /** Changes that passed. */
  readonly onPassed: (server: string, changes: readonly DefinitionChange[]) => void;
  /** What waits for the person from now on, told once for all cores that share what was accepted. */
  readonly onHeld: (server: string, changes: readonly DefinitionChange[]) => void;
  /** `isUndone`: it was taken back. */
  readonly onDecided: (server: string, decision: PinDecision, isUndone: boolean) => void;
  readonly onWarning: (server: string, text: string) => void;
  readonly now: () => number;
}

/** What was accepted of the same program under another name: a server that is added again is not accepted anew by that. */
export type FindPinsOfProgram = (server: string, program: string) => PinnedServer | undefined;

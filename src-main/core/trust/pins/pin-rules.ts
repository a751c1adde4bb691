/** Dependencies of a server's pins: notifications, the rule for changes, and other servers' pins. */
import type { DefinitionChange } from './pinned-definitions.ts';
import type { PinDecision, PinnedServer } from './pin-store.ts';

/** The circumstances in which a listing was read. */
export interface Moment {
  /** Whether the server sent other definitions before, on this connection. */
  readonly sameProcess: boolean;
  /** Whether the change was announced within a minute of a call. */
  readonly isAfterCall: boolean;
}

/** For the first listing of a connection, or of the cache. */
export const firstMoment: Moment = { sameProcess: false, isAfterCall: false };

export interface PinPolicy {
  /** Rule for a change that comes with an update. */
  readonly onChange: () => 'hold' | 'warn' | 'scan';
  /** Called with changes that were accepted automatically. */
  readonly onPassed: (server: string, changes: readonly DefinitionChange[]) => void;
  /** Called when changes become pending, once for all cores that share the pins. */
  readonly onHeld: (server: string, changes: readonly DefinitionChange[]) => void;
  /** `isUndone` is true if the decision was undone. */
  readonly onDecided: (server: string, decision: PinDecision, isUndone: boolean) => void;
  readonly onWarning: (server: string, text: string) => void;
  readonly now: () => number;
}

/** Pins of the same program under another name: adding a server again does not accept its definitions again. */
export type FindPinsOfProgram = (server: string, program: string) => PinnedServer | undefined;

/** The question that a change of a server's pinned definitions puts to the user. */
import type { DefinitionChange } from './pinned-definitions.ts';

/** The server, and the client apps, whose definitions are compared with the accepted ones. */
export interface PinScope {
  readonly server: string;
  /** It says so to these apps only, in words: `apps that show user interfaces`. */
  readonly apps: string | undefined;
}

/** One question per server and update. */
export interface PinReview extends PinScope {
  /** Name of these pins in the registry. */
  readonly name: string;
  /** Stands for these changes and no others. */
  readonly id: string;
  readonly changes: readonly DefinitionChange[];
  readonly isRugPull: boolean;
  /**
   * Another version or file is started than when it was accepted; false where the two are the same or cannot be
   * compared.
   */
  readonly isOtherLaunch: boolean;
  /** The record of what was accepted is damaged: nothing was compared. */
  readonly isLost: boolean;
  /** The package whose version is not written down. */
  readonly floats: string | undefined;
  /** Since when something waits, in ms since 1970. */
  readonly at: number;
}

/** The review that a change of a server's pinned definitions requires of the user. */
import type { DefinitionChange } from './pinned-definitions.ts';

/** The server, and the client apps, whose definitions are compared with the accepted ones. */
export interface PinScope {
  readonly server: string;
  /** The apps that the definitions apply to, in words: `apps that show user interfaces`. Undefined: all. */
  readonly apps: string | undefined;
}

/** One review per server and update. */
export interface PinReview extends PinScope {
  /** Name of these pins in the registry. */
  readonly name: string;
  /** Identifies exactly these changes. */
  readonly id: string;
  readonly changes: readonly DefinitionChange[];
  readonly isRugPull: boolean;
  /** Whether another version or file is launched than when it was accepted; false if equal or unknown. */
  readonly isOtherLaunch: boolean;
  /** Whether the record of accepted definitions is damaged, so that nothing was compared. */
  readonly isLost: boolean;
  /** The package without a locked version. */
  readonly floats: string | undefined;
  /** Time of the oldest pending change, in ms since 1970. */
  readonly at: number;
}

/** What the tools of the built-in server are given: the folders they may touch, and those they may not. */
import type { OwnPlaces } from '../../security/own-places.ts';

export interface UtilsOptions {
  /** Absolute folders the file tools may touch. */
  readonly folders: readonly string[];
  /** What they may not touch, whatever is allowed. */
  readonly own?: OwnPlaces;
  readonly now?: () => Date;
  /** Whose naming rules apply to paths; this computer's by default. */
  readonly platform?: NodeJS.Platform;
}

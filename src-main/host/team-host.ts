/** A team's replacements for a core's single-user listeners and files; created by `team/replica.ts`. */
import type { AppPaths } from '../core/base/app-paths.ts';
import type { Log } from '../core/base/log.ts';
import type { Masker } from '../core/base/mask.ts';
import type { Edition } from '../core/core-context.ts';
import type { HttpAccess, HttpListenerOptions } from '../core/sessions/http/http-listener.ts';

/** Objects that exist before the core is created. */
export interface TeamHostContext {
  readonly paths: AppPaths;
  readonly log: Log;
  readonly masker: Masker;
}

/** Its HTTP: there is no socket, and no page that a key opens. */
export interface TeamHttpOptions extends HttpAccess {
  /** How client apps reach `/mcp`, once it listens on this port. */
  readonly url: (port: number) => string;
  /** Tells when something of what is `open` may be over (`SessionPlace.token`); returns how to stop. */
  readonly follow: (open: () => ReadonlySet<string>, end: (isOver: (token: string) => boolean) => void) => () => void;
  /** Anything outside of /mcp. */
  readonly other: HttpListenerOptions['other'];
}

export interface TeamHost extends Edition {
  readonly http: TeamHttpOptions;
  /** Called last, when the core has ended. */
  readonly close: () => Promise<void>;
}

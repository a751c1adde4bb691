/** A team's replacements for a core's single-user listeners and files; created by `team/replica.ts`. */
import type { AppPaths } from '../core/base/app-paths.ts';
import type { Log } from '../core/base/log.ts';
import type { Masker } from '../core/base/mask.ts';
import type { RequestScope } from '../core/base/trace-context.ts';
import type { Edition } from '../core/core-context.ts';
import type { HttpAccess, HttpListenerOptions } from '../core/sessions/http/http-listener.ts';

/** Objects that exist before the core is created. */
export interface TeamHostContext {
  readonly paths: AppPaths;
  readonly log: Log;
  readonly masker: Masker;
  readonly requests: RequestScope;
}

/** A replica's HTTP options: it has no socket, and no dashboard key. */
export interface TeamHttpOptions extends HttpAccess {
  /** URL of `/mcp` on this port, as client apps reach it. */
  readonly url: (port: number) => string;
  /** Called when something in `open` may have ended (`SessionPlace.token`); returns an unsubscribe function. */
  readonly follow: (open: () => ReadonlySet<string>, end: (isOver: (token: string) => boolean) => void) => () => void;
  /** Handles paths outside /mcp. */
  readonly other: HttpListenerOptions['other'];
}

export interface TeamHost extends Edition {
  readonly http: TeamHttpOptions;
  /** Called last, after the core has stopped. */
  readonly close: () => Promise<void>;
}

/** What a core that serves a team has in place of one person's doors and files; `team/replica.ts` makes it. */
import type { AppPaths } from '../core/base/app-paths.ts';
import type { Log } from '../core/base/log.ts';
import type { Masker } from '../core/base/mask.ts';
import type { AdmitCall } from '../core/calls/call-tool.ts';
import type { CoreStores } from '../core/core-stores.ts';
import type { ServerDeps } from '../core/servers/server-deps.ts';
import type { HttpListenerOptions } from '../core/sessions/http/http-listener.ts';

/** What there is before the core is made. */
export interface TeamHostContext {
  readonly paths: AppPaths;
  readonly log: Log;
  readonly masker: Masker;
}

/** Its HTTP: there is no socket, and no page that a key opens. */
export interface TeamHttpOptions {
  /** What it listens on, an address of this machine. */
  readonly address: string;
  /** How client apps reach `/mcp`, once it listens on this port. */
  readonly url: (port: number) => string;
  readonly refuseStranger: HttpListenerOptions['refuseStranger'];
  readonly letIn: HttpListenerOptions['letIn'];
  readonly refuseRequest: HttpListenerOptions['refuseRequest'];
  /** Tells when something of what is `open` may be over (`SessionPlace.token`); returns how to stop. */
  readonly follow: (open: () => ReadonlySet<string>, end: (isOver: (token: string) => boolean) => void) => () => void;
  /** Anything outside of /mcp. */
  readonly other: HttpListenerOptions['other'];
}

export interface TeamHost {
  /** In place of files of this machine. */
  readonly stores: Partial<CoreStores>;
  readonly door: TeamHttpOptions;
  /** Lines to processes of single people. */
  readonly personal: ServerDeps['personal'];
  /** What each person has of servers at an address. */
  readonly own: ServerDeps['own'];
  /** Makes room for calls in quotas. */
  readonly admit: AdmitCall;
  /** Somebody gathers traces of calls. */
  readonly isTraced: boolean;
  /** Where people answer what waits for them, in words. */
  readonly answerAt: () => string;
  /** Called last, when the core has ended. */
  readonly close: () => Promise<void>;
}

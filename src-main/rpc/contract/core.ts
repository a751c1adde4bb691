/** Requests about the running core, and its state as the command line reads it. */
import { z } from 'zod';
import type { Finding as HealthFinding } from '../../core/health/finding.ts';
import type { StoreProblem } from '../../core/health/store-health.ts';
import type { ServerStatus } from './servers.ts';
import { flag, id, maybe, nothing, type Methods, type Nothing } from './fields.ts';

export type { Finding as HealthFinding } from '../../core/health/finding.ts';
export type { StoreName, StoreProblem } from '../../core/health/store-health.ts';

/** One client app in session: it is using Tooltray now. */
export interface SessionStatus {
  readonly id: string;
  /** The name that the client app reports. */
  readonly app: string;
  /** Display name of the app. */
  readonly appName: string;
  /** The protocol revision it speaks, such as `2025-11-25`. */
  readonly protocol: string;
  readonly mode: string;
  /** Why this mode, where `auto` chose it. */
  readonly modeReason?: string;
  /** It was told that its tools have changed, and goes on with the old list. */
  readonly staleList: boolean;
  /** One sentence that the user should read or act on; may be empty. */
  readonly note: string;
  /** Calls so far. */
  readonly calls: number;
}

/** The answer to `GET /rpc/state`. */
export interface CoreState {
  readonly version: string;
  /** Path of the config file. */
  readonly home: string;
  /** Folder of the logs; each server's own stderr is in `servers` below it. */
  readonly logDir: string;
  /** Path of the unix socket, or name of the pipe, for shims. */
  readonly socket: string;
  /** Address of the MCP endpoint for client apps that speak HTTP; empty when there is none. */
  readonly http: string;
  /** Why HTTP is not where the config wants it, and what to do; empty if it is. */
  readonly httpProblem: string;
  /** Why apps that declare extensions of MCP do not see them; empty if nothing prevents it. */
  readonly extensionProblem: string;
  /** Stores that cannot be written now. */
  readonly storeProblems: readonly StoreProblem[];
  /** The mode of sessions that ask for no other. */
  readonly mode: string;
  readonly sessions: readonly SessionStatus[];
  readonly servers: readonly ServerStatus[];
  /** Errors in the config file, a sentence each; an entry that cannot be used is not among `servers`. */
  readonly configProblems: readonly string[];
  /** ms since 1970. */
  readonly startedAt: number;
  readonly paused: boolean;
}

/** The error response of a failed request over HTTP and IPC. */
export interface RpcFailure {
  readonly code: string;
  readonly message: string;
  /** How to fix it; may be empty. */
  readonly fix: string;
}

/** Schemas of the inputs. */
export const coreInputs = {
  state: nothing,
  health: nothing,
  restoreConfig: nothing,
  setPaused: z.object({ paused: flag }),
  reload: nothing,
  stop: nothing,
  reveal: z.object({ what: z.enum(['config', 'logs', 'spill']), id: maybe(id) }),
};

interface CoreOutputs {
  state: CoreState;
  /** All that was looked at: the list of which the Overview shows what needs the user. */
  health: { readonly findings: readonly HealthFinding[] };
  /** Writes a config file that is missing as it was last; one that is there stays. */
  restoreConfig: Nothing;
  /** Suspends all servers, or lets them continue. */
  setPaused: Nothing;
  /** Reads the config file again; resolves when the servers follow. */
  reload: { readonly problems: number };
  stop: Nothing;
  /** Desktop app only: shows a file or folder of Tooltray in the system's file manager. */
  reveal: Nothing;
}

export type CoreMethods = Methods<typeof coreInputs, CoreOutputs>;

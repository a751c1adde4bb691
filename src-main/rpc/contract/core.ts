/** Requests about the running core, and its state as the command line reads it. */
import { z } from 'zod';
import type { Finding as HealthFinding } from '../../core/health/finding.ts';
import type { StoreProblem } from '../../core/health/store-health.ts';
import type { ServerStatus } from './servers.ts';
import { flag, id, maybe, nothing, type Methods, type Nothing } from './fields.ts';

export type { Finding as HealthFinding } from '../../core/health/finding.ts';
export type { StoreName, StoreProblem } from '../../core/health/store-health.ts';

/** A connected client app. */
export interface SessionStatus {
  readonly id: string;
  /** The name that the client app reports. */
  readonly app: string;
  /** Display name of the app. */
  readonly appName: string;
  /** Negotiated protocol revision, such as `2025-11-25`. */
  readonly protocol: string;
  readonly mode: string;
  /** Why `auto` chose this mode. */
  readonly modeReason?: string;
  /** The app was notified of changed tools but still uses its old list. */
  readonly staleList: boolean;
  /** One sentence for the user to read or act on; may be empty. */
  readonly note: string;
  /** Number of calls so far. */
  readonly calls: number;
}

/** The answer to `GET /rpc/state`. */
export interface CoreState {
  readonly version: string;
  /** Path of the config file. */
  readonly home: string;
  /** Log folder; each server's stderr is in its `servers` subfolder. */
  readonly logDir: string;
  /** Path of the unix socket, or name of the pipe, for shims. */
  readonly socket: string;
  /** URL of the MCP endpoint for HTTP client apps; empty if there is none. */
  readonly http: string;
  /** Why HTTP does not listen where the config says, and how to fix it; empty if it does. */
  readonly httpProblem: string;
  /** Why client apps cannot use MCP extensions that they declare; empty if they can. */
  readonly extensionProblem: string;
  /** Stores that cannot currently be written. */
  readonly storeProblems: readonly StoreProblem[];
  /** Mode of sessions that request no other. */
  readonly mode: string;
  readonly sessions: readonly SessionStatus[];
  readonly servers: readonly ServerStatus[];
  /** Problems in the config file, a sentence each; invalid entries are omitted from `servers`. */
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
  /** All findings; the Overview shows those that need the user. */
  health: { readonly findings: readonly HealthFinding[] };
  /** Restores a missing config file from its last contents; an existing file is left unchanged. */
  restoreConfig: Nothing;
  /** Pauses or resumes all servers. */
  setPaused: Nothing;
  /** Reloads the config file; resolves when the servers have been updated. */
  reload: { readonly problems: number };
  stop: Nothing;
  /** Desktop app only: reveals one of Tooltray's files or folders in the system's file manager. */
  reveal: Nothing;
}

export type CoreMethods = Methods<typeof coreInputs, CoreOutputs>;

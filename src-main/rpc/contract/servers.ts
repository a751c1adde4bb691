/** Requests about servers: status, logs, entries, sign-in. */
import { z } from 'zod';
import type { ServerVariables } from '../../core/admin/environment-source.ts';
import type { EntryProbe as ServerTrialResult } from '../../core/admin/probe-entry.ts';
import type { ServerAccess } from '../../core/admin/server-access.ts';
import type { ServerProvenance } from '../../core/admin/server-provenance.ts';
import type { RemovalResult } from '../../core/admin/server-removal.ts';
import type { PastedText } from '../../core/paste-import/pasted-server.ts';
import type { HealthLevel } from '../../core/servers/server-state.ts';
import type { Usage } from '../../core/servers/usage-meter.ts';
import type { ServerTool } from './tools.ts';
import { entry, flag, id, maybe, name, nothing, type Methods, type Nothing } from './fields.ts';

export type { EntryProbe as ServerTrialResult } from '../../core/admin/probe-entry.ts';
export type { AccessScope, ServerAccess } from '../../core/admin/server-access.ts';
export type { HealthLevel } from '../../core/servers/server-state.ts';
export type { ServerUsage } from '../../core/servers/usage-meter.ts';

/** State of a connection; see the diagram in core/servers. */
export type ServerState =
  | 'disconnected'
  | 'connecting'
  | 'installing'
  | 'pending-sign-in'
  | 'authenticating'
  | 'discovering'
  | 'ready'
  | 'error'
  | 'disabled';

/** An action that would fix an unhealthy server. */
export interface HealthAction {
  readonly kind:
    | 'retry'
    | 'sign-in'
    | 'enable'
    | 'review'
    | 'edit-config'
    | 'view-log'
    | 'add-secret'
    | 'unlock'
    | 'heal';
  readonly label: string;
  /** With `add-secret`: name of the missing secret. */
  readonly secret?: string;
  /** With `retry`: the damaged package's folder that `clear` removes. */
  readonly clears?: string;
}

/** One server, as a table row. Any text may come from the server: show it as text, never as HTML. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  readonly level: HealthLevel;
  /** Short status: Ready, Starting 12 s, Needs sign-in. */
  readonly summary: string;
  /** The cause, as a sentence; may be empty. */
  readonly detail: string;
  /** Short cause shown after the name: `needs GITHUB_TOKEN`; undefined if healthy. */
  readonly reason?: string;
  readonly action?: HealthAction;
  /** Number of tools it offers. */
  readonly tools: number;
  readonly transport: 'stdio' | 'http' | 'sse' | 'openapi' | 'builtin';
  /** Its command line or address, secrets masked. */
  readonly endpoint: string;
  /** The user's sign-in, if any. */
  readonly signedIn?: SignedIn;
}

export interface SignedIn {
  /** Host of the authorization server. */
  readonly at: string;
  /** The account; empty if unknown. */
  readonly account: string;
  /** Granted scopes, in words where known. */
  readonly rights: readonly string[];
}

/** One line of a server's log. Its text may come from the server: show it as text, never as HTML. */
export interface ServerLogLine {
  /** ms since 1970; undefined if unknown. */
  readonly at: number | undefined;
  /** `tooltray`: a status message from Tooltray. */
  readonly from: 'server' | 'tooltray';
  /** MCP log level; undefined if none was given. */
  readonly level: 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency' | undefined;
  readonly text: string;
}

export interface ServerRow extends ServerStatus {
  readonly enabled: boolean;
  /** Number of restarts since the entry last changed. */
  readonly restarts: number;
  /** Time of entry into this state. */
  readonly since: number;
  /** Number of disabled tools. */
  readonly toolsOff: number;
  readonly calls24h: number;
  readonly failures24h: number;
  /** undefined before the first call. */
  readonly medianMs: number | undefined;
  /** Tokens of its full tool list (estimated). */
  readonly listTokens: number;
  /** Cost of its list in current sessions, or in the next one if there are none. */
  readonly listed: readonly ListedCost[];
  /** Time when its cached capabilities were read; undefined if they are live. */
  readonly asOf: number | undefined;
  /** Names of other servers with the same launch; undefined if there are none. */
  readonly duplicates?: readonly string[];
}

/** Cost of a server's list in the modes of these apps (display names). */
export interface ListedCost {
  readonly apps: readonly string[];
  readonly mode: string;
  /** Estimated; 0 if the mode lists nothing from servers. */
  readonly tokens: number;
}

export interface ServerDetail {
  readonly tools: readonly ServerTool[];
  /** The entry as in the config file, secrets masked as `***`; a masked value sent back keeps the stored one. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly logFile: string;
  readonly provenance: ServerProvenance;
  readonly access: ServerAccess;
  /** Why no sandbox is available; undefined if one is or none is needed. */
  readonly sandboxProblem: string | undefined;
}

/** A launch that may fix a server; nothing has run yet. */
export interface HealCandidateRow {
  readonly server: string;
  /** Display name of its source, such as Cursor. Approval covers the source. */
  readonly source: string;
  /** File that defines it; undefined for the user's own command. */
  readonly file: string | undefined;
  /** The command or URL, verbatim. */
  readonly endpoint: string;
  readonly sentence: string;
}

/** Schemas of the inputs. */
export const serverInputs = {
  variables: nothing,
  lockVersion: z.object({ server: name, version: maybe(name) }),
  restart: z.object({ server: name, clear: maybe(flag) }),
  signIn: z.object({ server: name }),
  signOut: z.object({ server: name }),
  log: z.object({ server: name, after: maybe(z.string().max(100)) }),
  serverDetail: z.object({ server: name }),
  setServerEnabled: z.object({ server: name, enabled: flag }),
  setServersEnabled: z.object({ servers: z.array(name).max(1000), enabled: flag }),
  stopServer: z.object({ server: name }),
  serverUsage: nothing,
  testServer: z.object({ server: maybe(name), entry }),
  saveServer: z.object({
    name,
    entry,
    replace: flag,
    /** Whether texts that look like secrets are moved to the vault and replaced by references. */
    keepSecrets: maybe(flag),
  }),
  removeServer: z.object({ server: name }),
  undoRemoval: z.object({ undo: id }),
  parseServers: z.object({ text: z.string().max(1024 * 1024) }),
  healCandidates: nothing,
  heal: z.object({ server: name }),
};

interface ServerOutputs {
  /** Names of the user's variables that each server receives. */
  variables: { readonly servers: readonly ServerVariables[] };
  /** Pins a server to a version of its package; default: the last one that ran. */
  lockVersion: { readonly server: string; readonly package: string; readonly version: string };
  /**
   * In a team: on every replica where it is unhealthy. `clear`: first removes a damaged package's folder, if the
   * failure names one.
   */
  restart: ServerStatus;
  /**
   * Starts a sign-in; the response contains the URL where the user continues in a browser. The server's state reports
   * the outcome.
   */
  signIn: { readonly url: string };
  /** Revokes the granted access where possible, and deletes it locally. */
  signOut: { readonly wasSignedIn: boolean; readonly sentence: string };
  /** The latest lines of a server's log, or those since `after`: its output and Tooltray's status messages. */
  log: {
    readonly lines: readonly ServerLogLine[];
    /** Value for `after` in the next request. */
    readonly mark: string;
    /** More lines arrived since `after` than one response holds; the oldest are omitted. */
    readonly skipped: boolean;
  };
  serverDetail: ServerDetail;
  setServerEnabled: Nothing;
  /** Enables or disables several servers. Servers under review or blocked are not enabled. */
  setServersEnabled: {
    /** Names of the servers that changed. */
    readonly changed: readonly string[];
    readonly held: readonly string[];
  };
  /** Stops its processes or connection attempts; the next call starts it again. */
  stopServer: Nothing;
  /** Current resource usage of the servers' processes. */
  serverUsage: Usage;
  /** Tests an entry in a temporary connection without saving it. `server`: masked values are taken from that server. */
  testServer: ServerTrialResult;
  /** Adds a server; with `replace`, overwrites an existing entry. */
  saveServer: Nothing;
  /** Also deletes its sign-in, which is not restored with the entry. */
  removeServer: RemovalResult;
  undoRemoval: { readonly server: string };
  /** Servers in a pasted text: a config in any format, an entry, a command line, a link, a URL, or a server.json. */
  parseServers: PastedText;
  /** Checks every unhealthy server; the best candidate for each. */
  healCandidates: { readonly offers: readonly HealCandidateRow[] };
  /** Approves the candidate for a server: tests it and keeps what works. */
  heal: { readonly server: string; readonly healed: boolean; readonly sentence: string };
}

export type ServerMethods = Methods<typeof serverInputs, ServerOutputs>;

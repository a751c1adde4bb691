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

/** State of a connection; the diagram is in core/servers. */
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
  /** With `add-secret`: the one that it needs. */
  readonly secret?: string;
  /** With `retry`: the folder of a damaged package that `clear` removes. */
  readonly clears?: string;
}

/** One server, as a row of the table. All texts may come from the server itself: show them as text, never as HTML. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  readonly level: HealthLevel;
  /** Two or three words: Ready, Starting 12 s, Needs sign-in. */
  readonly summary: string;
  /** The cause, in a sentence; may be empty. */
  readonly detail: string;
  /** The cause in the few words that stand behind its name: `needs GITHUB_TOKEN`; undefined if nothing is wrong. */
  readonly reason?: string;
  readonly action?: HealthAction;
  /** Number of tools it offers. */
  readonly tools: number;
  readonly transport: 'stdio' | 'http' | 'sse' | 'builtin';
  /** Its command line or address, secrets masked. */
  readonly endpoint: string;
  /** The user's sign-in to it, if any. */
  readonly signedIn?: SignedIn;
}

export interface SignedIn {
  /** Who signs users in for it: a host. */
  readonly at: string;
  /** The account; empty if unknown. */
  readonly account: string;
  /** The rights granted, one each, in words if their names allow it. */
  readonly rights: readonly string[];
}

/** One line of a server's log. Its text may come from the server: show it as text, never as HTML. */
export interface ServerLogLine {
  /** ms since 1970; undefined: not known. */
  readonly at: number | undefined;
  /** `tooltray`: what became of the server, in our words. */
  readonly from: 'server' | 'tooltray';
  /** An MCP log level; undefined if the source named none. */
  readonly level: 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency' | undefined;
  readonly text: string;
}

export interface ServerRow extends ServerStatus {
  readonly enabled: boolean;
  /** How often it came up again after it had gone, or at a user's word, since its entry is as it is. */
  readonly restarts: number;
  /** Since when it is in this state. */
  readonly since: number;
  /** Tools that are switched off. */
  readonly toolsOff: number;
  readonly calls24h: number;
  readonly failures24h: number;
  /** undefined: no call yet. */
  readonly medianMs: number | undefined;
  /** Tokens of its full list (estimated). */
  readonly listTokens: number;
  /** Cost of its list in current sessions; if there are none, in the next one. */
  readonly listed: readonly ListedCost[];
  /** Time when its cached offer was read; undefined if the offer is live. */
  readonly asOf: number | undefined;
  /** Names of other servers that are started or reached in exactly the same way; undefined if there are none. */
  readonly duplicates?: readonly string[];
}

/** Cost of a server's list in the mode of some apps, given by display name. */
export interface ListedCost {
  readonly apps: readonly string[];
  readonly mode: string;
  /** Estimated; 0 where the mode lists nothing of any server. */
  readonly tokens: number;
}

export interface ServerDetail {
  readonly tools: readonly ServerTool[];
  /** The entry as it is in the config file, secrets masked as `***`; a masked value sent back keeps what is there. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly logFile: string;
  readonly provenance: ServerProvenance;
  readonly access: ServerAccess;
  /** Why this computer has no sandbox; undefined if it has one, or if the server needs none. */
  readonly sandboxProblem: string | undefined;
}

/** A launch that may fix a server; nothing of it has run yet. */
export interface HealCandidateRow {
  readonly server: string;
  /** Display name of the place where it was found, such as Cursor. Approval covers the place. */
  readonly source: string;
  /** The file that says so; undefined for the user's own command, found elsewhere. */
  readonly file: string | undefined;
  /** The command to start or the address to connect to, verbatim. */
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
    /** Whether texts that look like secrets are moved to the vault, with references in the config file. */
    keepSecrets: maybe(flag),
  }),
  removeServer: z.object({ server: name }),
  undoRemoval: z.object({ undo: id }),
  parseServers: z.object({ text: z.string().max(1024 * 1024) }),
  healCandidates: nothing,
  heal: z.object({ server: name }),
};

interface ServerOutputs {
  /** Which of the user's variables each server gets, by name. */
  variables: { readonly servers: readonly ServerVariables[] };
  /** Writes down which version of its package a server is; without one, that which ran last. */
  lockVersion: { readonly server: string; readonly package: string; readonly version: string };
  /**
   * In a team: at every replica where it is unhealthy. `clear`: removes the folder of a damaged package first, if the
   * failure names one.
   */
  restart: ServerStatus;
  /**
   * Begins a sign-in; the answer is where the user continues, in a browser. How it ends is told by the server's state.
   */
  signIn: { readonly url: string };
  /** Takes back what signing in granted, where that can be done, and forgets it here. */
  signOut: { readonly wasSignedIn: boolean; readonly sentence: string };
  /** The last lines of a server's log, or those that came since: what it said, and between that what became of it. */
  log: {
    readonly lines: readonly ServerLogLine[];
    /** For `after`, to go on from here. */
    readonly mark: string;
    /** More came since `after` than is told at once; the oldest of it is left out. */
    readonly skipped: boolean;
  };
  serverDetail: ServerDetail;
  setServerEnabled: Nothing;
  /** Several at once. Those that wait for a review, or were blocked, are not switched on. */
  setServersEnabled: {
    /** Names of the servers that changed. */
    readonly changed: readonly string[];
    readonly held: readonly string[];
  };
  /** Ends its processes, or its tries; the next call starts it again. */
  stopServer: Nothing;
  /** Resource usage of the servers' processes, measured now. */
  serverUsage: Usage;
  /** Tries an entry in a temporary connection; writes nothing. `server`: masked values stand for those of that one. */
  testServer: ServerTrialResult;
  /** Adds a server, or replaces the entry of one there is where `replace` says so. */
  saveServer: Nothing;
  /** Its sign-in goes with it, and does not come back with its entry. */
  removeServer: RemovalResult;
  undoRemoval: { readonly server: string };
  /**
   * The servers in a text that a user pasted: a config of any shape, an entry, a command line, a link, an address, a
   * server.json.
   */
  parseServers: PastedText;
  /** Looks after every server that is ill; the best offer for each. */
  healCandidates: { readonly offers: readonly HealCandidateRow[] };
  /** The user's yes to the offer for a server: tries it, and keeps what works. */
  heal: { readonly server: string; readonly healed: boolean; readonly sentence: string };
}

export type ServerMethods = Methods<typeof serverInputs, ServerOutputs>;

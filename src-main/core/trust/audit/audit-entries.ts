/**
 * The entries of the audit log: decisions, refusals, changes of servers and access, and calls. Payloads of calls are
 * never included.
 */

/** A decision of the user, or of a setting in their place. */
export interface DecisionEntry {
  readonly kind: 'decision';
  /**
   * The subject: definitions of a server, a proposed change, an approval, a whole server, or a launch configuration
   * found in an app.
   */
  readonly about: 'definitions' | 'proposal' | 'question' | 'server' | 'launch';
  /** Id among the entries of this kind, used to find and undo it. */
  readonly id: string;
  /** `accept`, `keep`, `approve`, `reject`, `undo`, `once`, `always`, `no`, `expired` … */
  readonly choice: string;
  /**
   * Place of the decision: `dashboard`, `tray`, `command line`, `client app`, `person`; `policy` if a setting
   * decided.
   */
  readonly by: string;
  /** For users. */
  readonly sentence: string;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly app?: string | undefined;
  readonly session?: string | undefined;
  /** Whether the entry can be undone by its ID. */
  readonly canUndo?: boolean | undefined;
}

/** Something that was refused. */
export interface RefusalEntry {
  readonly kind: 'refusal';
  /** A tool call, a change of servers, or a connection. */
  readonly of: 'call' | 'change' | 'access';
  /** Code of the error. */
  readonly code: string;
  readonly sentence: string;
  /** The rule that refused it, if it has a name. */
  readonly rule?: string | undefined;
  /** Id of the user whose call it was, if several share the core. */
  readonly user?: string | undefined;
  readonly app?: string | undefined;
  readonly session?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  /** The helper tool that the call came through. */
  readonly via?: string | undefined;
  readonly arguments?: Digest | undefined;
}

/** A server's entry or its definitions changed. */
export interface ServerChangeEntry {
  readonly kind: 'server';
  readonly change:
    | 'added'
    | 'removed'
    | 'changed'
    | 'on'
    | 'off'
    | 'tools switched'
    | 'sent different instructions'
    | 'waits for review';
  readonly server: string;
  /** SHA-256 of the current entry. */
  readonly hash?: string | undefined;
  readonly sentence?: string | undefined;
  /** Found at a start: the change happened while Tooltray was not running. */
  readonly whileStopped?: boolean | undefined;
}

/** Records a change of who has access. */
export interface AccessEntry {
  readonly kind: 'access';
  readonly change:
    | 'given'
    | 'revoked'
    | 'changed'
    | 'token changed'
    | 'forgotten'
    | 'expired'
    | 'signed in'
    | 'signed out';
  /** Who made the change, if there are several users: a name, or `operator` and the operating system's user. */
  readonly by?: string | undefined;
  /** The client app whose access changed … */
  readonly app?: string | undefined;
  /** … or the profile, and the id of its token … */
  readonly profile?: string | undefined;
  readonly token?: string | undefined;
  /** … or the user, by their id. */
  readonly user?: string | undefined;
  readonly sentence?: string | undefined;
}

/** A setting that grants something changed. */
export interface SettingEntry {
  readonly kind: 'setting';
  readonly key: string;
  /** JSON, masked. */
  readonly before: string;
  readonly after: string;
  readonly whileStopped?: boolean | undefined;
}

/** A released call and its outcome. */
export interface CallEntry {
  readonly kind: 'call';
  /** Id of the user whose call it was, if several share the core. */
  readonly user?: string | undefined;
  readonly app: string;
  readonly session: string;
  readonly mode: string;
  readonly server: string;
  readonly tool: string;
  readonly via?: string | undefined;
  /** SHA-256 of the tool's definition at the time of the call. */
  readonly pin?: string | undefined;
  readonly arguments: Digest;
  readonly result?: Digest | undefined;
  /** Labels of the result: `override`, `holds-key` …; `not-scanned` if it could not be scanned completely in time. */
  readonly labels?: readonly string[] | undefined;
  /** The data-flow verdict, and the rule behind it. */
  readonly verdict?: string | undefined;
  readonly rule?: string | undefined;
  /** The user's approval that released the call: id of the decision, and where it was made. */
  readonly question?: string | undefined;
  readonly by?: string | undefined;
  readonly outcome: 'ok' | 'tool_error' | 'failed' | 'cancelled';
  readonly code?: string | undefined;
  readonly ms: number;
}

/** The digest of a text that is not stored. */
export interface Digest {
  readonly bytes: number;
  /** HMAC-SHA256 in base64url with a key of this home, because short texts could be guessed from a plain hash. */
  readonly hmac: string;
  /** Set if only this many bytes from the start are covered. */
  readonly of?: number | undefined;
}

/** Entries from other parts. */
export type AuditEntry = DecisionEntry | RefusalEntry | ServerChangeEntry | AccessEntry | SettingEntry | CallEntry;

/** Entries of the log about itself. */
export type LogMetaEntry =
  /**
   * A signed head, which covers all records before it through the hash chain. `key`: the public key; `sig`: a
   * signature over the line up to this member.
   */
  | { readonly kind: 'head'; readonly key: string; readonly sig: string }
  /** A partial line, left by a killed process, was removed. */
  | { readonly kind: 'mended'; readonly bytes: number }
  /** The oldest records, up to and including `to`, were removed by retention. */
  | { readonly kind: 'trimmed'; readonly to: number; readonly records: number }
  /** At a start the log ended before the last signed head: records up to and including `to` are missing. */
  | { readonly kind: 'cut'; readonly to: number }
  /** This many records could not be written and were dropped. */
  | { readonly kind: 'lost'; readonly records: number };

export type AuditRecord = Placed & (AuditEntry | LogMetaEntry);
export type AuditKind = AuditRecord['kind'];

interface Placed {
  /** Starts at 1, without gaps. */
  readonly seq: number;
  /** ms since 1970. */
  readonly at: number;
}

export const auditKinds = [
  'decision',
  'refusal',
  'server',
  'access',
  'setting',
  'call',
  'head',
  'mended',
  'trimmed',
  'cut',
  'lost',
] as const satisfies readonly AuditKind[];

export interface AuditFilter {
  /** Absent: all except heads. */
  readonly kinds?: readonly AuditKind[];
  readonly server?: string;
  readonly app?: string;
  /** Id of a user, if several share the core. */
  readonly user?: string;
  /** ms since 1970. */
  readonly since?: number;
}

export function matchesFilter(record: AuditRecord, { kinds, server, app, user, since }: AuditFilter): boolean {
  if (kinds === undefined ? record.kind === 'head' : !kinds.includes(record.kind)) return false;
  if (since !== undefined && record.at < since) return false;
  if (server !== undefined && (!('server' in record) || record.server !== server)) return false;
  if (user !== undefined && (!('user' in record) || record.user !== user)) return false;
  return app === undefined || ('app' in record && record.app === app);
}

const maxTextLength = 1000;
const maxNameLength = 200;
const maxItems = 20;

/**
 * Returns a copy whose texts are bounded, well-formed, and masked, because they come from models, servers and users.
 */
export function boundEntry<T extends AuditEntry>(entry: T, maskText: (text: string) => string): T {
  const shown: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entry)) {
    if (typeof value === 'string' && !plain.has(key))
      shown[key] = short(value, long.has(key) ? maxTextLength : maxNameLength, maskText);
    else if (Array.isArray(value))
      shown[key] = value.slice(0, maxItems).map((item) => short(String(item), maxNameLength, maskText));
    else shown[key] = value;
  }
  return shown as unknown as T;
}

function short(text: string, most: number, maskText: (text: string) => string): string {
  return maskText(text.slice(0, most)).toWellFormed();
}

/** Members with values of our own. */
const plain: ReadonlySet<string> = new Set(['kind', 'about', 'of', 'change', 'user', 'outcome', 'hash', 'pin', 'ms']);
const long: ReadonlySet<string> = new Set(['sentence', 'before', 'after']);

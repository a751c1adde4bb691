/**
 * The entries of the audit log: who decided what, what was refused, which servers and access changed, and every call.
 * Never a text of a call.
 */

/** A user's word, or what stood in for it. */
export interface DecisionEntry {
  readonly kind: 'decision';
  /**
   * The subject: texts of a server, a change that was asked for, a question, a server as a whole, a launch found
   * elsewhere.
   */
  readonly about: 'definitions' | 'proposal' | 'question' | 'server' | 'launch';
  /** ID of the entry among those of its kind, by which it can be found and undone. */
  readonly id: string;
  /** `accept`, `keep`, `approve`, `reject`, `undo`, `once`, `always`, `no`, `expired` … */
  readonly choice: string;
  /**
   * The place where it was decided: `dashboard`, `tray`, `command line`, `client app`, `person`; `policy` where a
   * setting decided.
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

/** Something that was not done because nobody allowed it. */
export interface RefusalEntry {
  readonly kind: 'refusal';
  /** A call of a tool, a change of servers, or a connection. */
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
  /** The helper tool it came through. */
  readonly via?: string | undefined;
  readonly arguments?: Digest | undefined;
}

/** A server's entry, or what it says, is not what it was. */
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
  /** SHA-256 of the entry as it is used now. */
  readonly hash?: string | undefined;
  readonly sentence?: string | undefined;
  /** It was found at a start: it happened while no Tooltray ran. */
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
  /** Who made the change in a team: the name of a user, or `operator` and the operating system's user. */
  readonly by?: string | undefined;
  /** The client app whose access it is … */
  readonly app?: string | undefined;
  /** … or the profile, and the id of a token of it. */
  readonly profile?: string | undefined;
  readonly token?: string | undefined;
  /** … or the user, by their id. */
  readonly user?: string | undefined;
  readonly sentence?: string | undefined;
}

/** A setting that allows something is another one. */
export interface SettingEntry {
  readonly kind: 'setting';
  readonly key: string;
  /** JSON, masked. */
  readonly before: string;
  readonly after: string;
  readonly whileStopped?: boolean | undefined;
}

/** One call that was let through, as far as it got. */
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
  /** SHA-256 of the tool's definition as it stood when it was called. */
  readonly pin?: string | undefined;
  readonly arguments: Digest;
  readonly result?: Digest | undefined;
  /** Labels of the result: `override`, `holds-key` …; `not-scanned`: nobody could look at all of it in time. */
  readonly labels?: readonly string[] | undefined;
  /** The verdict before it was sent, and the rule behind it. */
  readonly verdict?: string | undefined;
  readonly rule?: string | undefined;
  /** The user's answer that let it go, by the id of its decision, and where it was given. */
  readonly question?: string | undefined;
  readonly by?: string | undefined;
  readonly outcome: 'ok' | 'tool_error' | 'failed' | 'cancelled';
  readonly code?: string | undefined;
  readonly ms: number;
}

/** The digest of a text that is not stored. */
export interface Digest {
  readonly bytes: number;
  /** HMAC-SHA256 in base64url, keyed with the home's own key, since short texts could be guessed from a plain hash. */
  readonly hmac: string;
  /** It covers only so many bytes from the start. */
  readonly of?: number | undefined;
}

/** Entries of other parts. */
export type AuditEntry = DecisionEntry | RefusalEntry | ServerChangeEntry | AccessEntry | SettingEntry | CallEntry;

/** Entries of the log about itself. */
export type LogMetaEntry =
  /**
   * A signed head: all before it, by the one hash that is in it. `key`: the public key, `sig`: over the line up to
   * itself.
   */
  | { readonly kind: 'head'; readonly key: string; readonly sig: string }
  /** A partial line, left by a killed process, was removed. */
  | { readonly kind: 'mended'; readonly bytes: number }
  /** The oldest records were taken away, up to and with this one. */
  | { readonly kind: 'trimmed'; readonly to: number; readonly records: number }
  /** At a start the log ended before a head that had been signed: records up to and with this one are gone. */
  | { readonly kind: 'cut'; readonly to: number }
  /** So many could not be written, and were too many to be held. */
  | { readonly kind: 'lost'; readonly records: number };

export type AuditRecord = Placed & (AuditEntry | LogMetaEntry);
export type AuditKind = AuditRecord['kind'];

interface Placed {
  /** Counts from 1, without a gap. */
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
  /** Absent: all but heads. */
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

/** Texts come from models, servers and users: bounded, whole characters, no secret. */
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

/** Ours alone. */
const plain: ReadonlySet<string> = new Set(['kind', 'about', 'of', 'change', 'user', 'outcome', 'hash', 'pin', 'ms']);
const long: ReadonlySet<string> = new Set(['sentence', 'before', 'after']);

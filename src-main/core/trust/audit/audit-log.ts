/** The audit log as its writers, readers and verification see it: files of a home, or rows of a team's database. */
import type { Emitter } from '../../base/emitter.ts';
import type { JsonDocument } from '../../base/json-document.ts';
import type { ChainLink } from './hash-chain.ts';
import type { AuditEntry, Digest } from './audit-entries.ts';

/** The log to which a core adds entries. A failure to write is no reason for anything else to fail. */
export interface AuditRecorder {
  /** Something was written. */
  readonly changed: Emitter;
  readonly log: AuditLog;
  /** How the config stood when it was looked at last (config-watch.ts). */
  readonly seen: JsonDocument;
  /** The name of the config there, where several cores have the same in files of their own; its path unless given. */
  readonly configName?: string;
  /** Returns at once, and never throws. */
  note(entry: AuditEntry): void;
  /** Returns the digest of a text that is not stored; its hash is empty if there is no key. */
  digest(said: string | readonly Buffer[], bytes?: number): Digest;
  /** Writes what waits, now; whether nothing waits any more. Never fails: what cannot be written is tried again. */
  flush(): boolean | Promise<boolean>;
  /** Signs what is not signed yet, and writes everything. */
  close(): Promise<void>;
}

/** The head that was signed last, noted next to the log. */
export interface SignedHead extends ChainLink {
  readonly at: number;
}

export interface AuditLog {
  /** undefined: none is noted, or it cannot be read. */
  recordedHead(): Promise<SignedHead | undefined>;
  /** Opens a snapshot: parts that are trimmed meanwhile can still be read. The caller closes it. */
  open(): Promise<OpenLog>;
}

export interface OpenLog {
  /** Oldest first; each begins with a signed head. */
  readonly parts: readonly LogSegment[];
  close(): Promise<void>;
}

export interface LogSegment {
  /** Number of its first record. */
  readonly first: number;
  /**
   * From the first on, or from where `after` is passed at the latest. `isTorn`: the end of one that is half written.
   */
  lines(after?: number): AsyncIterable<{ readonly text: string; readonly isTorn: boolean }>;
  /** Whole lines, the last one first, in pages; those from `before` on may be left out. */
  backwards(before: number): AsyncIterable<readonly string[]>;
}

/** The audit log as seen by writers, readers and verification: files of a home, or rows of a database. */
import type { Emitter } from '../../base/emitter.ts';
import type { JsonDocument } from '../../base/json-document.ts';
import type { ChainLink } from './hash-chain.ts';
import type { AuditEntry, Digest } from './audit-entries.ts';

/** Adds entries to the audit log. A failure to write never fails anything else. */
export interface AuditRecorder {
  /** Emits after a write. */
  readonly changed: Emitter;
  readonly log: AuditLog;
  /** The state of the config at the last check (config-change-auditor.ts). */
  readonly seen: JsonDocument;
  /**
   * Name of the config in that document, if several cores have the same config in separate files; default: its path.
   */
  readonly configName?: string;
  /** Returns at once, and never throws. */
  note(entry: AuditEntry): void;
  /** Returns the digest of a text that is not stored; its hash is empty if there is no key. */
  digest(said: string | readonly Buffer[], bytes?: number): Digest;
  /** Writes queued entries now. Returns whether the queue is empty. Never fails: writes are retried. */
  flush(): boolean | Promise<boolean>;
  /** Signs and writes everything. */
  close(): Promise<void>;
}

/** The last signed head, recorded next to the log. */
export interface SignedHead extends ChainLink {
  readonly at: number;
}

export interface AuditLog {
  /** Undefined if none is recorded, or if it cannot be read. */
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
  /** From the first line, or at the latest from the one after `after`. `isTorn`: an incomplete last line. */
  lines(after?: number): AsyncIterable<{ readonly text: string; readonly isTorn: boolean }>;
  /** Complete lines in reverse order, in pages; lines from `before` on may be omitted. */
  backwards(before: number): AsyncIterable<readonly string[]>;
}

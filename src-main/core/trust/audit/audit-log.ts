/** Where the audit's records stand, files of a home or rows of a team's tenant, for whoever writes, reads and verifies them. */
import type { Event } from '../../base/events.ts';
import type { KeptDocument } from '../../base/kept-document.ts';
import type { Link } from './chain.ts';
import type { AuditEntry, Digest } from './entries.ts';

/** What a core notes in. Notes are no reason for anything to fail. */
export interface AuditBook {
  /** Something was written. */
  readonly changed: Event;
  readonly log: AuditLog;
  /** How the config stood when it was looked at last (config-watch.ts). */
  readonly seen: KeptDocument;
  /** What the config is called there, where several cores have the same in files of their own; its path unless given. */
  readonly configName?: string;
  /** Returns at once, and never throws. */
  note(entry: AuditEntry): void;
  /** Of a text that is not kept; with an empty hash where there is no key to be had. */
  digest(said: string | readonly Buffer[], bytes?: number): Digest;
  /** Writes what waits, now; whether nothing waits any more. Never fails: what cannot be written is tried again. */
  flush(): boolean | Promise<boolean>;
  /** Signs what is not signed yet, and writes everything. */
  close(): Promise<void>;
}

/** The head that was signed last, noted beside the log. */
export interface NotedHead extends Link {
  readonly at: number;
}

export interface AuditLog {
  /** undefined: none is noted, or it cannot be read. */
  notedHead(): Promise<NotedHead | undefined>;
  /** As it is at one moment: what is taken away meanwhile can still be read. Whoever asks closes it. */
  open(): Promise<OpenLog>;
}

export interface OpenLog {
  /** Oldest first; each begins with a signed head. */
  readonly parts: readonly LogPart[];
  close(): Promise<void>;
}

export interface LogPart {
  /** Number of its first record. */
  readonly first: number;
  /** From the first on, or from where `after` is passed at the latest. `isTorn`: the end of one that is half written. */
  lines(after?: number): AsyncIterable<{ readonly text: string; readonly isTorn: boolean }>;
  /** Whole lines, the last one first, a chunk at a time; those from `before` on may be left out. */
  backwards(before: number): AsyncIterable<readonly string[]>;
}

/** Of a chunk that is read backwards, in bytes; more or less. */
export const chunkBytes = 256 * 1024;

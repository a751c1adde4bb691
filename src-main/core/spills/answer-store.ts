/**
 * Where answers are kept that do not fit: on the disk of one core (`SpillStore`), or where all replicas of a team find them. One contract
 * (tests/core/spills/answer-store-contract.ts) holds both. What has to ask somebody else comes later; the desktop's own answers at once.
 */
import type { Emitter } from '../base/events.ts';
import type { Log } from '../base/log.ts';
import type { StoreHealth } from '../health/store-health.ts';
import type { ResultSettings } from '../config/app-config.ts';
import type { ProtectedPaths } from '../security/own-places.ts';
import type { Principal } from '../security/principal.ts';
import type { Result } from '../wire/message.ts';
import type { RawJson } from '../wire/raw-json.ts';
import type { CountText } from './keep-answer.ts';
import type { Excerpt } from './messages.ts';
import type { SpillFilter } from './spill-index.ts';
import type { Pruned } from './spill-room.ts';
import type { SpilledResult, OpenedSpill, OriginalResult, Spill, SpillOrigin } from './spill.ts';

type Now<T> = T | Promise<T>;

/** What every store of answers is made with. */
export interface SpillStoreOptions {
  /** Absolute; holds nothing but kept answers and what is known of them. */
  readonly folder: string;
  readonly settings: () => ResultSettings;
  readonly log: Log;
  /** Is told whether results can be written. */
  readonly health?: StoreHealth | undefined;
  readonly now: () => number;
  readonly countTokens: CountText;
  /** Where the worker lies that writes long answers; it is found by itself. */
  readonly workerUrl?: URL;
  /** What is not read although it lies in a folder that the person has allowed. */
  readonly own?: ProtectedPaths;
}

export interface SpillUsage {
  readonly bytes: number;
  readonly count: number;
  readonly maxBytes: number;
  readonly maxCount: number;
  readonly keepDays: number;
}

/** A file with an answer's bytes on this computer. */
export interface SpillFile {
  readonly file: string;
  readonly mimeType: string;
}

/** `reader`: whose answers are there at all; the person's where none is named. What is another's is as unknown as what never was. */
export interface SpillStore {
  /** Something was kept, read, pinned or deleted, here. */
  readonly changed: Emitter<void>;
  /** Moves with every change. */
  readonly revision: number;
  /** Never rejects: a store that cannot work says so whenever something is to be kept, and the rest of Tooltray goes on. */
  start(): Promise<void>;
  /** Resolves when it can be asked; never rejects. */
  ready(): Promise<void>;
  /**
   * Resolves when the answer would survive the end of this process. `textKind`: what its texts are that are no JSON; `sent`: what
   * the server sent, where something was made of it. Rejects with AppError spill_failed or not_allowed; nothing is left over then.
   */
  spill(result: Result, origin: SpillOrigin, textKind?: 'text' | 'toon', sent?: OriginalResult): Promise<SpilledResult>;
  /** The size of a long result and its beginning and end, of together at most `bytes`. Rejects with KeepFailure. */
  excerpt(result: RawJson, bytes: number): Promise<Excerpt>;
  /**
   * By short id or `tooltray://spill/<id>`, and files in folders that the person has allowed; opened, because what lies at a path may be
   * another file a moment later. Rejects with AppError not_found, not_allowed, bad_request, and store_unreachable where it is not here.
   */
  open(ref: string, reader: Principal): Promise<OpenedSpill>;
  /** What this core knows without asking anybody, whoever's it is: of all that is kept on a desktop, of what it kept or opened in a team. */
  recall(ref: string): Spill | undefined;
  find(ref: string, reader?: Principal): Now<Spill | undefined>;
  /** The file with its bytes, fetched if need be; undefined for what is unknown. */
  fileOf(id: string, reader?: Principal): Now<SpillFile | undefined>;
  /** The newest first. */
  list(filter?: SpillFilter, reader?: Principal): Now<readonly Spill[]>;
  /** Of all that is kept there. */
  usage(): Now<SpillUsage>;
  /** Answers whether there is such an answer. */
  pin(id: string, pinned: boolean, reader?: Principal): Now<boolean>;
  /** Answers whether there was such an answer. */
  remove(id: string, reader?: Principal): Promise<boolean>;
  /** Counts that somebody read in it. */
  noteRead(spill: Pick<Spill, 'id'>): void;
  /** Deletes what is too old or too much. Rejects with AppError. */
  prune(): Promise<Pruned>;
  close(): Promise<void>;
}

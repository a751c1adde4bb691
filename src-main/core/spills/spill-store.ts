/**
 * Stores results that are too large to return: on one core's disk (`DiskSpillStore`), or shared by all replicas.
 * The same contract test covers both (tests/core/spills/spill-store-contract.ts). Methods that may ask another process
 * return
 * promises; on a desktop they return at once.
 */
import type { Emitter } from '../base/emitter.ts';
import type { Log } from '../base/log.ts';
import type { StoreHealth } from '../health/store-health.ts';
import type { ResultSettings } from '../config/app-config.ts';
import type { ProtectedPaths } from '../security/protected-paths.ts';
import type { Principal } from '../security/principal.ts';
import type { Result } from '../wire/message.ts';
import type { CountText } from './spill-result.ts';
import type { SpillFilter } from './spill-index.ts';
import type { Pruned } from './spill-pruner.ts';
import type { SpilledResult, OpenedSpill, OriginalResult, Spill, SpillOrigin } from './spill.ts';

type Now<T> = T | Promise<T>;

/** Options of every spill store. */
export interface SpillStoreOptions {
  /** Absolute path; contains only spills and their index. */
  readonly folder: string;
  readonly settings: () => ResultSettings;
  readonly log: Log;
  /** Is told whether results can be written. */
  readonly health?: StoreHealth | undefined;
  readonly now: () => number;
  readonly countTokens: CountText;
  /** URL of the worker that writes large results; located automatically if absent. */
  readonly workerUrl?: URL;
  /** Paths that are never read, even inside folders that the user has allowed. */
  readonly own?: ProtectedPaths;
}

export interface SpillUsage {
  readonly bytes: number;
  readonly count: number;
  readonly maxBytes: number;
  readonly maxCount: number;
  readonly retentionDays: number;
}

/** A file with an answer's bytes on this computer. */
export interface SpillFile {
  readonly file: string;
  readonly mimeType: string;
}

/**
 * `reader`: whose answers are there at all; the user's if none is named. What is another's is as unknown as what never
 * was.
 */
export interface SpillStore {
  /** Something was kept, read, pinned or deleted, here. */
  readonly changed: Emitter<void>;
  /** Moves with every change. */
  readonly revision: number;
  /**
   * Never rejects: a store that cannot work says so whenever something is to be kept, and the rest of Tooltray
   * continues.
   */
  start(): Promise<void>;
  /** Resolves when it can be asked; never rejects. */
  ready(): Promise<void>;
  /**
   * Resolves when the answer would survive the end of this process. `textKind`: what its texts are that are no JSON;
   * `sent`: what the server sent, where something was made of it. Rejects with AppError `spill_failed` or not_allowed;
   * nothing is left over then.
   */
  spill(result: Result, origin: SpillOrigin, textKind?: 'text' | 'toon', sent?: OriginalResult): Promise<SpilledResult>;
  /**
   * Opens a spill by short id or `tooltray://spill/<id>`, or a file in an allowed folder. Returns an open handle,
   * because a path may lead to another file a moment later.
   * Rejects with AppError `not_found`, `not_allowed`, `bad_request`, or `store_unreachable` if the spill is stored
   * elsewhere.
   */
  open(ref: string, reader: Principal): Promise<OpenedSpill>;
  /** Returns a locally known spill of any owner: all on a desktop; with a shared store, those stored or opened here. */
  recall(ref: string): Spill | undefined;
  find(ref: string, reader?: Principal): Now<Spill | undefined>;
  /** The file with its bytes, fetched if need be; undefined for what is unknown. */
  fileOf(id: string, reader?: Principal): Now<SpillFile | undefined>;
  /** The newest first. */
  list(filter?: SpillFilter, reader?: Principal): Now<readonly Spill[]>;
  /** Returns the usage of the whole store. */
  usage(): Now<SpillUsage>;
  /** Answers whether there is such an answer. */
  pin(id: string, pinned: boolean, reader?: Principal): Now<boolean>;
  /** Answers whether there was such an answer. */
  remove(id: string, reader?: Principal): Promise<boolean>;
  /** Counts a read of the spill. */
  noteRead(spill: Pick<Spill, 'id'>): void;
  /** Deletes what is too old or too much. Rejects with AppError. */
  prune(): Promise<Pruned>;
  close(): Promise<void>;
}

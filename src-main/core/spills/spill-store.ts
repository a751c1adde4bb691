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
  /** Receives whether results can be written. */
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

/** A spill's file on this computer. */
export interface SpillFile {
  readonly file: string;
  readonly mimeType: string;
}

/** `reader`: whose spills are visible; default: the user's. Spills of others appear unknown. */
export interface SpillStore {
  /** Emits when a spill was stored, read, pinned or deleted here. */
  readonly changed: Emitter<void>;
  /** Increases with every change. */
  readonly revision: number;
  /** Never rejects: a store that cannot work reports it for each result, and Tooltray continues. */
  start(): Promise<void>;
  /** Resolves when it can be used; never rejects. */
  ready(): Promise<void>;
  /**
   * Resolves when the spill would survive the end of this process. `textKind`: the kind of texts that are not JSON;
   * `sent`: what the server sent, if the result was derived from it. Rejects with AppError `spill_failed` or
   * not_allowed;
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
  /** The local file of a spill, fetched if needed; undefined if unknown. */
  fileOf(id: string, reader?: Principal): Now<SpillFile | undefined>;
  /** Newest first. */
  list(filter?: SpillFilter, reader?: Principal): Now<readonly Spill[]>;
  /** Returns the usage of the whole store. */
  usage(): Now<SpillUsage>;
  /** Returns whether the spill exists. */
  pin(id: string, pinned: boolean, reader?: Principal): Now<boolean>;
  /** Returns whether the spill existed. */
  remove(id: string, reader?: Principal): Promise<boolean>;
  /** Counts a read of the spill. */
  noteRead(spill: Pick<Spill, 'id'>): void;
  /** Deletes spills beyond age and quota. Rejects with AppError. */
  prune(): Promise<Pruned>;
  close(): Promise<void>;
}

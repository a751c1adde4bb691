/** Interface of a blob store for spills. */
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../core/base/errors.ts';

/** Unique, because an ID has 100 random bits and is never written twice. */
export interface BlobKey {
  readonly id: string;
}

/**
 * All methods reject with AppError `store_unreachable` if the store is unavailable, and `not_found` for a missing
 * object.
 */
export interface BlobStore {
  /** `bytes`: total length of the pieces. */
  put(key: BlobKey, pieces: Chunks, bytes: number, signal: AbortSignal): Promise<void>;
  /** In order, in pieces of any size. */
  read(key: BlobKey, bytes: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Succeeds even if no object exists. */
  remove(key: BlobKey, signal: AbortSignal): Promise<void>;
}

/** The bytes of a file in pieces of `length`, the last one shorter; read on demand. */
export type Chunks = (length: number) => AsyncIterable<Uint8Array>;

/** `seen` is called with each piece in order. */
export function toChunks(handle: FileHandle, bytes: number, seen: (piece: Uint8Array) => void): Chunks {
  return async function* (length) {
    for (let at = 0; at < bytes; at += length) {
      const wanted = Math.min(length, bytes - at);
      const piece = Buffer.allocUnsafe(wanted);
      const { bytesRead } = await handle.read(piece, 0, wanted, at);
      if (bytesRead !== wanted) throw new AppError('spill_failed', 'The spill file was truncated while it was read.');
      seen(piece);
      yield piece;
    }
  };
}

export function blobStoreUnreachable(what: string, cause: unknown): AppError {
  return new AppError('store_unreachable', `The ${what} is currently unreachable.`, {
    fix: 'Try again later. Administrators can find details in the log.',
    cause,
  });
}

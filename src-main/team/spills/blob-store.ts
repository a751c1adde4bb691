/** Interface of a blob store for spills. */
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../core/base/errors.ts';

/** Unique by construction: an id is of 100 random bits and never written twice. */
export interface BlobKey {
  readonly id: string;
}

/** All reject with AppError `store_unreachable` where the place is away, and `not_found` where it has no such bytes. */
export interface BlobStore {
  /** `bytes`: how many the pieces are together. */
  put(key: BlobKey, pieces: Chunks, bytes: number, signal: AbortSignal): Promise<void>;
  /** In their order, in pieces of any size. */
  read(key: BlobKey, bytes: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Succeeds even if no object exists. */
  remove(key: BlobKey, signal: AbortSignal): Promise<void>;
}

/** The bytes of a file in pieces of `length`, the last one shorter; read as they are asked for. */
export type Chunks = (length: number) => AsyncIterable<Uint8Array>;

/** `seen` is given each piece in its order. */
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

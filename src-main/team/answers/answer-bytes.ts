/** The bytes of kept answers where all replicas find them: what a place for them has to do, and PostgreSQL as one, for teams without a store of objects. */
import type { FileHandle } from 'node:fs/promises';
import type { Sql } from 'postgres';
import { AppError } from '../../core/base/errors.ts';
import { bytesInWords } from '../../core/base/wording.ts';
import { type Database, databaseError } from '../database/database.ts';
import type { BytesPlace } from './answer-rows.ts';

/** Unique by construction: an id is of 100 random bits and never written twice. */
export interface BytesKey {
  readonly tenant: string;
  readonly id: string;
}

/** All reject with AppError store_unreachable where the place is away, and not_found where it has no such bytes. */
export interface AnswerBytes {
  readonly place: BytesPlace;
  /** Rejects with AppError spill_failed for what is longer than this place takes. `bytes`: how many the pieces are together. */
  put(key: BytesKey, pieces: Pieces, bytes: number, signal: AbortSignal): Promise<void>;
  /** In their order, in pieces of any size. */
  read(key: BytesKey, bytes: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Also where there are none. */
  remove(key: BytesKey, signal: AbortSignal): Promise<void>;
}

/** The bytes of a file in pieces of `length`, the last one shorter; read as they are asked for. */
export type Pieces = (length: number) => AsyncIterable<Uint8Array>;

/** `seen` is given each piece in its order. */
export function piecesOf(handle: FileHandle, bytes: number, seen: (piece: Uint8Array) => void): Pieces {
  return async function* (length) {
    for (let at = 0; at < bytes; at += length) {
      const wanted = Math.min(length, bytes - at);
      const piece = Buffer.allocUnsafe(wanted);
      const { bytesRead } = await handle.read(piece, 0, wanted, at);
      if (bytesRead !== wanted) throw new AppError('spill_failed', 'The answer’s file became shorter meanwhile.');
      seen(piece);
      yield piece;
    }
  };
}

/** One row of bytes; 8 kB out of 200 take a tenth of a millisecond. */
const rowBytes = 256 * 1024;
/** Longer answers belong in a store of objects: a database is backed up and replicated whole. */
const longestInDatabase = 32 * 1024 * 1024;

export class DatabaseBytes implements AnswerBytes {
  readonly place = 'database';
  readonly #database: Database;
  readonly #mostBytes: number;

  constructor(database: Database, mostBytes = longestInDatabase) {
    this.#database = database;
    this.#mostBytes = mostBytes;
  }

  async put({ tenant, id }: BytesKey, pieces: Pieces, bytes: number, signal: AbortSignal): Promise<void> {
    if (bytes > this.#mostBytes) {
      throw new AppError(
        'spill_failed',
        `The answer is longer than answers in the database may be (${bytesInWords(this.#mostBytes)}).`,
        { fix: 'Ask the tool for less, or start Tooltray with a store of objects: --objects.' },
      );
    }
    let part = 0;
    for await (const piece of pieces(rowBytes)) {
      await this.#ask(
        tenant,
        signal,
        (sql) => sql`
          INSERT INTO tooltray.answer_bytes (tenant, id, part, bytes) VALUES (${tenant}, ${id}, ${part}, ${piece})`,
      );
      part++;
    }
  }

  async *read({ tenant, id }: BytesKey, bytes: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
    for (let part = 0; part * rowBytes < bytes; part++) {
      const [row] = await this.#ask(
        tenant,
        signal,
        (sql) => sql<{ bytes: Buffer }[]>`
          SELECT bytes FROM tooltray.answer_bytes WHERE tenant = ${tenant} AND id = ${id} AND part = ${part}`,
      );
      if (row === undefined) throw new AppError('not_found', 'The answer’s bytes are no longer in the database.');
      yield row.bytes;
    }
  }

  async remove({ tenant, id }: BytesKey, signal: AbortSignal): Promise<void> {
    await this.#ask(
      tenant,
      signal,
      (sql) => sql`DELETE FROM tooltray.answer_bytes WHERE tenant = ${tenant} AND id = ${id}`,
    );
  }

  async #ask<T>(tenant: string, signal: AbortSignal, work: (sql: Sql) => PromiseLike<T>): Promise<T> {
    const stopped = Promise.withResolvers<never>();
    const stop = (): void => stopped.reject(unreachable('database', signal.reason));
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      return await Promise.race([work(this.#database.of(tenant)), stopped.promise]);
    } catch (error) {
      throw signal.aborted ? unreachable('database', error) : databaseError(error);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

export function unreachable(what: string, cause: unknown): AppError {
  return new AppError('store_unreachable', `The team’s ${what} cannot be reached at the moment.`, {
    fix: 'Try again in a moment; whoever runs Tooltray sees more in its log.',
    cause,
  });
}

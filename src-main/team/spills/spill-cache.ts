/**
 * Spills on a replica's own disk, as files for readers. Each is downloaded once for all waiting readers, verified
 * before it is read, and deleted when it was unused for long or space is needed, but never while it is read. A replica
 * starts with an empty cache.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFileStem } from '../../core/edition.ts';
import { ensurePrivateDir } from '../../core/base/app-paths.ts';
import { AppError } from '../../core/base/errors.ts';

export interface CacheLimits {
  /** Total size limit in bytes; a larger file is kept while it is read. */
  readonly maxTotalBytes: number;
  /** Files unused for this time are deleted, in ms. */
  readonly maxIdleMs: number;
}

export interface CachedSpill {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: Buffer;
}

interface Entry {
  readonly name: string;
  readonly bytes: number;
  usedAt: number;
  /** Recorded when the file was written. */
  readonly identity: string;
}

/** Downloads the bytes from the shared store. */
export type Fetch = () => AsyncIterable<Uint8Array>;

/** An open file; the caller disposes it. */
export interface CachedFile extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Its path on this replica. */
  readonly path: string;
}

export class SpillCache {
  /** Entries in order of use, most recent last. */
  readonly #entries = new Map<string, Entry>();
  readonly #folder: string;
  readonly #limits: CacheLimits;
  readonly #now: () => number;
  readonly #downloads = new Map<string, Promise<void>>();
  /** Number of readers, including waiting ones, by ID. */
  readonly #refCounts = new Map<string, number>();
  #downloadingBytes = 0;

  constructor(folder: string, limits: CacheLimits, now: () => number) {
    this.#folder = folder;
    this.#limits = limits;
    this.#now = now;
  }

  /** Deletes the files of an earlier run. Rejects with file system errors. */
  async start(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    this.prepare();
  }

  /** Recreates the folder if it was deleted. Throws AppError. */
  prepare(): void {
    ensurePrivateDir(this.#folder);
  }

  get bytes(): number {
    return [...this.#entries.values()].reduce((sum, { bytes }) => sum + bytes, this.#downloadingBytes);
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  /** Adds a file that was just written. */
  async add({ id, name, bytes }: Omit<CachedSpill, 'sha256'>): Promise<void> {
    const identity = identityOf(await stat(this.path(name)));
    this.#entries.set(id, { name, bytes, usedAt: this.#now(), identity });
    await this.evict();
  }

  /** Rejects as `fetch` does, and with AppError `spill_failed` if the bytes do not match the digest. */
  async open(answer: CachedSpill, fetch: Fetch): Promise<CachedFile> {
    const { id } = answer;
    this.#refCounts.set(id, (this.#refCounts.get(id) ?? 0) + 1);
    try {
      // The first reader fetches and verifies the file; the others wait for it.
      await (this.#downloads.get(id) ?? this.#fetch(answer, fetch));
      const handle = await openPlain(this.path(answer.name));
      this.#use(id);
      const dispose = async (): Promise<void> => {
        await handle.close();
        this.#release(id);
        await this.evict();
      };
      return { handle, path: this.path(answer.name), [Symbol.asyncDispose]: dispose };
    } catch (error) {
      this.#release(id);
      throw error;
    }
  }

  /** Called when spills are deleted everywhere. */
  async drop(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#remove(id);
  }

  /** Deletes files that are too old or too large in total, least recently used first. */
  async evict(): Promise<void> {
    const { maxTotalBytes, maxIdleMs } = this.#limits;
    const now = this.#now();
    for (const [id, { usedAt }] of [...this.#entries]) {
      if (this.bytes <= maxTotalBytes && now - usedAt <= maxIdleMs) break;
      if (!this.#refCounts.has(id)) await this.#remove(id);
    }
  }

  #fetch(answer: CachedSpill, fetch: Fetch): Promise<void> {
    const arriving = this.#present(answer, fetch).finally(() => this.#downloads.delete(answer.id));
    this.#downloads.set(answer.id, arriving);
    return arriving;
  }

  async #present(answer: CachedSpill, fetch: Fetch): Promise<void> {
    const stats = await stat(this.path(answer.name)).catch(() => undefined);
    if (stats !== undefined && this.#entries.get(answer.id)?.identity === identityOf(stats)) return;
    this.#entries.delete(answer.id);
    this.#downloadingBytes += answer.bytes;
    try {
      await this.#download(answer, fetch);
    } finally {
      this.#downloadingBytes -= answer.bytes;
    }
  }

  /** Under a temporary name until complete and verified. */
  async #download({ id, name, bytes, sha256 }: CachedSpill, fetch: Fetch): Promise<void> {
    this.prepare();
    await this.evict();
    const draft = `${tempFileStem(this.#folder)}-0.tmp`;
    try {
      const hash = createHash('sha256');
      let written = 0;
      await using file = await open(draft, 'wx', 0o600);
      for await (const chunk of fetch()) {
        hash.update(chunk);
        written += chunk.length;
        if (written > bytes) break;
        await writeAll(file, chunk);
      }
      if (written !== bytes || !hash.digest().equals(sha256)) throw corruptedError(id);
      await rename(draft, this.path(name));
      const identity = identityOf(await file.stat());
      this.#entries.set(id, { name, bytes, usedAt: this.#now(), identity });
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  #use(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.usedAt = this.#now();
    this.#entries.delete(id);
    this.#entries.set(id, entry);
  }

  #release(id: string): void {
    const left = (this.#refCounts.get(id) ?? 1) - 1;
    if (left === 0) this.#refCounts.delete(id);
    else this.#refCounts.set(id, left);
  }

  async #remove(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    if (entry !== undefined) await rm(this.path(entry.name), { force: true });
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
}

function openPlain(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
}

interface Identity {
  readonly ino: number;
  readonly mtimeMs: number;
  readonly size: number;
}

/** A replaced or modified file has a different identity. */
function identityOf({ ino, mtimeMs, size }: Identity): string {
  return `${ino}:${mtimeMs}:${size}`;
}

function corruptedError(id: string): AppError {
  return new AppError('spill_failed', `The spilled result "${id}" is corrupted in the spill store.`, {
    fix: 'Call the tool again.',
  });
}

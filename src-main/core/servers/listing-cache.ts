/**
 * Caches each server's last listing on disk: after a start, `tools/list` returns real tools while servers are still
 * starting. Keyed by the SHA-256 of the config entry, so a changed entry never gets an old listing.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { isObject, parseJson } from '../base/json.ts';
import type { Handshake } from './handshake.ts';
import { emptyListing, type Listing } from './listing.ts';

export interface CachedListing {
  readonly hash: string;
  /** When it was read, in ms since 1970. */
  readonly at: number;
  readonly handshake: Handshake;
  readonly listing: Listing;
  /** Methods of the server's earlier requests to its client. */
  readonly asks: readonly string[];
  /** Whether it supports 2026-07-28 and rejects `initialize`. */
  readonly refusesHandshake?: boolean;
}

const formatVersion = 1;

export class ListingCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The cached listing of an entry; undefined if there is no valid one. */
  async read(hash: string): Promise<CachedListing | undefined> {
    try {
      const value = parseJson(await readFile(this.#file(hash), 'utf8'));
      return isCached(value) && value.hash === hash ? value : undefined;
    } catch {
      return undefined;
    }
  }

  async write(cached: CachedListing): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFileAtomic(this.#file(cached.hash), JSON.stringify({ version: formatVersion, ...cached }), {
      mode: 0o600,
    });
  }

  #file(hash: string): string {
    return join(this.#folder, `${hash}.json`);
  }
}

/** Rejects a file that is truncated, or written by another version or by hand. */
function isCached(value: unknown): value is CachedListing {
  if (!isObject(value) || value['version'] !== formatVersion) return false;
  const { handshake, listing, asks } = value;
  return (
    isObject(handshake) &&
    isObject(handshake['capabilities']) &&
    isObject(listing) &&
    [asks, ...Object.keys(emptyListing).map((key) => listing[key])].every(Array.isArray)
  );
}

/** Finds the file that a model names: a spill by id, URI or path, or a file in a folder that the user permitted. */
import { lstatSync, realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import { AppError } from '../base/errors.ts';
import { assertPathName, isInside, displayPath } from '../security/file-paths.ts';
import { openConfined, type OpenedFile } from '../security/open-confined.ts';
import { canAccess, type Principal } from '../security/principal.ts';
import {
  noProtectedPaths,
  type ProtectedPaths,
  assertNotProtected,
  assertNotProtectedLink,
  resolveProtectedPaths,
} from '../security/protected-paths.ts';
import { kindOfExtension } from './spill-writer-messages.ts';
import { isSpillId, looksBinary, type OpenedSpill, type Spill } from './spill.ts';

/** The part of the index that the finder uses. */
interface KnownSpills {
  byId(id: string): Spill | undefined;
  byName(name: string): Spill | undefined;
}

const ownUri = 'tooltray://spill/';
const anyUri = /^[a-z][a-z0-9+.-]*:\/\//i;
const howToAllow = 'Use the ID of a spilled result, or ask the user to allow a folder in the config: results.folders.';

export class SpillFinder {
  readonly #folder: string;
  readonly #known: KnownSpills;
  readonly #own: ProtectedPaths;

  /** `own`: paths that are always refused. */
  constructor(folder: string, known: KnownSpills, own: ProtectedPaths = noProtectedPaths) {
    this.#folder = folder;
    this.#known = known;
    this.#own = own;
  }

  /** An existing spill; undefined for anything else. */
  find(ref: string): Spill | undefined {
    const spill = this.#named(ref);
    if (spill === undefined) return undefined;
    try {
      const stats = lstatSync(spill.file);
      return stats.isFile() && stats.nlink === 1 ? spill : undefined;
    } catch {
      return undefined;
    }
  }

  /** Reports another owner's spill as unknown. Rejects with AppError `not_found`, `not_allowed` or `bad_request`. */
  async open(ref: string, folders: readonly string[], reader: Principal): Promise<OpenedSpill> {
    const id = idIn(ref);
    const spill = id === undefined ? undefined : this.#known.byId(id);
    if (id !== undefined && (spill === undefined || !canAccess(reader, spill.owner))) throw spillNotFoundError(id);
    if (id === undefined && anyUri.test(ref)) throw noUri(ref);
    const path = spill?.file ?? ref;
    const roots = [this.#folder, ...folders];
    const opened = await openConfined(roots, path).catch((error: unknown) => {
      throw this.#refusal(error, path);
    });
    try {
      return await this.#opened(opened, path, reader);
    } catch (error) {
      await opened.handle.close();
      throw error;
    }
  }

  async #opened({ handle, real, stats }: OpenedFile, path: string, reader: Principal): Promise<OpenedSpill> {
    const store = await realpath(this.#folder);
    const spill = dirname(real) === store ? this.#known.byName(basename(real)) : undefined;
    // The index and unfinished files are in the same folder.
    const isTheirs = spill !== undefined && canAccess(reader, spill.owner);
    if (!isTheirs && isInside(store, real)) throw spillNotFoundError(path);
    if (spill === undefined) {
      const own = await resolveProtectedPaths(this.#own);
      assertNotProtected(own, real, path);
      await assertNotProtectedLink(own, stats, path);
    }
    if (spill !== undefined && stats.nlink > 1) {
      throw new AppError(
        'not_allowed',
        `"${displayPath(path)}" has another hard link, so it is not accepted as a spilled result.`,
      );
    }
    const kind =
      spill?.kind ?? kindOfExtension(extname(real).slice(1)) ?? ((await looksBinary(handle)) ? 'binary' : 'text');
    const close = (): Promise<void> => handle.close();
    return { handle, file: real, kind, bytes: stats.size, spill, [Symbol.asyncDispose]: close };
  }

  #named(ref: string): Spill | undefined {
    const id = idIn(ref);
    if (id !== undefined) return this.#known.byId(id);
    try {
      assertPathName(ref, process.platform);
      const real = realpathSync(isAbsolute(ref) ? ref : join(this.#folder, ref));
      return dirname(real) === realpathSync(this.#folder) ? this.#known.byName(basename(real)) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The rules for paths say how to permit a folder for other tools; here another setting does it. */
  #refusal(error: unknown, path: string): AppError {
    if (!(error instanceof AppError))
      return new AppError('not_found', `"${displayPath(path)}" cannot be read.`, { cause: error });
    if (error.code === 'not_found') return spillNotFoundError(path, error);
    if (error.code !== 'not_allowed') return error;
    return new AppError(error.code, error.message, { fix: howToAllow, cause: error });
  }
}

/** Returns the id in a short id or its URI; undefined for anything else. */
export function idIn(ref: string): string | undefined {
  const id = ref.startsWith(ownUri) ? ref.slice(ownUri.length) : ref;
  return isSpillId(id) ? id : undefined;
}

export function spillNotFoundError(name: string, cause?: unknown): AppError {
  return new AppError('not_found', `No spill with the ID "${displayPath(name)}"; it may have expired.`, {
    fix: 'Call the tool again, or list the spills: tooltray spill list.',
    cause,
  });
}

function noUri(ref: string): AppError {
  return new AppError('bad_request', `"${displayPath(ref)}" is not a path.`, {
    fix: 'Give the path of a file, or the ID of a spill.',
  });
}

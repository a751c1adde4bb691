/** Digests of files, cached until the operating system reports a change. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** For larger files, size and time stand for the content. In bytes. */
const maxDigested = 64 * 1024 * 1024;
/** Maximum number of remembered files; the oldest are dropped first. */
const maxCachedFiles = 200;

/** Undefined for a command found on the PATH, or for a missing file. Never rejects. */
export async function digestFile(file: string): Promise<string | undefined> {
  try {
    const { size, mtimeMs } = await stat(file);
    if (size > maxDigested) return `${size} bytes of ${new Date(mtimeMs).toISOString()}`;
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    return `sha256:${hash.digest('hex')}`;
  } catch {
    return undefined;
  }
}

/** For display only; decisions read the file itself. */
export class FileDigestCache {
  readonly #known = new Map<string, { readonly state: string; readonly digest: string | undefined }>();
  readonly #digest: typeof digestFile;

  constructor(digest: typeof digestFile = digestFile) {
    this.#digest = digest;
  }

  readonly of = async (file: string): Promise<string | undefined> => {
    const before = await stateOf(file);
    const known = this.#known.get(file);
    if (known !== undefined && known.state === before) return known.digest;
    const digest = await this.#digest(file);
    this.#known.delete(file);
    // A file that changed during the read is read again.
    if (before !== undefined && before === (await stateOf(file))) this.#known.set(file, { state: before, digest });
    for (const oldest of [...this.#known.keys()].slice(0, -maxCachedFiles)) this.#known.delete(oldest);
    return digest;
  };
}

/** Uses ctime, which cannot be set back as mtime can. Undefined: no such file. */
async function stateOf(file: string): Promise<string | undefined> {
  const stats = await stat(file, { bigint: true }).catch(() => undefined);
  return stats && [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}

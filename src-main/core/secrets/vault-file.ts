/** The vault file: its keys and their locations, and the values encrypted with them. Replaced atomically. */
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { ensurePrivateDir } from '../base/app-paths.ts';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { AppError } from '../base/errors.ts';
import { withSqliteLock } from '../base/file-lock.ts';

const word = z.string().min(1).max(300);

/** The location of a key: the system's keychain, a private file next to the vault, or here under a passphrase. */
const keyPlace = z.discriminatedUnion('place', [
  z.object({ place: z.literal('keychain') }),
  z.object({ place: z.literal('file') }),
  z.object({
    place: z.literal('passphrase'),
    stretching: z.object({
      salt: word,
      N: z
        .number()
        .int()
        .min(2)
        .max(2 ** 20),
      r: z.number().int().min(1).max(16),
      p: z.number().int().min(1).max(16),
    }),
    sealed: word,
  }),
]);

const entry = z.object({
  /** Id of the key that it is encrypted with. */
  key: word,
  sealed: z.string(),
  /** ms since 1970. */
  changedAt: z.number(),
});

const shape = z.object({
  version: z.literal(1),
  /** Id of the key for new values. */
  current: word,
  keys: z.record(word, keyPlace),
  entries: z.record(word, entry),
});

export type VaultData = Readonly<z.infer<typeof shape>>;
export type KeyPlace = z.infer<typeof keyPlace>;

/** In bytes; a thousand sign-ins take a few megabytes. */
const maxBytes = 16 * 1024 * 1024;
/** A keychain dialog may be open meanwhile; a dead holder is noticed at once. */
const lockTimes = { staleMs: 90_000, waitMs: 60_000 };

export class VaultFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Resolves to undefined if no secret was ever stored. Rejects with AppError `secret_locked` if the file cannot be
   * read; it stays unchanged then.
   */
  async read(): Promise<VaultData | undefined> {
    let text: string;
    try {
      const { size } = await stat(this.path);
      if (size > maxBytes) throw new Error('it is too large');
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw unreadable(this.path, error);
    }
    try {
      return shape.parse(JSON.parse(text), { jitless: true });
    } catch (error) {
      throw unreadable(this.path, error);
    }
  }

  /** Stores the result of `change`, excluding other processes meanwhile. Rejects as `read` and `change` do. */
  async update<T>(change: (data: VaultData | undefined) => Promise<readonly [VaultData | undefined, T]>): Promise<T> {
    ensurePrivateDir(dirname(this.path));
    const update = async (): Promise<T> => {
      const before = await this.read();
      const [after, result] = await change(before);
      if (after !== undefined && after !== before) {
        const text = `${JSON.stringify(after)}\n`;
        if (Buffer.byteLength(text) > maxBytes) throw new AppError('not_allowed', 'The vault is full.');
        await writeFileAtomic(this.path, text, { mode: 0o600 });
      }
      return result;
    };
    return withSqliteLock(this.path, update, lockTimes).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'config_conflict' ? busy(error) : error;
    });
  }
}

function unreadable(path: string, cause: unknown): AppError {
  return new AppError('secret_locked', `The vault for secrets, ${path}, cannot be read.`, {
    fix: 'It was not changed. Restore a backup, or move it away to create a new one.',
    cause,
  });
}

function busy(cause: AppError): AppError {
  return new AppError('secret_locked', 'Another process is still writing to the vault.', {
    fix: 'Try again.',
    cause,
  });
}

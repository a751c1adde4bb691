/** Changes a config file without losing an edit of another process or of a user's editor. */
import { readFile, realpath } from 'node:fs/promises';
import { rotateBackups, writeFileAtomic } from '../base/atomic-file.ts';
import { AppError, toAppError } from '../base/errors.ts';
import { ConfigDocument } from './config-document.ts';
import { withSqliteLock } from '../base/file-lock.ts';

/** Number of backups: `.bak`, `.bak.1` … `.bak.4`. */
const backupCount = 5;
/** Number of attempts; a user who saves in an editor interferes once, rarely twice. */
const maxAttempts = 20;

/**
 * Reads the file (a missing one counts as `missing`), applies `edit`, and writes the result if the file is unchanged;
 * otherwise applies the edit to the new text. Returns the text in the file. Throws as `edit` does, `config_invalid` if
 * the result is not JSONC, `config_conflict` if the file keeps changing or stays locked.
 */
export async function updateConfigFile(
  path: string,
  edit: (text: string) => string,
  /** Receives the text before it is written, while the file is locked. */
  beforeWrite: (before: string, after: string) => Promise<void> = () => Promise.resolve(),
  missing = '',
): Promise<string> {
  const target = await realpath(path).catch(() => path);
  return withSqliteLock(target, async () => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const before = await readOrNothing(target);
      const after = edit(before ?? missing);
      if (after === before) return after;
      requireReadable(after, path);
      await beforeWrite(before ?? missing, after);
      await rotateBackups(target, backupCount);
      if (await writeFileAtomic(target, after, { beforeReplace: async () => (await readOrNothing(target)) === before }))
        return after;
    }
    throw new AppError(
      'config_conflict',
      `${path} is repeatedly changed by another program, so the edit was not made.`,
      {
        fix: 'Close other programs that write this file, then retry.',
      },
    );
  });
}

async function readOrNothing(path: string): Promise<string | undefined> {
  return readConfigText(path).catch((error: unknown) => {
    if (toAppError(error).code === 'config_not_found') return undefined;
    throw error;
  });
}

function requireReadable(text: string, path: string): void {
  const { root, problems } = new ConfigDocument(text, path);
  if (root !== undefined) return;
  throw new AppError('config_invalid', `The edit would make ${path} invalid: ${problems[0]?.reason ?? ''}`, {
    fix: 'Nothing was changed.',
  });
}

// Reads the text of a config file from disk.

/**
 * Byte order mark and line ends stay unchanged. Throws AppError `config_not_found` if there is no file,
 * `config_invalid` if it is not UTF-8 text.
 */
export async function readConfigText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new AppError('config_not_found', `No config file at ${path}.`, {
      fix: 'Check the path.',
      cause: error,
    });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new AppError('config_invalid', `${path} is not UTF-8 text.`, {
      fix: 'Save it as UTF-8 in your editor.',
      cause: error,
    });
  }
}

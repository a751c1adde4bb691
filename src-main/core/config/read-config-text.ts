/** Reads the text of a config file from disk. */
import { readFile } from 'node:fs/promises';
import { AppError } from '../base/errors.ts';

/**
 * Byte order mark and line ends as they are. Throws AppError `config_not_found` when there is no file, `config_invalid` when
 * it is not UTF-8 text.
 */
export async function readConfigText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new AppError('config_not_found', `There is no config file at ${path}.`, {
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

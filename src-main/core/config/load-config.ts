/** Reads a config file from disk. */
import { readFile } from 'node:fs/promises';
import { AppError } from '../base/errors.ts';
import type { AppConfig } from './app-config.ts';
import { type ConfigReading, readConfig } from './read-config.ts';
import type { Environment } from './replace-variables.ts';

/**
 * The config and everything that should be mended in the file; no config when the file as a whole cannot be read.
 * Throws AppError `config_not_found` when there is no file, `config_invalid` when it is not UTF-8 text.
 */
export async function loadConfig(path: string, env: Environment, lastGood?: AppConfig): Promise<ConfigReading> {
  return readConfig(await readConfigText(path), path, env, lastGood);
}

/** The text of the file, byte order mark and line ends as they are. Throws as loadConfig does. */
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

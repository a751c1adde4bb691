/** Reads a registry from a file on this computer: the JSON of a list, in the format of the API. */
import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorText } from '../base/errors.ts';
import { isObject, tryParseJson } from '../base/json.ts';
import { formatBytes } from '../base/text-format.ts';
import type { RegistryConfig } from '../config/app-config.ts';
import { registryError, registryLimits } from './registry-client.ts';

/** Returns the path of a registry that is a file; undefined for one on the network. */
export function registryFilePath({ url }: RegistryConfig): string | undefined {
  if (url.startsWith('file:')) return fileURLToPath(url);
  if (url.startsWith('~/')) return join(homedir(), url.slice(2));
  return /^(?:\/|[A-Za-z]:[\\/])/.test(url) ? url : undefined;
}

/** Returns the items as written. Rejects with AppError `registry_failed`. */
export async function readRegistryFile(place: RegistryConfig, file: string): Promise<readonly unknown[]> {
  const { bytes } = registryLimits;
  const { size } = await stat(file).catch((error: unknown) => {
    throw registryError(place, `its file cannot be read (${errorText(error)})`, error);
  });
  if (size > bytes) throw registryError(place, `its file is longer than ${formatBytes(bytes)}`);
  const items = serverItems(await readFile(file, 'utf8').then(tryParseJson));
  if (items === undefined) throw registryError(place, 'its file is not a list of servers');
  return items;
}

/** Returns the servers of a plain list or of an API response; undefined for anything else. */
export function serverItems(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as unknown[];
  return isObject(value) && Array.isArray(value['servers']) ? (value['servers'] as unknown[]) : undefined;
}

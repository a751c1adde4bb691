/** Finds files of Tooltray that still contain a value in plain text: backups and records from before it was moved. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Maximum number of files, and maximum size of one; larger ones are call records, which are masked when written. */
const maxFiles = 2000;
const maxBytes = 8 * 1024 * 1024;

/** Searches the folders, files next to the config with the same name prefix, and `more`. Never rejects. */
export async function filesContaining(
  values: readonly string[],
  configFile: string,
  folders: readonly string[],
  more: readonly string[] = [],
): Promise<readonly string[]> {
  const wanted = [...new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))];
  const beside = await readdir(dirname(configFile)).catch(() => []);
  const start = configFile.slice(dirname(configFile).length + 1);
  const own = beside.filter((name) => name.startsWith(start)).map((name) => join(dirname(configFile), name));
  const below = await Promise.all(folders.map(filesBelow));
  const holding: string[] = [];
  for (const file of [...new Set([...own, ...more, ...below.flat()])].slice(0, maxFiles)) {
    if (await holds(file, wanted)) holding.push(file);
  }
  return holding.sort();
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function holds(file: string, wanted: readonly string[]): Promise<boolean> {
  try {
    const { size } = await stat(file);
    if (size > maxBytes) return false;
    const bytes = await readFile(file);
    return wanted.some((value) => bytes.includes(value));
  } catch {
    return false;
  }
}

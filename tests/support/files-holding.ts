/** Finds files that contain a planted text. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Every file below a folder that contains the text, in order. */
export async function filesHolding(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // A draft may have been renamed to the final file, which is listed separately.
  const read = (file: string): Promise<Buffer> => readFile(file).catch(ifGone);
  const holding = await Promise.all(files.map(async (file) => ((await read(file)).includes(text) ? [file] : [])));
  return holding.flat().sort();
}

function ifGone(error: NodeJS.ErrnoException): Buffer {
  if (error.code === 'ENOENT') return Buffer.alloc(0);
  throw error;
}

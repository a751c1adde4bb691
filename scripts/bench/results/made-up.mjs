/** Contents of long answers and of the files that are read in, a piece of about 64 kB that is repeated. */
import { open } from 'node:fs/promises';

const pieceBytes = 64 * 1024;
const base64 = Buffer.from(Uint8Array.from({ length: (pieceBytes / 4) * 3 }, (_, at) => (at * 7919) % 251)).toString(
  'base64',
);
const words = 'the quick brown fox jumps over the lazy dog while zwölf Boxkämpfer jagen ';

/** The elements of a JSON array with a comma behind each; lines of text or of CSV; base64 without padding. */
export function pieceOf(kind) {
  if (kind === 'image') return base64;
  const lines = { text: (at) => `${at} ${words}\n`, csv: (at) => `${Object.values(element(at)).join(',')}\n` };
  const one = lines[kind] ?? ((at) => `${JSON.stringify(element(at))},`);
  return Array.from({ length: Math.ceil(pieceBytes / one(0).length) }, (_, at) => one(at)).join('');
}

function element(at) {
  return {
    id: at,
    name: `item ${at}`,
    path: `/srv/data/folder-${at % 17}/file-${at}.txt`,
    size: at * 31,
    done: at % 3 === 0,
  };
}

/** Writes a file of that size or a little more; `last` stands on its last line, or is its last element. */
export async function writeFileOf(path, kind, bytes, last) {
  await using file = await open(path, 'w', 0o600);
  const piece = Buffer.from(pieceOf(kind).repeat(16));
  if (kind === 'json') await file.write('[');
  if (kind === 'csv') await file.write(`${Object.keys(element(0)).join(',')}\n`);
  for (let written = 0; written < bytes; written += piece.length) await file.write(piece);
  await file.write(kind === 'json' ? `${JSON.stringify(last)}]` : `${last}\n`);
}

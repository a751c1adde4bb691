/**
 * Says whether something made earlier still fits what it was made from, by content: git sets file times as it likes.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** SHA-256 (hex) of the names and contents of files and folders; one that is missing counts as such. */
export function hashOf(root, names) {
  const hash = createHash('sha256');
  for (const name of names) {
    for (const file of filesUnder(join(root, name))) {
      hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
    }
  }
  return hash.digest('hex');
}

export function hasStamp(file, value) {
  return existsSync(file) && readFileSync(file, 'utf8') === value;
}

export function writeStamp(file, value) {
  writeFileSync(file, value);
}

function filesUnder(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((entry) => filesUnder(join(path, entry)));
}

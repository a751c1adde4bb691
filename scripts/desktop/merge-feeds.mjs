/**
 * Puts the files of several build jobs into one folder. Update feeds (latest*.yml) of the same name, of two
 * architectures, become one: electron-updater picks the file for its own architecture.
 * `node scripts/desktop/merge-feeds.mjs FROM TO`
 */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { parse, stringify } from 'yaml';

const [from, to] = process.argv.slice(2);
if (to === undefined) throw new Error('Usage: node scripts/desktop/merge-feeds.mjs FROM TO');
mkdirSync(to, { recursive: true });
for (const path of globSync('**/*.{deb,AppImage,dmg,zip,exe,blockmap,yml}', { cwd: from })) {
  const source = join(from, path);
  const target = join(to, basename(path));
  const isFeed = target.endsWith('.yml');
  if (isFeed && existsSync(target)) merge(source, target);
  else if (existsSync(target)) throw new Error(`Two builds have a file called ${basename(path)}.`);
  else cpSync(source, target);
}

function merge(source, target) {
  const [one, other] = [target, source].map((file) => parse(readFileSync(file, 'utf8')));
  if (one.version !== other.version) throw new Error(`${basename(target)}: ${one.version} beside ${other.version}.`);
  writeFileSync(target, stringify({ ...one, files: [...one.files, ...other.files] }));
}

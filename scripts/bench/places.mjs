/** Where things lie, and the command lines of what is measured. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const node = process.execPath;

export const root = join(here, '..', '..');
export const cacheDir = join(root, '.cache', 'bench');
mkdirSync(cacheDir, { recursive: true });

/** `--dist DIR` measures another build. */
const at = process.argv.indexOf('--dist');
const dist = at < 0 ? join(root, 'dist') : process.argv[at + 1];

export const cli = join(dist, 'cli.js');
export const shim = join(dist, 'shim.cjs');

export function fixture(name) {
  return [node, join(root, 'tests', 'fixtures', 'servers', `${name}.ts`)];
}

export function floor(name) {
  return [node, join(here, 'floor', `${name}.mjs`)];
}

/** A command line as a config entry. */
export function entry([command, ...args]) {
  return { command, args };
}

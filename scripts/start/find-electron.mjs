/** Finds Electron's binary, or fetches it where its place of download answers. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** A network that is there answers sooner, in ms. */
const graceMs = 4_000;
const downloadMs = 10 * 60_000;

/** Answers with its path, or with why there is none. */
export async function findElectron(root) {
  const folder = join(root, 'node_modules', 'electron');
  if (!existsSync(folder)) return { why: 'the package "electron" is not installed' };
  const found = binaryOf(folder);
  if (found !== undefined) return { program: found };
  const source = downloadSource(process.env);
  if (!(await answers(source))) return { why: `Electron is not here yet and ${new URL(source).host} does not answer` };
  console.log('Fetching Electron (about 115 MB, once) …');
  const { status } = spawnSync(process.execPath, [join(folder, 'install.js')], {
    stdio: 'inherit',
    timeout: downloadMs,
  });
  const fetched = binaryOf(folder);
  return status === 0 && fetched !== undefined ? { program: fetched } : { why: 'Electron could not be fetched' };
}

/** Mirrors are named as for Electron's own installer. */
export function downloadSource({ ELECTRON_MIRROR, npm_config_electron_mirror: mirror }) {
  return ELECTRON_MIRROR || mirror || 'https://github.com/electron/electron/releases/';
}

/** The binary that the package would start; undefined if that is not there. */
export function binaryOf(folder, env = process.env) {
  const named = join(folder, 'path.txt');
  const name = existsSync(named) ? readFileSync(named, 'utf8').trim() : undefined;
  const override = env.ELECTRON_OVERRIDE_DIST_PATH;
  const program = override ? join(override, name ?? 'electron') : join(folder, 'dist', name ?? '');
  return (override || name) && existsSync(program) ? program : undefined;
}

async function answers(url) {
  try {
    await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(graceMs) });
    return true;
  } catch {
    return false;
  }
}

/** Which Node runs what: set-up takes any from 20 on, everything else wants the pinned Node 24. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** The oldest Node that runs Tooltray: JSON.rawJSON, type stripping and node:sqlite without a flag. */
const oldest = [24, 15];

export function runsTooltray(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

/** Path of the Node to build with: the pinned one, else this one if it is new enough, else undefined. */
export function findNode(root) {
  const pinned = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(pinned)) return pinned;
  return runsTooltray() ? process.execPath : undefined;
}

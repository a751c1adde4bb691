/** Packs the built app for Linux with the project's own configuration, around a fake Electron. */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { extractAll } from '@electron/asar';
import { makeElectronFolder } from './electron-folder.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

export interface Packed {
  /** Contains everything of this run; deleted afterwards. */
  readonly folder: string;
  /** The installed app. */
  readonly unpacked: string;
  /** The extracted archive. */
  readonly app: string;
  readonly release: string;
  readonly log: string;
}

export async function pack(targets: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-package-'));
  const release = join(folder, 'release');
  const electron = join(folder, 'electron');
  await makeElectronFolder(electron, join(folder, 'default-app'));
  const require = createRequire(import.meta.url);
  const builder = join(dirname(require.resolve('electron-builder/package.json')), 'cli.js');
  const { version } = require('electron/package.json') as { version: string };
  const overrides = { electronDist: electron, electronVersion: version, 'directories.output': release };
  const words = Object.entries(overrides).map(([name, value]) => `-c.${name}=${value}`);
  const { stdout, stderr } = await run(
    process.execPath,
    [builder, '--linux', ...targets, '--publish', 'never', ...words],
    { cwd: root, env: { ...process.env, ...env }, timeout: 240_000 },
  );
  const unpacked = join(release, 'linux-unpacked');
  const app = join(folder, 'app');
  extractAll(join(unpacked, 'resources/app.asar'), app);
  return { folder, unpacked, app, release, log: stdout + stderr };
}

/**
 * A fake unpacked Electron: what the packager requires, around a script that starts the stand-in. Everything but the
 * runtime itself is packed as in a release, without downloading Electron.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPackage } from '@electron/asar';

const insideArchive = join(import.meta.dirname, 'inside-archive.mjs');
const standIn = join(import.meta.dirname, '../stand-in/bin/electron');
/** Marks the position of Electron's fuses: version, number of fuses, and one character each. */
const fuseMark = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const fuses = '101100011';

/** The script starts the app in APP_FOLDER: the archive's contents, extracted by the test. */
export async function makeElectronFolder(folder: string, extra: string): Promise<void> {
  mkdirSync(join(folder, 'resources'), { recursive: true });
  const script = [
    '#!/bin/sh',
    // Electron reads archives as Node.js, too.
    `if [ -n "$ELECTRON_RUN_AS_NODE" ]; then exec '${standIn}' --import '${insideArchive}' "$@"; fi`,
    `STAND_IN_PROGRAM=$(readlink -f "$0") exec '${standIn}' "$APP_FOLDER" "$@"`,
    '',
  ].join('\n');
  const wire = Buffer.concat([Buffer.from(fuseMark), Buffer.from([1, fuses.length]), Buffer.from(fuses)]);
  const program = join(folder, 'electron');
  writeFileSync(program, Buffer.concat([Buffer.from(script), wire]));
  chmodSync(program, 0o755);
  for (const name of ['LICENSE', 'resources.pak', 'chrome_100_percent.pak']) writeFileSync(join(folder, name), '');
  mkdirSync(join(folder, 'locales'));
  writeFileSync(join(folder, 'locales/en-US.pak'), '');
  mkdirSync(extra, { recursive: true });
  writeFileSync(join(extra, 'main.js'), '');
  await createPackage(extra, join(folder, 'resources/default_app.asar'));
}

/** The fuses of a packed program, in the order of Electron's list. */
export function fusesOf(program: Buffer): string {
  const at = program.indexOf(fuseMark) + fuseMark.length;
  return program.subarray(at + 2, at + 2 + fuses.length).toString();
}

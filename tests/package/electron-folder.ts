/**
 * An unpacked Electron that is none: what the packer wants to find, around a script that starts the stand-in. With it
 * everything but the runtime itself is packed as in a release, on a machine that cannot fetch Electron.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPackage } from '@electron/asar';

const insideArchive = join(import.meta.dirname, 'inside-archive.mjs');
const standIn = join(import.meta.dirname, '../stand-in/bin/electron');
/** Marks where Electron keeps its fuses: then version, number of fuses, and one character for each. */
const fuseMark = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const fuses = '101100011';

/** As itself the script starts the app that APP_FOLDER names: the archive's content, taken out by the test. */
export async function makeElectronFolder(folder: string, extra: string): Promise<void> {
  mkdirSync(join(folder, 'resources'), { recursive: true });
  const script = [
    '#!/bin/sh',
    // As Node.js, too, Electron reads what is in archives.
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

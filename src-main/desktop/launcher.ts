/** Writes the launcher into a folder of the person's own and mends it at each start: client apps keep its path for good. */
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../core/base/atomic-file.ts';
import { backgroundFlag, textOf } from './desktop-settings.ts';

interface AppLocation {
  /** Path of the running executable. */
  readonly program: string;
  /** Folder of what is packed beside the app. */
  readonly resources: string;
  /** The AppImage that we run from. */
  readonly appImage: string | undefined;
  /** The checkout that we run from; Electron is told which app to be. */
  readonly checkout: string | undefined;
}

interface LauncherKeeping {
  readonly platform: NodeJS.Platform;
  /** The app will be where it is now; else a launcher that still finds another one is left as it is. */
  readonly isLasting: boolean;
}

/** macOS runs what was downloaded and never moved from a random folder. */
export function isTranslocated(program: string): boolean {
  return program.includes('/AppTranslocation/');
}

export function launcherFacts({ program, resources, appImage, checkout }: AppLocation): LauncherFacts {
  const appWords = [backgroundFlag];
  if (appImage !== undefined) return { program: appImage, shim: 'in-appimage', appWords };
  if (checkout === undefined) return { program, shim: { file: join(resources, 'shim', 'shim.cjs') }, appWords };
  return { program, shim: { file: join(checkout, 'dist', 'shim.cjs') }, appWords: [checkout, ...appWords] };
}

/** Resolves to whether the file had to be written. */
export async function keepLauncher(
  file: string,
  facts: LauncherFacts,
  { platform, isLasting }: LauncherKeeping,
): Promise<boolean> {
  const text = platform === 'win32' ? windowsLauncher(facts) : unixLauncher(facts);
  const before = textOf(file);
  if (before !== undefined) chmodSync(file, 0o755);
  if (before === text || (!isLasting && before !== undefined && existsSync(programOf(before) ?? ''))) return false;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  await writeFileAtomic(file, text, { mode: 0o755 });
  return true;
}

/**
 * The text of the launcher: what client apps start where Tooltray is installed as an app. It runs the bundled shim with
 * the app's own executable as Node.js, says what to do where the app is gone, and names the app as what starts a core.
 */
export interface LauncherFacts {
  /** The app's executable, or its AppImage. */
  readonly program: string;
  /** Folder of shim.cjs; an AppImage has it inside, at a place of its own at each start. */
  readonly shim: { readonly file: string } | 'in-appimage';
  /** Words to start the app as itself, without a window. */
  readonly appWords: readonly string[];
}

function unixLauncher({ program, shim, appWords }: LauncherFacts): string {
  const command = JSON.stringify([program, ...appWords]);
  return [
    '#!/bin/sh',
    '# Written by Tooltray each time it starts: what is changed here does not last.',
    `program=${shellWord(program)}`,
    'if [ ! -x "$program" ]; then',
    `  echo "tooltray: The Tooltray app is no longer at $program. Install it again, or start it once from where it is now." >&2`,
    '  exit 127',
    'fi',
    'export ELECTRON_RUN_AS_NODE=1',
    `export TOOLTRAY_CORE_COMMAND=${shellWord(command)}`,
    ...(shim === 'in-appimage' ? inAppImage : [`exec "$program" ${shellWord(shim.file)} "$@"`]),
    '',
  ].join('\n');
}

/**
 * Started as itself, an AppImage may add an argument that Node.js refuses (--no-sandbox, where the system has no user
 * namespaces). So it is only mounted, and what lies in it is started directly.
 */
const inAppImage: readonly string[] = [
  'place=$(mktemp -d) || exit 1',
  'mkfifo "$place/mount"',
  '"$program" --appimage-mount >"$place/mount" 2>/dev/null &',
  'holder=$!',
  'read -r mount <"$place/mount"',
  'rm -r "$place"',
  'trap \'kill "$holder" 2>/dev/null\' EXIT',
  "trap 'exit 143' TERM INT HUP",
  '"$mount/tooltray" "$mount/resources/shim/shim.cjs" "$@"',
];

export function windowsLauncher({ program, shim, appWords }: LauncherFacts): string {
  if (shim === 'in-appimage') throw new Error('There are no AppImages on Windows.');
  const command = JSON.stringify([program, ...appWords]);
  return [
    '@echo off',
    'rem Written by Tooltray each time it starts: what is changed here does not last.',
    'setlocal DisableDelayedExpansion',
    `set "program=${batchText(program)}"`,
    'if not exist "%program%" (',
    '  echo tooltray: The Tooltray app is no longer at "%program%". Install it again, or start it once from where it is now. 1>&2',
    '  exit /b 127',
    ')',
    'set "ELECTRON_RUN_AS_NODE=1"',
    `set "TOOLTRAY_CORE_COMMAND=${batchText(command)}"`,
    `"%program%" "${batchText(shim.file)}" %*`,
    '',
  ].join('\r\n');
}

/** The program that a launcher starts; undefined where the text is none of ours. */
export function programOf(launcher: string): string | undefined {
  const [, unix, windows] = /^(?:program='(.*)'|set "program=(.*)")\r?$/m.exec(launcher) ?? [];
  return unix?.replaceAll(String.raw`'\''`, "'") ?? windows?.replaceAll('%%', '%');
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** In a batch file a lone % begins a variable. */
function batchText(text: string): string {
  return text.replaceAll('%', '%%');
}

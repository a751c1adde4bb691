/**
 * The launcher: what client apps start, and the command `tooltray`. It is written into a folder of the user's own and
 * corrected at each start, since client apps keep its path for good.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, posix, win32 } from 'node:path';
import { writeFileAtomic } from '../core/base/atomic-file.ts';
import { backgroundFlag, textOf } from './desktop-settings.ts';

interface AppLocation {
  readonly platform: NodeJS.Platform;
  /** Path of the running executable. */
  readonly program: string;
  /** Folder of what is packed next to the app. */
  readonly resources: string;
  /** The AppImage that we run from. */
  readonly appImage: string | undefined;
  /** The checkout that we run from; Electron is told which app to be. */
  readonly checkout: string | undefined;
}

interface WriteLauncherOptions {
  /** The app will be where it is now; else a launcher that still finds another one is left as it is. */
  readonly isLasting: boolean;
  /** Folder for an AppImage's content, where the system cannot mount one. */
  readonly cacheDir: string;
}

/**
 * The launcher runs the command line of the bundle with the app's own executable as Node.js, and names what starts a
 * core.
 */
export interface LauncherFacts {
  /** The app's executable, or its AppImage. */
  readonly program: string;
  /** File of tooltray.cjs; an AppImage has it inside, at a place of its own at each start. */
  readonly script: { readonly file: string } | 'in-appimage';
  /** Arguments that start the app as itself, without a window. */
  readonly appWords: readonly string[];
  /** Windows: the program that is copied to be the launcher (resources/windows/tooltray.c). */
  readonly windowsProgram?: string;
}

/** Whether macOS runs the app from a random folder, as it does with a download that was never moved. */
export function isTranslocated(program: string): boolean {
  return program.includes('/AppTranslocation/');
}

export function launcherFacts({ platform, program, resources, appImage, checkout }: AppLocation): LauncherFacts {
  const path = platform === 'win32' ? win32 : posix;
  if (appImage !== undefined) return { program: appImage, script: 'in-appimage', appWords: [backgroundFlag] };
  const [folder, windows] =
    checkout === undefined
      ? [path.join(resources, 'shim'), path.join(resources, 'bin')]
      : [path.join(checkout, 'dist'), path.join(checkout, 'resources', 'windows')];
  return {
    program,
    script: { file: path.join(folder, 'tooltray.cjs') },
    appWords: [...(checkout === undefined ? [] : [checkout]), backgroundFlag],
    ...(platform === 'win32' && { windowsProgram: path.join(windows, 'tooltray.exe') }),
  };
}

/** Resolves to whether the launcher had to be written. */
export async function writeLauncher(
  file: string,
  facts: LauncherFacts,
  { isLasting, cacheDir }: WriteLauncherOptions,
): Promise<boolean> {
  const { windowsProgram } = facts;
  const [target, text] =
    windowsProgram === undefined ? [file, unixLauncher(facts, cacheDir)] : [launchFile(file), windowsLaunch(facts)];
  const before = textOf(target);
  if (before !== undefined) chmodSync(target, 0o755);
  if (before !== undefined && !isLasting && before !== text && existsSync(programOf(before) ?? '')) return false;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const isCopied = windowsProgram !== undefined && copyProgram(windowsProgram, file);
  if (before === text) return isCopied;
  await writeFileAtomic(target, text, { mode: 0o755 });
  return true;
}

function unixLauncher({ program, script, appWords }: LauncherFacts, cacheDir: string): string {
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
    ...(script === 'in-appimage' ? inAppImage(cacheDir) : [`exec "$program" ${shellWord(script.file)} "$@"`]),
    '',
  ].join('\n');
}

/**
 * Started as itself, an AppImage may add an argument that Node.js refuses (--no-sandbox, where the system has no user
 * namespaces). So it is only mounted, and what is in it is started directly. A system without FUSE gets the content
 * extracted, once for each version.
 */
function inAppImage(cacheDir: string): readonly string[] {
  return [
    'place=$(mktemp -d) || exit 126',
    'mkfifo "$place/mount"',
    '"$program" --appimage-mount >"$place/mount" 2>"$place/reason" &',
    'holder=$!',
    'read -r mount <"$place/mount" || mount=',
    'reason=$(cat "$place/reason" 2>/dev/null)',
    'rm -r "$place"',
    'if [ -z "$mount" ]; then',
    '  # The core, too, is started without a mount.',
    '  export APPIMAGE_EXTRACT_AND_RUN=1',
    `  copies=${shellWord(join(cacheDir, 'appimage'))}`,
    '  copy=$copies/$(stat -L -c %s-%Y "$program")',
    '  if [ ! -x "$copy/tooltray-app" ]; then',
    '    rm -rf "$copies" && mkdir -p "$copies/$$" && cd "$copies/$$" && "$program" --appimage-extract >/dev/null 2>&1',
    '    [ -x "$copy/tooltray-app" ] || mv squashfs-root "$copy" 2>/dev/null',
    '    cd / && rm -rf "$copies/$$"',
    '  fi',
    '  if [ ! -x "$copy/tooltray-app" ]; then',
    '    echo "tooltray: $program can be neither mounted nor extracted to $copies. ${reason:-It gave no reason.}" >&2',
    '    exit 126',
    '  fi',
    '  mount=$copy',
    'fi',
    'trap \'kill "$holder" 2>/dev/null\' EXIT',
    "trap 'exit 143' TERM INT HUP",
    '"$mount/tooltray-app" "$mount/resources/shim/tooltray.cjs" "$@"',
  ];
}

/** Input of the Windows launcher: one value a line, in UTF-8. */
export function windowsLaunch({ program, script, appWords }: LauncherFacts): string {
  if (script === 'in-appimage') throw new Error('There are no AppImages on Windows.');
  return [program, script.file, JSON.stringify([program, ...appWords]), ''].join('\n');
}

function launchFile(file: string): string {
  return file.replace(/\.exe$/, '.launch');
}

/** Windows keeps a program that runs from being replaced, but not from being renamed. */
function copyProgram(from: string, to: string): boolean {
  const folder = dirname(to);
  for (const name of readdirSync(folder).filter((one) => /^tooltray\.\d+\.old$/.test(one)))
    removeUnused(join(folder, name));
  if (existsSync(to)) {
    if (readFileSync(to).equals(readFileSync(from))) return false;
    renameSync(to, join(folder, `tooltray.${process.pid}.old`));
  }
  copyFileSync(from, to);
  return true;
}

function removeUnused(file: string): void {
  try {
    rmSync(file);
  } catch {
    // It still runs; the next start removes it.
  }
}

/** The program that a launcher starts; undefined if the text is none of Tooltray. */
export function programOf(launcher: string): string | undefined {
  const [, unix] = /^program='(.*)'$/m.exec(launcher) ?? [];
  if (unix !== undefined) return unix.replaceAll(String.raw`'\''`, "'");
  const [program = '', , command = ''] = launcher.split('\n');
  return command.startsWith('["') ? program : undefined;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

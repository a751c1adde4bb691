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

export function unixLauncher({ program, shim, appWords }: LauncherFacts): string {
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

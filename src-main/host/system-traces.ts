/**
 * Tooltray's changes to the system besides client apps' files: login item, link scheme, and the command on the PATH.
 * Removed by an uninstall.
 */
import { execFile } from 'node:child_process';
import { lstat, readFile, readlink, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { launcherPath } from '../core/base/app-paths.ts';
import { writeFileAtomic } from '../core/base/atomic-file.ts';
import { errorText } from '../core/base/errors.ts';
import { removeUnusedRuntimes, runtimesFolder } from './shim-runtime.ts';

export interface UserSystem {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly dataDir: string;
}

/** Removes them for this user. Resolves to a sentence for each that remains. */
export async function removeTraces(
  system: UserSystem,
  run: (program: string, args: readonly string[]) => Promise<unknown> = promisify(execFile),
): Promise<readonly string[]> {
  const steps = system.platform === 'win32' ? windowsSteps(system, run) : unixSteps(system);
  const ended = await Promise.allSettled(steps.map((step) => step()));
  return ended.flatMap((one) => (one.status === 'rejected' ? [errorText(one.reason)] : []));
}

/** Path of the terminal command `tooltray`, a link to the launcher. */
export function commandLink({ platform, home }: Pick<UserSystem, 'platform' | 'home'>): string {
  return platform === 'darwin' ? '/usr/local/bin/tooltray' : join(home, '.local', 'bin', 'tooltray');
}

/**
 * PowerShell preserves variable references in the value and notifies running programs; `setx` does neither, and
 * truncates at 1,024 characters.
 */
export function windowsPathScript(folder: string, isWanted: boolean): string {
  const text = `'${folder.replaceAll("'", "''")}'`;
  return [
    `$folder = ${text}`,
    `$key = [Microsoft.Win32.Registry]::CurrentUser.OpenSubKey('Environment', $true)`,
    `$path = [string]$key.GetValue('Path', '', 'DoNotExpandEnvironmentNames')`,
    `$parts = @($path -split ';' | Where-Object { $_ -ne '' -and $_ -ne $folder })`,
    ...(isWanted ? ['$parts += $folder'] : []),
    `$key.SetValue('Path', ($parts -join ';'), 'ExpandString')`,
    // Notifies running programs of the change.
    `[Environment]::SetEnvironmentVariable('TooltrayPathChange', $null, 'User')`,
  ].join('\n');
}

/** The script is passed as base64 of UTF-16, so that nothing needs quoting. */
export function powershellArgs(script: string): readonly string[] {
  const encoded = Buffer.from(`$ErrorActionPreference = 'Stop'\n${script}`, 'utf16le').toString('base64');
  return ['-NoProfile', '-NonInteractive', '-EncodedCommand', encoded];
}

type Step = () => Promise<unknown>;

function windowsSteps(
  { dataDir }: UserSystem,
  run: (program: string, args: readonly string[]) => Promise<unknown>,
): Step[] {
  const current = String.raw`HKCU:\Software\Microsoft\Windows\CurrentVersion`;
  // Source: Electron, `app.setLoginItemSettings`: the value is named after the app user model ID.
  const script = [
    `foreach ($key in '${current}\\Run', '${current}\\Explorer\\StartupApproved\\Run') {`,
    `  if (Test-Path $key) { Remove-ItemProperty -Path $key -Name 'app.tooltray' -ErrorAction SilentlyContinue }`,
    '}',
    String.raw`Remove-Item -Recurse -Force -Path 'HKCU:\Software\Classes\tooltray' -ErrorAction SilentlyContinue`,
    windowsPathScript(dirname(launcherPath(dataDir, 'win32')), false),
  ].join('\n');
  return [() => run('powershell.exe', powershellArgs(script)), () => removeRuntimes(runtimesFolder(dataDir))];
}

async function removeRuntimes(folder: string): Promise<void> {
  const used = await removeUnusedRuntimes(folder);
  if (used.length > 0) throw new Error(`Running client apps still use ${used.join(', ')}. Quit them, then remove it.`);
}

/** On macOS the login item and the link scheme belong to the app bundle and are removed with it. */
function unixSteps(system: UserSystem): Step[] {
  const { env, platform, home } = system;
  const configHome = env['XDG_CONFIG_HOME'] ?? join(home, '.config');
  const dataHome = env['XDG_DATA_HOME'] ?? join(home, '.local', 'share');
  const linux: Step[] = [
    () => rm(join(configHome, 'autostart', 'tooltray.desktop'), { force: true }),
    ...[join(configHome, 'mimeapps.list'), join(dataHome, 'applications', 'mimeapps.list')].map(
      (file) => () => removeScheme(file),
    ),
  ];
  return [() => removeLink(system), ...(platform === 'linux' ? linux : [])];
}

async function removeLink(system: UserSystem): Promise<void> {
  const link = commandLink(system);
  const target = await linkTarget(link);
  if (target === launcherPath(system.dataDir, system.platform)) await rm(link);
}

/** undefined if it is missing or not a link. */
export async function linkTarget(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() === true ? readlink(path) : undefined;
}

async function removeScheme(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const after = text?.replaceAll(/^x-scheme-handler\/tooltray=.*\r?\n?/gm, '');
  if (after !== undefined && after !== text) await writeFileAtomic(file, after);
}

/** Makes `tooltray` a terminal command: a link to the launcher, or on Windows the launcher's folder on the PATH. */
import { execFile } from 'node:child_process';
import { lstat, mkdir, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { launcherPath } from '../core/base/app-paths.ts';
import { AppError } from '../core/base/errors.ts';
import { commandLink, linkTarget, powershellArgs, type UserSystem, windowsPathScript } from '../host/system-traces.ts';

type Run = (program: string, args: readonly string[]) => Promise<unknown>;

/**
 * Resolves to the command's path. Rejects with AppError `config_conflict` if another program is there, and with system
 * errors. macOS may ask for an administrator's password.
 */
export async function installCommand(
  system: UserSystem,
  { run = promisify(execFile), link = commandLink(system) }: { readonly run?: Run; readonly link?: string } = {},
): Promise<string> {
  const { platform, dataDir } = system;
  const launcher = launcherPath(dataDir, platform);
  if (platform === 'win32') {
    await run('powershell.exe', powershellArgs(windowsPathScript(dirname(launcher), true)));
    return dirname(launcher);
  }
  if ((await linkTarget(link)) === launcher) return link;
  if ((await lstat(link).catch(() => undefined)) !== undefined) throw inTheWay(link);
  try {
    await mkdir(dirname(link), { recursive: true });
    await symlink(launcher, link);
  } catch (error) {
    if (platform !== 'darwin') throw error;
    await run('osascript', ['-e', administratorScript(launcher, link)]);
  }
  return link;
}

/** AppleScript that creates the link with administrator privileges. */
export function administratorScript(launcher: string, link: string): string {
  const command = `mkdir -p ${shellWord(dirname(link))} && ln -s ${shellWord(launcher)} ${shellWord(link)}`;
  return `do shell script "${command.replaceAll(/["\\]/g, String.raw`\$&`)}" with administrator privileges`;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function inTheWay(link: string): AppError {
  return new AppError('config_conflict', `Another program exists at ${link}.`, {
    fix: 'Remove or rename it, then install the command again.',
  });
}

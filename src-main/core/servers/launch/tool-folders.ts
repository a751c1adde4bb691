/** Folders where version managers and installers put commands, for desktop apps, which start with a minimal PATH. */
import { readdir, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import type { ResolvedEnv } from './find-command.ts';

/** Returns the existing folders, the most likely first; of several versions, the newest. Never rejects. */
export async function toolFolders(env: ResolvedEnv, platform: NodeJS.Platform): Promise<readonly string[]> {
  const patterns = platform === 'win32' ? windowsPatterns(env) : posixPatterns(env, platform === 'darwin');
  const found = await Promise.all(patterns.map((pattern) => expand(pattern, platform)));
  return [...new Set(found.flat())];
}

/** `*` matches the name of a version. */
function posixPatterns(env: ResolvedEnv, mac: boolean): string[] {
  const home = env['HOME'];
  const fixed = mac ? ['/opt/homebrew/bin', '/usr/local/bin'] : ['/home/linuxbrew/.linuxbrew/bin'];
  if (home === undefined || !posix.isAbsolute(home)) return fixed;
  const at = (variable: string, fallback: string): string => env[variable] ?? posix.join(home, fallback);
  const share = at('XDG_DATA_HOME', '.local/share');
  return [
    `${env['MISE_DATA_DIR'] ?? `${share}/mise`}/shims`,
    `${at('ASDF_DATA_DIR', '.asdf')}/shims`,
    `${at('VOLTA_HOME', '.volta')}/bin`,
    `${at('NVM_DIR', '.nvm')}/versions/node/*/bin`,
    `${env['FNM_DIR'] ?? `${share}/fnm`}/node-versions/*/installation/bin`,
    ...(mac ? [`${home}/Library/Application Support/fnm/node-versions/*/installation/bin`] : []),
    `${home}/.local/bin`,
    `${at('BUN_INSTALL', '.bun')}/bin`,
    `${at('DENO_INSTALL', '.deno')}/bin`,
    `${at('CARGO_HOME', '.cargo')}/bin`,
    `${at('PYENV_ROOT', '.pyenv')}/shims`,
    at('PNPM_HOME', mac ? 'Library/pnpm' : '.local/share/pnpm'),
    `${home}/go/bin`,
    `${home}/bin`,
    ...fixed,
  ];
}

function windowsPatterns(env: ResolvedEnv): string[] {
  const under = (variable: string, ...paths: readonly string[]): string[] => {
    const folder = Object.entries(env).find(([name]) => name.toUpperCase() === variable)?.[1];
    return folder === undefined ? [] : paths.map((path) => win32.join(folder, path));
  };
  return [
    ...under('NVM_SYMLINK', '.'),
    ...under('PROGRAMFILES', 'nodejs'),
    ...under('LOCALAPPDATA', 'Volta\\bin', 'mise\\shims', 'Programs\\nodejs', 'pnpm', 'Microsoft\\WinGet\\Links'),
    ...under('LOCALAPPDATA', 'Programs\\Python\\*'),
    ...under('APPDATA', 'npm'),
    ...under('USERPROFILE', '.local\\bin', '.bun\\bin', '.deno\\bin', '.cargo\\bin', 'scoop\\shims'),
  ];
}

async function expand(pattern: string, platform: NodeJS.Platform): Promise<string[]> {
  const path = platform === 'win32' ? win32 : posix;
  const [parent = '', rest] = pattern.split(`${path.sep}*`);
  if (rest === undefined) return (await isFolder(pattern)) ? [pattern] : [];
  const names = await readdir(parent).catch(() => []);
  const newestFirst = names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const folders = newestFirst.map((name) => path.join(parent, name, rest));
  const there = await Promise.all(folders.map(isFolder));
  return folders.filter((_, index) => there[index]);
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * Determines the files and folders that a program consists of, besides those of the system: its interpreter, its
 * package, its folder.
 */
import { open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { isInside } from '../../../security/file-paths.ts';
import { type ResolvedEnv, findCommand } from '../find-command.ts';
import { linksOnTheWay } from './real-paths.ts';

/** Folders with programs of the system and its packages, readable by everyone. */
export const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store'];

/** A script's interpreter may itself be a script, up to this depth. */
const maxInterpreterDepth = 4;
/** Maximum number of folders between a script and its package manifest. */
const highest = 6;
const packageFiles = ['package.json', 'pyproject.toml', 'deno.json', 'deno.jsonc', 'Gemfile', 'composer.json'];

/** One file of a program, and the target of its link. */
export interface ProgramStep {
  /** Its path as found. */
  readonly name: string;
  /** Links between that and its real path. */
  readonly links: ReadonlyMap<string, string>;
  readonly real: string;
  /** The folder that it needs to run. */
  readonly folder: string;
  /** The interpreter in its first line, as found. */
  readonly next: string | undefined;
}

/**
 * `program`: absolute path of an existing file; also follows interpreters in first lines. Rejects with the
 * system's error.
 */
export async function programSteps(program: string, env: ResolvedEnv): Promise<readonly ProgramStep[]> {
  const steps: ProgramStep[] = [];
  for (let name: string | undefined = program; name !== undefined && steps.length < maxInterpreterDepth;) {
    const step: ProgramStep = await stepOf(name, env, true);
    steps.push(step);
    name = step.next;
  }
  return steps;
}

/** A script run by an interpreter: its first line is a comment to it, so it does not affect what must be visible. */
export function scriptStep(script: string, env: ResolvedEnv): Promise<ProgramStep> {
  return stepOf(script, env, false);
}

async function stepOf(name: string, env: ResolvedEnv, isStarted: boolean): Promise<ProgramStep> {
  const real = await realpath(name);
  return {
    name,
    links: await linksOnTheWay(name),
    real,
    folder: await folderOf(real, env['HOME']),
    next: isStarted ? await interpreterOf(real, env) : undefined,
  };
}

export function isSystem(path: string): boolean {
  return systemFolders.some((folder) => isInside(folder, path));
}

/**
 * The smallest folder the program needs: never the user's home, the root or a folder of many programs with their files.
 */
async function folderOf(file: string, home: string | undefined): Promise<string> {
  const modules = file.indexOf(`${sep}node_modules${sep}`);
  if (modules >= 0) return file.slice(0, modules + `${sep}node_modules`.length);
  const folder = dirname(file);
  const isWide = (path: string): boolean =>
    ['/', '/tmp', '/home', '/root', '/Users', '/usr/local', home, join(home ?? '/', '.local')].includes(path);
  if (basename(folder) === 'bin') return isWide(dirname(folder)) ? file : dirname(folder);
  let above = folder;
  for (let steps = 0; steps < highest && !isWide(above); steps++, above = dirname(above)) {
    const found = await Promise.all(packageFiles.map((name) => pathExists(join(above, name))));
    if (found.includes(true)) return above;
  }
  return isWide(folder) ? file : folder;
}

/**
 * Returns what runs a file, by its first line as Linux reads it; undefined for a binary. Source: execve(2),
 * "Interpreter scripts".
 */
async function interpreterOf(file: string, env: ResolvedEnv): Promise<string | undefined> {
  const [, first = '', rest = ''] = /^#![ \t]*([^\s\0]+)[ \t]*([^\n]*)/.exec(await beginningOf(file)) ?? [];
  if (!isAbsolute(first)) return undefined;
  if (basename(first) !== 'env') return (await pathExists(first)) ? first : undefined;
  const word = rest.split(/\s+/).find((one) => !one.startsWith('-') && !one.includes('='));
  // A relative path would depend on an unknown folder.
  return word === undefined || !/^[\w.+-]+$/.test(word) ? undefined : findCommand(word, env);
}

async function beginningOf(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(256), 0, 256, 0);
    return buffer.subarray(0, bytesRead).toString('latin1');
  } finally {
    await handle.close();
  }
}

const interpreters = /^(?:node|bun|deno|python[\d.]*|ruby|perl|php|java|sh|bash|zsh|tsx|ts-node)$/;

/**
 * Returns the absolute path of the script that an interpreter runs; a relative one starts at `cwd`, as the process
 * would look it up.
 */
export async function scriptNamed(
  command: string,
  args: readonly string[],
  cwd: string | undefined,
): Promise<string | undefined> {
  if (!interpreters.test(basename(command).replace(/\.exe$/, ''))) return undefined;
  const written = args.find((arg) => !arg.startsWith('-'));
  if (written === undefined || (cwd === undefined && !isAbsolute(written))) return undefined;
  const path = resolve(cwd ?? sep, written);
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() === true ? path : undefined;
}

/** Whether a path exists, following links. */
export async function pathExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

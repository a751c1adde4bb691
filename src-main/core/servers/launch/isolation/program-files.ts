/** Which files and folders a program is made of, beside what every system has: its interpreter, its package, the folder it lies in. */
import { open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { isInside } from '../../../security/file-paths.ts';
import { type Environment, findCommand } from '../find-command.ts';

/** Programs of the system and of its packages; everybody may read them. */
export const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store'];

/** A script's interpreter may be a script as well; no more than this in a row. */
const deepest = 4;
/** Package files lie so many folders above a script at the most. */
const highest = 6;
const packageFiles = ['package.json', 'pyproject.toml', 'deno.json', 'deno.jsonc', 'Gemfile', 'composer.json'];

interface ProgramFiles {
  /** Absolute, as they really are. */
  readonly folders: readonly string[];
  /** Names by which they are found, and what those lead to. */
  readonly links: readonly (readonly [name: string, target: string])[];
}

/** `program`: absolute, of a file that exists. What is the system's own is left out. Rejects with the operating system's error. */
export async function programFiles(program: string, env: Environment): Promise<ProgramFiles> {
  const folders = new Set<string>();
  const links = new Map<string, string>();
  let next: string | undefined = program;
  for (let depth = 0; next !== undefined && depth < deepest; depth++) {
    const real: string = await realpath(next);
    if (real !== next) links.set(next, real);
    const folder = await folderOf(real, env['HOME']);
    if (!isSystem(folder)) folders.add(folder);
    next = await interpreterOf(real, env);
  }
  return { folders: [...folders], links: [...links] };
}

export function isSystem(path: string): boolean {
  return systemFolders.some((folder) => isInside(folder, path));
}

/** As little as the program can be without: never the person's home, the root or a folder of many programs with what belongs to them. */
async function folderOf(file: string, home: string | undefined): Promise<string> {
  const modules = file.indexOf(`${sep}node_modules${sep}`);
  if (modules >= 0) return file.slice(0, modules + `${sep}node_modules`.length);
  const folder = dirname(file);
  const isWide = (path: string): boolean =>
    ['/', '/tmp', '/home', '/root', '/Users', '/usr/local', home, join(home ?? '/', '.local')].includes(path);
  if (basename(folder) === 'bin') return isWide(dirname(folder)) ? file : dirname(folder);
  let above = folder;
  for (let steps = 0; steps < highest && !isWide(above); steps++, above = dirname(above)) {
    const found = await Promise.all(packageFiles.map((name) => exists(join(above, name))));
    if (found.includes(true)) return above;
  }
  return isWide(folder) ? file : folder;
}

/** What runs a script, by its first line; undefined for a program. */
async function interpreterOf(file: string, env: Environment): Promise<string | undefined> {
  const [, first = '', rest = ''] = /^#!\s*(\S+)[^\S\n]*([^\n]*)/.exec(await beginningOf(file)) ?? [];
  if (first === '') return undefined;
  if (basename(first) !== 'env') return (await exists(first)) ? first : undefined;
  const word = rest.split(/\s+/).find((one) => !one.startsWith('-') && !one.includes('='));
  return word === undefined ? undefined : findCommand(word, env);
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

// What an entry names besides: the script that an interpreter is to run, and places to work on.

const interpreters = /^(?:node|bun|deno|python[\d.]*|ruby|perl|php|java|sh|bash|zsh|tsx|ts-node)$/;

interface NamedPlaces {
  /** The file that an interpreter runs. */
  readonly script: string | undefined;
  /** Other files and folders that exist, absolute. */
  readonly others: readonly string[];
}

/** Relative names start at `cwd`, as the process would look them up; of relative ones only the script is looked for. */
export async function namedPlaces(
  command: string,
  args: readonly string[],
  own: Environment,
  cwd: string | undefined,
): Promise<NamedPlaces> {
  const isInterpreter = interpreters.test(basename(command).replace(/\.exe$/, ''));
  let script: string | undefined;
  const others = new Set<string>();
  for (const arg of [...args, ...Object.values(own)]) {
    const written = /^--?[\w-]+=(.*)$/s.exec(arg)?.[1] ?? arg;
    const isFirst = isInterpreter && script === undefined && args.includes(arg) && !arg.startsWith('-');
    const path = isAbsolute(written)
      ? resolve(written)
      : isFirst && cwd !== undefined
        ? resolve(cwd, written)
        : undefined;
    const found = path === undefined ? undefined : await stat(path).catch(() => undefined);
    if (path === undefined || found === undefined) continue;
    if (isFirst && found.isFile()) script = path;
    else others.add(path);
  }
  return { script, others: [...others] };
}

/** Whether something is there, behind links too. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

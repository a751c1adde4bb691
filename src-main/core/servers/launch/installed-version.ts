/**
 * Finds the version of a package that a runner (npx, uvx) fetched last on this computer, in the runner's cache.
 * Nothing is run.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '../../base/json.ts';
import { programName } from '../../trust/pins/launch-fingerprint.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Maximum number of folders that are read. */
const maxFolders = 2000;

/**
 * `packageName` as returned by unpinnedPackage. Undefined if it never ran, or if its cache is elsewhere. Never
 * rejects.
 */
export async function installedVersion(
  command: string,
  packageName: string,
  env: Environment,
): Promise<string | undefined> {
  const program = programName(command);
  if (/^(?:npx|npm)$/.test(program)) return ofNpm(packageName, env);
  if (/^(?:uvx|uv)$/.test(program)) return ofUv(packageName, env);
  return undefined;
}

interface Found {
  readonly version: string;
  readonly at: number;
}

async function ofNpm(packageName: string, env: Environment): Promise<string | undefined> {
  const local = env['LOCALAPPDATA'];
  const usual = local === undefined ? join(homeOf(env), '.npm') : join(local, 'npm-cache');
  const folder = join(env['npm_config_cache'] ?? env['NPM_CONFIG_CACHE'] ?? usual, '_npx');
  return newest(folder, async (entry): Promise<Found[]> => {
    const file = join(folder, entry, 'node_modules', packageName, 'package.json');
    const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
    const value: unknown = JSON.parse(text);
    const version = isObject(value) ? value['version'] : undefined;
    return typeof version === 'string' ? [{ version, at: mtimeMs }] : [];
  });
}

/**
 * Each wheel is unpacked into a folder that contains `name-1.2.3.dist-info`. Source: the specification of installed
 * Python projects.
 */
async function ofUv(packageName: string, env: Environment): Promise<string | undefined> {
  const caches = env['XDG_CACHE_HOME'] ?? join(homeOf(env), '.cache');
  const folder = join(env['UV_CACHE_DIR'] ?? join(caches, 'uv'), 'archive-v0');
  const name = normalized(packageName.replace(/\[.*$/, ''));
  return newest(folder, async (entry): Promise<Found[]> => {
    const [names, { mtimeMs }] = await Promise.all([readdir(join(folder, entry)), stat(join(folder, entry))]);
    return names.flatMap((one) => {
      const [, written = '', version = ''] = /^(.+)-([^-]+)\.dist-info$/.exec(one) ?? [];
      return normalized(written) === name ? [{ version, at: mtimeMs }] : [];
    });
  });
}

function normalized(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

function homeOf(env: Environment): string {
  return env['HOME'] ?? env['USERPROFILE'] ?? homedir();
}

async function newest(folder: string, read: (entry: string) => Promise<Found[]>): Promise<string | undefined> {
  const entries = (await readdir(folder).catch(() => [])).slice(0, maxFolders);
  const found = await Promise.all(entries.map((entry) => read(entry).catch(() => [])));
  return found.flat().toSorted((one, other) => other.at - one.at)[0]?.version;
}

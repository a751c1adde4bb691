/** The paths of one user's Tooltray files, for each operating system. */
import { closeSync, constants, fchmodSync, fstatSync, lstatSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import { AppError } from './errors.ts';

export interface AppPaths {
  /** The folder of a private instance (`TOOLTRAY_HOME`), absolute. */
  readonly home?: string;
  readonly configFile: string;
  readonly dataDir: string;
  readonly logDir: string;
  readonly cacheDir: string;
  readonly runDir: string;
  /**
   * Unix socket with a path of at most 100 bytes, or a file if `namesPipe`. Create its folder with
   * ensurePrivateDir(dirname(socketPath)).
   */
  readonly socketPath: string;
  /** Windows: whether the file at `socketPath` contains the name of the core's pipe. */
  readonly namesPipe: boolean;
  readonly tokenFile: string;
  readonly activityFile: string;
  readonly spillDir: string;
}

export type Env = Readonly<Record<string, string | undefined>>;

interface Folders {
  readonly config: string;
  readonly data: string;
  readonly logs: string;
  readonly cache: string;
}

/** Derives all paths from its arguments; touches nothing on disk. */
export function resolveAppPaths(env: Env, platform: NodeJS.Platform, homedir: string): AppPaths {
  const path = platform === 'win32' ? win32 : posix;
  const { home, runDir, socketPath, namesPipe, tokenFile } = socketLocation(env, platform, homedir);
  const folders = home === undefined ? systemFolders(env, platform, homedir) : privateFolders(home, path);
  return {
    ...(home === undefined ? {} : { home }),
    configFile: path.join(folders.config, 'config.json'),
    dataDir: folders.data,
    logDir: folders.logs,
    cacheDir: folders.cache,
    runDir,
    socketPath,
    namesPipe,
    tokenFile,
    activityFile: path.join(folders.data, 'activity.db'),
    spillDir: path.join(folders.data, 'spills'),
  };
}

/**
 * Creates a private folder and its parents, or makes an existing one private. A link that the user owns, for example
 * to another disk, stands for its target. Throws AppError `not_allowed` if the link or folder belongs to another user,
 * or if it is a file, because others could then read its content.
 */
export function ensurePrivateDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw refusal(path, 'could not be created', cause);
  }
  if (process.platform === 'win32') {
    // The profile's folders are private by their access list; only a link could lead elsewhere.
    if (lstatSync(path).isSymbolicLink()) throw refusal(path, 'is a link');
    return;
  }
  makePrivate(path);
}

function makePrivate(path: string): void {
  let descriptor: number;
  try {
    // Checked and changed through one descriptor, so that the folder cannot be replaced in between.
    descriptor = openSync(targetOf(path), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    throw refusal(path, 'is a link of another user, not a folder, or not readable for you', cause);
  }
  try {
    const stats = fstatSync(descriptor);
    if (stats.uid !== process.getuid?.()) throw refusal(path, 'belongs to another user');
    if ((stats.mode & 0o777) !== 0o700) fchmodSync(descriptor, 0o700);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the target of a link that the user owns; otherwise the path itself. */
function targetOf(path: string): string {
  const stats = lstatSync(path);
  return stats.isSymbolicLink() && stats.uid === process.getuid?.() ? realpathSync(path) : path;
}

function refusal(path: string, what: string, cause?: unknown): AppError {
  return new AppError('not_allowed', `The folder ${path} ${what}, so Tooltray does not store private files in it.`, {
    fix: 'Remove it, or set TOOLTRAY_HOME to a folder of your own.',
    cause,
  });
}

function privateFolders(home: string, path: typeof posix): Folders {
  return {
    config: home,
    data: path.join(home, 'data'),
    logs: path.join(home, 'logs'),
    cache: path.join(home, 'cache'),
  };
}

function systemFolders(env: Env, platform: NodeJS.Platform, homedir: string): Folders {
  if (platform === 'win32') return windowsFolders(homedir);
  if (platform === 'darwin') return macFolders(homedir);
  const under = (variable: string, fallback: string) =>
    posix.join(xdgFolder(env[variable]) ?? posix.join(homedir, fallback), 'tooltray');
  return {
    config: under('XDG_CONFIG_HOME', '.config'),
    data: under('XDG_DATA_HOME', '.local/share'),
    logs: posix.join(under('XDG_STATE_HOME', '.local/state'), 'logs'),
    cache: under('XDG_CACHE_HOME', '.cache'),
  };
}

/** The XDG base directory specification requires ignoring relative paths. */
function xdgFolder(value: string | undefined): string | undefined {
  return value !== undefined && posix.isAbsolute(value) ? value : undefined;
}

function macFolders(homedir: string): Folders {
  const library = posix.join(homedir, 'Library');
  const support = posix.join(library, 'Application Support', 'Tooltray');
  return {
    config: support,
    data: support,
    logs: posix.join(library, 'Logs', 'Tooltray'),
    cache: posix.join(library, 'Caches', 'Tooltray'),
  };
}

/**
 * Inside the profile itself, because Windows redirects what a packaged program (Claude Desktop from the Microsoft
 * Store) and its descendants write below AppData, so that a core there would have another config, vault, and token.
 * Source: "Understanding how packaged desktop apps run on Windows", Microsoft Learn.
 */
function windowsFolder(homedir: string): string {
  return win32.join(homedir, '.tooltray');
}

function windowsFolders(homedir: string): Folders {
  const folder = windowsFolder(homedir);
  return { config: folder, data: folder, logs: win32.join(folder, 'logs'), cache: win32.join(folder, 'cache') };
}

/** Paths of the core's socket and token, which shim and core must agree on. Imports only node:*, for the shim. */
export interface SocketLocation {
  /** The folder of a private instance (`TOOLTRAY_HOME`), absolute. */
  readonly home: string | undefined;
  /** Folder with the files of a running core: socket, token, start lock, start log. */
  readonly runDir: string;
  /** Unix socket with a path of at most 100 bytes, or a file in the private run folder if `namesPipe`. */
  readonly socketPath: string;
  /**
   * Windows: the file at `socketPath` contains the random name of the core's pipe; another user could take a
   * predictable name.
   */
  readonly namesPipe: boolean;
  readonly tokenFile: string;
}

/**
 * The location from TOOLTRAY_HOME, otherwise from the home folder. Does not access the disk. Ignores other variables,
 * because client apps start the shim with only a few (HOME, PATH, ...), without XDG_RUNTIME_DIR and TMPDIR, so that
 * shim and core would use different locations.
 */
export function socketLocation(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  homedir: string,
): SocketLocation {
  const path = platform === 'win32' ? win32 : posix;
  const home = env['TOOLTRAY_HOME'] ? path.resolve(env['TOOLTRAY_HOME']) : undefined;
  const runDir = home === undefined ? systemRunDir(platform, homedir) : path.join(home, 'run');
  return {
    home,
    runDir,
    socketPath: platform === 'win32' ? path.join(runDir, 'pipe') : socketFile(runDir),
    namesPipe: platform === 'win32',
    tokenFile: path.join(runDir, 'token'),
  };
}

function systemRunDir(platform: NodeJS.Platform, homedir: string): string {
  if (platform === 'win32') return win32.join(windowsFolder(homedir), 'run');
  if (platform === 'darwin') return posix.join(homedir, 'Library', 'Application Support', 'Tooltray', 'run');
  return posix.join(homedir, '.local/state/tooltray/run');
}

/** sun_path has 104 bytes on macOS, 108 on Linux; 100 leaves room for the terminating zero. */
const maxSocketPathBytes = 100;

function socketFile(runDir: string): string {
  const path = posix.join(runDir, 'core.sock');
  if (Buffer.byteLength(path) <= maxSocketPathBytes) return path;
  return posix.join('/tmp', `tooltray-${process.getuid?.() ?? 0}`, `${shortHash(path)}.sock`);
}

/**
 * FNV-1a, 64 bits, in hex. It only distinguishes one user's folders; node:crypto would cost the shim 3 ms at each
 * start.
 */
function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

/** The command that entries of client apps name; it stays in place when the app is updated or moved. */
export function launcherPath(dataDir: string, platform: NodeJS.Platform): string {
  return join(dataDir, 'bin', platform === 'win32' ? 'tooltray.exe' : 'tooltray');
}

/** Exists while the user does not want client apps to start Tooltray. Removed by the next core that listens. */
export function quitFile(runDir: string): string {
  return join(runDir, 'quit');
}

/**
 * Exists while an update is installed. Contains the time, in ms since 1970, until which client apps do not start
 * Tooltray. Removed by the next core that listens.
 */
export function updateFile(runDir: string): string {
  return join(runDir, 'update');
}

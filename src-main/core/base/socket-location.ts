/** Where the core listens and where its token lies: the few paths that shim and core must agree on. Imports node:* only, for the shim. */
import { posix, win32 } from 'node:path';

export interface SocketLocation {
  /** The folder of a private instance (`TOOLTRAY_HOME`), absolute. */
  readonly home: string | undefined;
  /** Folder of what belongs to a running core: socket, token, start lock, start log. */
  readonly runDir: string;
  /** Unix socket of at most 100 bytes, or a Windows named pipe. */
  readonly socketPath: string;
  readonly tokenFile: string;
}

/**
 * The place from TOOLTRAY_HOME, else from the home folder alone. Touches nothing on disk.
 * Nothing else of the environment counts: client apps start the shim with a handful of variables (HOME, PATH, ...) and
 * neither XDG_RUNTIME_DIR nor TMPDIR among them, so that shim and core would look in two places.
 */
export function socketLocation(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  homedir: string,
): SocketLocation {
  const path = platform === 'win32' ? win32 : posix;
  const home = env['TOOLTRAY_HOME'] ? path.resolve(env['TOOLTRAY_HOME']) : undefined;
  const runDir = home === undefined ? systemRunDir(env, platform, homedir) : path.join(home, 'run');
  return {
    home,
    runDir,
    socketPath: platform === 'win32' ? pipeName(home ?? homedir) : socketFile(runDir),
    tokenFile: path.join(runDir, 'token'),
  };
}

function systemRunDir(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  homedir: string,
): string {
  if (platform === 'win32') {
    return win32.join(env['LOCALAPPDATA'] ?? win32.join(homedir, 'AppData', 'Local'), 'Tooltray', 'run');
  }
  if (platform === 'darwin') return posix.join(homedir, 'Library', 'Application Support', 'Tooltray', 'run');
  return posix.join(homedir, '.local/state/tooltray/run');
}

/** sun_path holds 104 bytes on macOS, 108 on Linux; 100 leaves room for the closing zero. */
const longestSocketPath = 100;

function socketFile(runDir: string): string {
  const path = posix.join(runDir, 'core.sock');
  if (Buffer.byteLength(path) <= longestSocketPath) return path;
  return posix.join('/tmp', `tooltray-${process.getuid?.() ?? 0}`, `${shortHash(path)}.sock`);
}

function pipeName(home: string): string {
  // Windows paths know no case.
  return `\\\\.\\pipe\\tooltray-${shortHash(home.toLowerCase())}`;
}

/** FNV-1a, 64 bits, in hex. It only has to tell one person's folders apart; node:crypto would cost the shim 3 ms at each start. */
function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

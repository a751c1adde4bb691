/**
 * Commands that fetch a package before they start a server: npx, uvx, docker run. A first start may take minutes, and
 * one that is killed in the middle leaves half a package, which then fails at every start.
 */
import { readdir, readFile, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { programName } from '../../trust/pins/launch-fingerprint.ts';

/** How long fetching a package may take, in ms. */
export const maxInstallMs = 10 * 60_000;

/** Fetch by themselves. */
const always = /^(?:npx|bunx|pnpx|uvx)$/;
/** Fetch with one of these words. */
const withWord: Readonly<Record<string, RegExp>> = {
  npm: /^(?:exec|x)$/,
  pnpm: /^(?:dlx|exec)$/,
  yarn: /^dlx$/,
  bun: /^x$/,
  uv: /^(?:tool|run)$/,
  pipx: /^run$/,
  deno: /^run$/,
  docker: /^run$/,
  podman: /^run$/,
  nerdctl: /^run$/,
};
/** Start another command that stands among their arguments. */
const shells = /^(?:cmd|sh|bash|zsh|dash|env)$/;

/** The program that fetches what the command starts; undefined if nothing is fetched. */
export function packageRunner(command: string, args: readonly string[]): string | undefined {
  const program = programName(command);
  if (always.test(program)) return program;
  if (shells.test(program)) {
    const words = args.flatMap((arg) => arg.split(/\s+/));
    const at = words.findIndex((word) => always.test(programName(word)) || programName(word) in withWord);
    return at < 0 ? undefined : packageRunner(words[at] ?? '', words.slice(at + 1));
  }
  const word = withWord[program];
  return word !== undefined && args.some((arg) => word.test(arg)) ? program : undefined;
}

/**
 * Whether the server itself runs already, so that nothing is being fetched; undefined if that cannot be determined: on
 * systems other than Linux, and for programs other than those of npm and uv. Never rejects. Source: npm sets
 * `npm_lifecycle_event` to `npx` for what it runs (libnpmexec, run-script.js); uv replaces itself on Unix.
 */
export async function isServerRunning(runner: string, groupId: number): Promise<boolean | undefined> {
  if (process.platform !== 'linux') return undefined;
  const read = (pid: string | number, file: string): Promise<string> =>
    readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  if (runner === 'uvx' || runner === 'uv') {
    const name = (await read(groupId, 'comm')).trim();
    return name !== '' && !/^(?:uvx?|sh|dash|bash|zsh|env)$/.test(name);
  }
  if (runner !== 'npx' && runner !== 'npm') return undefined;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const fields = (await read(pid, 'stat')).replace(/^.*\)/s, '').trim().split(' ');
    // After the name: state, parent, group.
    if (Number(fields[2]) !== groupId) continue;
    if ((await read(pid, 'environ')).split('\0').includes('npm_lifecycle_event=npx')) return true;
  }
  return false;
}

/** npm's name for the folder of one package: sixteen digits of a digest. */
const npxFolder = /(?<folder>[^\s'"`()]*[\\/]_npx[\\/][0-9a-f]{16})(?=[\\/])/;
const incomplete =
  /ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|Cannot find (?:package|module)|ENOTEMPTY|Unexpected end of JSON input/;

/**
 * The folder of npx that holds only a part of the package, by what the server said last; undefined: that is not why it
 * ended.
 */
export function damagedFolder(lines: readonly string[]): string | undefined {
  const text = lines.join('\n');
  return incomplete.test(text) ? npxFolder.exec(text.replaceAll('file://', ''))?.groups?.['folder'] : undefined;
}

/**
 * Removes a folder that `damagedFolder` found, and nothing else. Whether it was there. Rejects with the system's error.
 */
export async function clearDamagedFolder(folder: string): Promise<boolean> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined) return false;
  // A link in its place would lead elsewhere.
  const isNpx = basename(dirname(real)) === '_npx' && /^[0-9a-f]{16}$/.test(basename(real));
  if (!isNpx || basename(real) !== basename(folder)) return false;
  const entries = await readdir(real);
  if (!entries.some((name) => name === 'node_modules' || name.startsWith('package'))) return false;
  await rm(join(real), { recursive: true, force: true });
  return true;
}

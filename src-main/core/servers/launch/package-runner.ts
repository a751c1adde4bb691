/**
 * Commands that fetch a package before they start a server: npx, uvx, docker run. A first start may take minutes, and
 * killing it halfway leaves a damaged package that fails at every start.
 */
import { readdir, readFile, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { programName } from '../../trust/pins/launch-fingerprint.ts';

/** Time limit for fetching a package, in ms. */
export const maxInstallMs = 10 * 60_000;

/** Programs that always fetch. */
const always = /^(?:npx|bunx|pnpx|uvx)$/;
/** Programs that fetch with one of these subcommands. */
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
/** Programs that start another command from their arguments. */
const shells = /^(?:cmd|sh|bash|zsh|dash|env)$/;

/** The program that fetches a package for the command; undefined if none does. */
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
 * Whether the server itself is running, so that nothing is fetched any more; undefined if unknown: on
 * systems other than Linux, and for programs other than npm and uv. Never rejects. Source: npm sets
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

/** npm's cache folder of one package: sixteen digits of a digest. */
const npxFolder = /(?<folder>[^\s'"`()]*[\\/]_npx[\\/][0-9a-f]{16})(?=[\\/])/;
const incomplete =
  /ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|Cannot find (?:package|module)|ENOTEMPTY|Unexpected end of JSON input/;

/** The npx folder with a damaged package, according to the server's last output; undefined for other causes. */
export function damagedFolder(lines: readonly string[]): string | undefined {
  const text = lines.join('\n');
  return incomplete.test(text) ? npxFolder.exec(text.replaceAll('file://', ''))?.groups?.['folder'] : undefined;
}

/** Removes a folder that `damagedFolder` found. Returns whether it existed. Rejects with file system errors. */
export async function clearDamagedFolder(folder: string): Promise<boolean> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined) return false;
  // A link in its place could point elsewhere.
  const isNpx = basename(dirname(real)) === '_npx' && /^[0-9a-f]{16}$/.test(basename(real));
  if (!isNpx || basename(real) !== basename(folder)) return false;
  const entries = await readdir(real);
  if (!entries.some((name) => name === 'node_modules' || name.startsWith('package'))) return false;
  await rm(join(real), { recursive: true, force: true });
  return true;
}

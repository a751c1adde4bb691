/**
 * Determines what a server is launched from without asking it, to decide whether its definitions should be unchanged.
 */
import { extname, resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { defaultWorkingFolder } from '../../base/working-folder.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import { digestFile } from './file-digest-cache.ts';

export interface LaunchFingerprint {
  /** Identifies the program regardless of its version; a different value is a different server under the same name. */
  readonly program: string;
  /** Identifies the version: `1.2.3`, a digest; undefined if it may change at each start. */
  readonly pin: string | undefined;
  /** The package without a locked version: `@scope/server`. */
  readonly floats?: string;
}

const engines = /^(?:docker|podman|nerdctl)$/;
const engineWords = new Set(['container', 'run', 'create']);
/** Options of container engines without a value. */
const engineSwitches = new Set(
  `--debug --detach --disable-content-trust --help --http-proxy --init --interactive --no-healthcheck --no-hosts
   --oom-kill-disable --privileged --publish-all --quiet --read-only --remote --replace --rm --rmi --sig-proxy --tls
   --tlsverify --tty --use-api-socket`.split(/\s+/),
);

/** Programs that fetch and run a package, and the separator between package and version. */
const runners: readonly { readonly name: RegExp; readonly version: RegExp }[] = [
  { name: /^(?:npx|bunx|pnpx|npm|pnpm|yarn|bun)$/, version: /^(@?[^@]+)@(.+)$/ },
  { name: /^(?:uvx|uv|pipx)$/, version: /^([^@=<>~!]+)(?:@|==)(.+)$/ },
  { name: engines, version: /^(.+)@(sha256:[0-9a-f]{64})$/ },
];

/** Runner words before the package. */
const runnerWords = new Set(['run', 'exec', 'dlx', 'x', 'tool', '--']);
/** Options of runners whose value is the next word. */
const withValue = new Set([
  ...['-p', '--package', '--from', '--with', '--python', '-e', '--env', '-v', '--volume', '--mount', '--name'],
  ...['--network', '-w', '--workdir', '-u', '--user', '--entrypoint', '--env-file', '-c', '--call', '--registry'],
]);
/** Options that name the package themselves. */
const namesPackage = new Set(['-p', '--package', '--from']);

const exactVersion = /^v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$|^\d+(?:\.\d+)+(?:[\w.+-]*)$|^sha256:[0-9a-f]{64}$/;

/** Whether it is an exact version, not a range or tag. */
export function isExactVersion(version: string): boolean {
  return exactVersion.test(version);
}

const scripts = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.py', '.rb', '.sh', '.jar', '.php', '.pl']);

/** Never rejects: a version that cannot be determined floats. */
export async function fingerprintLaunch(
  config: ServerConfig,
  digest: typeof digestFile = digestFile,
): Promise<LaunchFingerprint> {
  if (config.kind === 'builtin') return { program: `builtin ${config.builtin}`, pin: config.builtin };
  if (config.kind !== 'stdio') return { program: config.url, pin: undefined };
  const { command, args, cwd, env } = config;
  const name = programName(command);
  const runner = runners.find((one) => one.name.test(name));
  if (runner !== undefined) return ofPackage(name, args, runner.version);
  const script = scriptOf(args);
  const file = resolve(cwd ?? defaultWorkingFolder({ ...process.env, ...env }), script ?? command);
  return { program: [command, ...args].join('\n'), pin: await digest(file) };
}

/**
 * Names the program that a command starts, regardless of version and arguments: the same for every launch of one
 * package or script.
 */
export function programNamed(command: string, args: readonly string[]): string {
  const name = programName(command);
  const runner = runners.find((one) => one.name.test(name));
  if (runner === undefined) return [command, ...(scriptOf(args) === undefined ? args : [scriptOf(args)])].join('\n');
  const written = args[packagePlace(command, args)];
  if (written === undefined) return [name, ...args].join('\n');
  return [name, runner.version.exec(written)?.[1] ?? written].join('\n');
}

/** The script that an interpreter runs, as written. */
export function scriptOf(args: readonly string[]): string | undefined {
  return args.find((arg) => !arg.startsWith('-') && scripts.has(extname(arg).toLowerCase()));
}

/** The image of a command that starts a container, as written: `docker run … IMAGE`. */
export function imageOf(command: string, args: readonly string[]): string | undefined {
  const isEngine = engines.test(programName(command));
  return isEngine && args.find((arg) => !arg.startsWith('-')) === 'run' ? args[packagePlace(command, args)] : undefined;
}

/** The package without a locked version, if the command fetches one: `@scope/server`. */
export function unpinnedPackage(command: string, args: readonly string[]): string | undefined {
  const name = programName(command);
  const runner = runners.find((one) => one.name.test(name));
  return runner === undefined ? undefined : ofPackage(name, args, runner.version).floats;
}

/**
 * The arguments with a locked version in the runner's notation; undefined if nothing floats. Throws AppError
 * `bad_request` for anything but an exact version.
 */
export function pinPackageVersion(
  command: string,
  args: readonly string[],
  version: string,
): readonly string[] | undefined {
  if (!exactVersion.test(version)) {
    throw new AppError('bad_request', `${JSON.stringify(version)} is not an exact version.`, {
      fix: 'Use a version such as 1.2.3.',
    });
  }
  const name = unpinnedPackage(command, args);
  if (name === undefined) return undefined;
  const at = packagePlace(command, args);
  // Options take Python requirements; a positional package always takes a version after an @.
  const joint = args[at - 1] === '--from' ? '==' : '@';
  return args.with(at, `${name}${joint}${version}`);
}

export interface FetchedPackage {
  readonly name: string;
  /** The version, range or tag as written; undefined if none. */
  readonly wanted: string | undefined;
  /** Which of its programs is run, if specified. */
  readonly program: string | undefined;
  /** Arguments of the program. */
  readonly args: readonly string[];
}

/** The package that `npx` fetches and runs; undefined for other commands, and for other uses of npx. */
export function npxPackage(command: string, args: readonly string[]): FetchedPackage | undefined {
  if (programName(command) !== 'npx') return undefined;
  const at = packagePlace(command, args);
  const written = args[at];
  if (written === undefined || args.slice(0, at).some((arg) => /^(?:-c|--call)/.test(arg))) return undefined;
  const [, name = written, wanted] = /^(@?[^@]+)@(.+)$/.exec(written) ?? [];
  const rest = args.slice(at + 1).filter((arg, index) => index > 0 || arg !== '--');
  const isNamed = namesPackage.has(args[at - 1] ?? '');
  return { name, wanted, program: isNamed ? rest[0] : undefined, args: isNamed ? rest.slice(1) : rest };
}

/** `npx` for `C:\nodejs\npx.cmd`. */
export function programName(command: string): string {
  return command
    .replace(/^.*[\\/]/, '')
    .replace(/\.(?:exe|cmd|bat|ps1)$/i, '')
    .toLowerCase();
}

function ofPackage(runner: string, args: readonly string[], version: RegExp): LaunchFingerprint {
  const at = packagePlace(runner, args);
  const written = args[at];
  if (written === undefined) return { program: [runner, ...args].join('\n'), pin: undefined };
  const [, name = written, tag] = version.exec(written) ?? [];
  const program = [runner, ...args.slice(0, at), name, ...args.slice(at + 1)].join('\n');
  if (tag !== undefined && exactVersion.test(tag)) return { program, pin: tag };
  return { program, pin: undefined, floats: name };
}

/** Index of the package or image among a runner's arguments; the number of arguments if there is none. */
export function packagePlace(command: string, args: readonly string[]): number {
  if (engines.test(programName(command))) return imagePlace(args);
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (namesPackage.has(arg)) return at + 1;
    if (withValue.has(arg)) at++;
    else if (!arg.startsWith('-') && !runnerWords.has(arg)) return at;
  }
  return args.length;
}

function imagePlace(args: readonly string[]): number {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (!arg.startsWith('-')) {
      if (!engineWords.has(arg)) return at;
    } else if (takesNextWord(arg)) at++;
  }
  return args.length;
}

/** `--name`, `-p`, `-itp`; not `--name=x`, `-p80:80`, or a switch. */
function takesNextWord(option: string): boolean {
  if (option.startsWith('--')) return !option.includes('=') && option !== '--' && !engineSwitches.has(option);
  return /^-[dDitPq]*[^\WdDitPq]$/.test(option);
}

/** Whether two pins are known and differ; unknown pins never differ. */
export function isOtherVersion(before: string | null | undefined, now: string | undefined): boolean {
  return typeof before === 'string' && now !== undefined && before !== now;
}

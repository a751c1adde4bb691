/** Starts a core if none runs, once even when many shims want one, and waits until it answers. */
import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quitFile } from '../core/base/app-paths.ts';
import { LockFile } from '../core/base/file-lock.ts';
import { errorLineText, failureText } from './failure-text.ts';

export interface CoreStart {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly runDir: string;
}

interface Launched {
  readonly isBrokered: boolean;
  /** How the process ended, once it has; a core that finds another one running also ends. */
  ended: { readonly how: string; readonly at: number; readonly isFine: boolean } | undefined;
}

const startTimeoutMs = 20_000;
const pollMs = 50;
/** How long another core may take to respond after ours ended, in ms. */
const exitGraceMs = 2000;

/**
 * Calls `connect` until it resolves with something; it gives undefined while nobody listens.
 * Rejects at once if the user quit Tooltray until they start it, after 20 s, when the started process ends without one
 * answering, or with the signal's reason.
 */
export async function startCore<T>(
  start: CoreStart,
  connect: () => Promise<T | undefined>,
  signal: AbortSignal,
): Promise<T> {
  mkdirSync(start.runDir, { recursive: true, mode: 0o700 });
  if (existsSync(quitFile(start.runDir))) {
    throw new Error('You quit Tooltray until you start it yourself. Start the Tooltray app, or run "tooltray serve".');
  }
  using lock = startLock(start.runDir);
  const logFile = join(start.runDir, 'core-start.log');
  const deadline = Date.now() + startTimeoutMs;
  let launched: Launched | undefined;
  for (;;) {
    // Acquired before the next attempt: the previous holder of the lock may have started a core.
    const mayLaunch = launched === undefined && lock.tryAcquire();
    const link = await connect();
    if (link !== undefined) return link;
    if (mayLaunch) {
      const { command, runDir } = start;
      const env = await withSession(start, process.platform);
      launched = launch({ command, env, runDir }, brokered(start, process.platform), logFile);
    }
    // Without the broker, as on a machine where it is blocked, the app is still reached if nothing is redirected.
    if (launched?.isBrokered === true && launched.ended?.isFine === false)
      launched = launch(start, start.command, logFile);
    const ended = launched?.ended;
    // A process that ends well has found another one that is starting.
    if (ended !== undefined && !ended.isFine && Date.now() - ended.at > exitGraceMs) throw failure(ended.how, logFile);
    if (Date.now() > deadline) throw failure(`it did not answer within ${startTimeoutMs / 1000} seconds`, logFile);
    await sleep(pollMs, undefined, { signal });
  }
}

/** Says "I am starting the core": keeps ten shims from starting ten. The core itself makes sure that only one stays. */
export function startLock(runDir: string): LockFile {
  return new LockFile(join(runDir, 'start.lock'), 60_000);
}

function launch(start: CoreStart, command: readonly string[], logFile: string): Launched {
  const { env } = start;
  const isBrokered = command !== start.command;
  const launched: Launched = { isBrokered, ended: undefined };
  const log = openSync(logFile, 'w', 0o600);
  try {
    // Its own session, and not in the client app's folder: it outlives both.
    const child = spawn(command[0] ?? '', command.slice(1), {
      cwd: homedir(),
      // The shim may be started by a server of another core, which kills every process with this mark.
      env: { ...env, TOOLTRAY_PROCESS: undefined },
      detached: true,
      windowsHide: isBrokered || hidesWindows(command, env),
      stdio: ['ignore', log, log],
    });
    const end = (how: string, isFine = false) => (launched.ended ??= { how, at: Date.now(), isFine });
    child.once('error', (error) => end(failureText(error)));
    child.once('exit', (code, signal) => end(`it ended with ${signal ?? `code ${code}`}`, code === 0));
    child.unref();
  } finally {
    closeSync(log);
  }
  return launched;
}

/**
 * The command that starts the app through a program of the system, so that it is no descendant of the client app:
 * Windows redirects what those of a packaged client app write, and macOS asks for permissions in the name of the client
 * app. A private instance (`TOOLTRAY_HOME`) is started directly, since a broker passes no environment on. Its end with
 * 0 means that the app starts.
 */
export function brokered(
  { command, env }: Pick<CoreStart, 'command' | 'env'>,
  platform: NodeJS.Platform,
): readonly string[] {
  const [program = '', ...words] = command;
  if (hidesWindows(command, env) || env['TOOLTRAY_HOME'] !== undefined) return command;
  if (platform === 'darwin') {
    const bundle = /^(.*?\.app)\/Contents\/MacOS\//.exec(program)?.[1];
    return bundle === undefined ? command : ['/usr/bin/open', '-g', '-a', bundle, '--args', ...words];
  }
  if (platform !== 'win32') return command;
  const line = [program, ...words].map((word) => `"${word}"`).join(' ');
  const script = [
    "$ErrorActionPreference = 'Stop'",
    `$line = '${line.replaceAll("'", "''")}'`,
    '$started = Invoke-CimMethod -ClassName Win32_Process -MethodName Create -Arguments @{ CommandLine = $line }',
    'exit $started.ReturnValue',
  ].join('\n');
  const encoded = Buffer.from(script, 'utf16le').toString('base64');
  return ['powershell.exe', '-NoProfile', '-NonInteractive', '-EncodedCommand', encoded];
}

const sessionVariables =
  /^(DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|XDG_CURRENT_DESKTOP|XDG_SESSION_TYPE|DBUS_SESSION_BUS_ADDRESS)=(.+)$/;

/**
 * The environment in which the app finds the user's desktop. Client apps pass few variables on, and none of it among
 * them; systemd has them on Linux. Unchanged if it cannot be asked.
 */
export async function withSession(
  { command, env }: Pick<CoreStart, 'command' | 'env'>,
  platform: NodeJS.Platform,
): Promise<NodeJS.ProcessEnv> {
  const hasDisplay = [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((value) => value !== undefined && value !== '');
  if (platform !== 'linux' || hasDisplay || hidesWindows(command, env)) return env;
  const runtime = env['XDG_RUNTIME_DIR'] ?? `/run/user/${process.getuid?.() ?? 0}`;
  const text = await new Promise<string>((resolve) => {
    const options = { env: { ...env, XDG_RUNTIME_DIR: runtime }, timeout: 2000 };
    execFile('systemctl', ['--user', 'show-environment'], options, (error, stdout) => resolve(error ? '' : stdout));
  });
  const found = text.split('\n').flatMap((line) => {
    const [, name, value] = sessionVariables.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return { ...env, ...Object.fromEntries(found) };
}

/** The app would start with its window hidden; Node.js and what it runs have no window to show. */
export function hidesWindows([program = '']: readonly string[], env: NodeJS.ProcessEnv): boolean {
  return env['ELECTRON_RUN_AS_NODE'] !== undefined || /(?:^|[\\/])node(?:\.exe)?$/i.test(program);
}

function failure(how: string, logFile: string): Error {
  const lastWords = errorLineText(tail(logFile));
  const said = lastWords === '' ? '' : ` Its last words: ${lastWords}`;
  return new Error(`Tooltray could not be started: ${how}.${said} See ${logFile}, or run "tooltray doctor".`);
}

function tail(file: string): string {
  try {
    return lastWordsIn(readFileSync(file, 'utf8'));
  } catch {
    return '';
  }
}

/**
 * The line that says why: what the command line or Node.js printed as the error, not the stack and the version below
 * it.
 */
export function lastWordsIn(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const error = lines.findLast((line) => /^(?:tooltray: |(?:Uncaught )?\w*(?:Error|Exception)\b[^:]*: )/.test(line));
  const said = error ?? lines.filter((line) => line !== '' && !/^(?:\s|Node\.js v)/.test(line)).at(-1) ?? '';
  return said.slice(0, 500);
}

/** How a core is started from here: by what the launcher of the installed app names, else by our own command line. */
export interface CoreCommand {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Starts a core if none runs, only once even if many shims need one, and waits until it accepts connections. */
import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quitFile, updateFile } from '../core/base/app-paths.ts';
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
  /** How the process ended; a core that finds another one running also ends. */
  ended: { readonly how: string; readonly at: number; readonly isFine: boolean } | undefined;
}

const startTimeoutMs = 20_000;
const pollMs = 50;
/** Time for another core to respond after ours ended, in ms. */
const exitGraceMs = 2000;

/**
 * Calls `connect` until it resolves with a value; it returns undefined while no core listens. Starts nothing while an
 * update is installed, because a core of the old version would keep the installer from replacing its files. Rejects
 * immediately if the user quit Tooltray until they start it; otherwise 20 s after the start or the update, when the
 * started process ends without one responding, or with the signal's reason.
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
  let deadline = Date.now() + startTimeoutMs;
  let launched: Launched | undefined;
  for (;;) {
    const isUpdating = Date.now() < updateEnd(start.runDir);
    // Acquired before the next attempt, because the previous lock holder may have started a core.
    const mayLaunch = launched === undefined && !isUpdating && lock.tryAcquire();
    const link = await connect();
    if (link !== undefined) return link;
    if (isUpdating) deadline = Date.now() + startTimeoutMs;
    if (mayLaunch) {
      const { command, runDir } = start;
      const env = await withSession(start, process.platform);
      launched = launch({ command, env, runDir }, brokered(start, process.platform), logFile);
    }
    // If the system program that starts the app is blocked, the app is started directly, which works unless files are
    // redirected.
    if (launched?.isBrokered === true && launched.ended?.isFine === false)
      launched = launch(start, start.command, logFile);
    const ended = launched?.ended;
    // A process that exits successfully has found another one that is starting.
    if (ended !== undefined && !ended.isFine && !isUpdating && Date.now() - ended.at > exitGraceMs)
      throw failure(ended.how, logFile);
    if (Date.now() > deadline) throw failure(`it did not respond within ${startTimeoutMs / 1000} seconds`, logFile);
    await sleep(pollMs, undefined, { signal });
  }
}

/** The time until which an update may take, in ms since 1970; 0 if none is installed. */
function updateEnd(runDir: string): number {
  try {
    return Number(readFileSync(updateFile(runDir), 'utf8'));
  } catch {
    return 0;
  }
}

/** Lock that keeps ten shims from starting ten cores. The core itself ensures that only one remains. */
export function startLock(runDir: string): LockFile {
  return new LockFile(join(runDir, 'start.lock'), 60_000);
}

function launch(start: CoreStart, command: readonly string[], logFile: string): Launched {
  const { env } = start;
  const isBrokered = command !== start.command;
  const launched: Launched = { isBrokered, ended: undefined };
  const log = openSync(logFile, 'w', 0o600);
  try {
    // In its own process session, and not in the client app's working directory, because it outlives both.
    const child = spawn(command[0] ?? '', command.slice(1), {
      cwd: homedir(),
      // The shim may have been started by a server of another core, which kills every process with this mark.
      env: { ...env, TOOLTRAY_PROCESS: undefined },
      detached: true,
      windowsHide: isBrokered || hidesWindows(command, env),
      stdio: ['ignore', log, log],
    });
    const end = (how: string, isFine = false) => (launched.ended ??= { how, at: Date.now(), isFine });
    child.once('error', (error) => end(failureText(error)));
    child.once('exit', (code, signal) => end(`it exited with ${signal ?? `code ${code}`}`, code === 0));
    child.unref();
  } finally {
    closeSync(log);
  }
  return launched;
}

/**
 * Command that starts the app through a system program, so that it is not a descendant of the client app: Windows
 * redirects file access of a packaged app's descendants, and macOS requests permissions in the client app's name. A
 * private instance (`TOOLTRAY_HOME`) is started directly, since these programs do not pass the environment on. Exit
 * code 0 means that the app is starting.
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
 * Environment with the variables of the user's desktop session. Client apps do not pass these on; on Linux systemd has
 * them. Unchanged if it cannot be asked.
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

/** The app itself would start with a hidden window; Node.js and its children have no window to show. */
export function hidesWindows([program = '']: readonly string[], env: NodeJS.ProcessEnv): boolean {
  return env['ELECTRON_RUN_AS_NODE'] !== undefined || /(?:^|[\\/])node(?:\.exe)?$/i.test(program);
}

function failure(how: string, logFile: string): Error {
  const lastWords = errorLineText(tail(logFile));
  const said = lastWords === '' ? '' : ` Last output: ${lastWords}`;
  return new Error(`Tooltray could not be started: ${how}.${said} See ${logFile}, or run "tooltray doctor".`);
}

function tail(file: string): string {
  try {
    return lastWordsIn(readFileSync(file, 'utf8'));
  } catch {
    return '';
  }
}

/** The error line printed by the command line or Node.js, without stack trace and version. */
export function lastWordsIn(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const error = lines.findLast((line) => /^(?:tooltray: |(?:Uncaught )?\w*(?:Error|Exception)\b[^:]*: )/.test(line));
  const said = error ?? lines.filter((line) => line !== '' && !/^(?:\s|Node\.js v)/.test(line)).at(-1) ?? '';
  return said.slice(0, 500);
}

/** How to start a core: the command named by the installed app's launcher, otherwise our own command line. */
export interface CoreCommand {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * `tooltray stdio`: connects stdin and stdout to the core's socket. Connects before anything else; all other work
 * can wait.
 */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { socketLocation } from '../core/base/app-paths.ts';
import { CoreNotRunningError, coreCommand, dial, type Link } from './dial.ts';
import { ShimSession } from './shim-session.ts';

/**
 * Serves the client app on stdin and stdout until it disconnects; resolves with the exit code.
 * `cliFile` is the command line's script, for starting a core.
 */
export async function runShim(args: readonly string[], cliFile: string): Promise<number> {
  let wishes: ShimArgs;
  try {
    wishes = parseShimArgs(args);
  } catch (error) {
    reportError((error as Error).message);
    return 2;
  }
  const ending = new AbortController();
  const connect = connector(wishes, cliFile, ending.signal);
  const first = connect(true);
  // Client apps stop servers with a signal; nothing needs saving.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
  // A client app that exits closes stdin.
  process.on('SIGHUP', () => {
    const location = socketLocation(process.env, process.platform, homedir());
    void import('./request-reload.ts').then(({ requestReload }) => requestReload(location)).catch(() => undefined);
  });
  await new ShimSession({ input: process.stdin, output: process.stdout, ending, connect, complain: reportError }).run(
    first,
  );
  return 0;
}

/** Arguments of `tooltray stdio` that the shim handles itself. */
export interface ShimArgs {
  readonly app: string | undefined;
  readonly mode: string | undefined;
  readonly profile: string | undefined;
  /** The only server of the session. */
  readonly server: string | undefined;
  /** Absolute path. */
  readonly config: string | undefined;
}

const names = ['app', 'mode', 'profile', 'server', 'config'] as const;

/** Parses `--name value` and `--name=value`. Throws Error with a message for the user. */
export function parseShimArgs(args: readonly string[]): ShimArgs {
  const found = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const [, name, inline] = /^--([a-z]+)(?:=(.*))?$/s.exec(args[i] as string) ?? [];
    if (!names.some((known) => known === name)) {
      throw new Error(
        `Unknown argument "${args[i]}". Supported: --app NAME, --mode MODE, --profile NAME, --server NAME, --config FILE.`,
      );
    }
    const value = inline ?? args[++i];
    if (value === undefined || value === '') throw new Error(`--${name} requires a value.`);
    found.set(name as string, value);
  }
  const config = found.get('config');
  return {
    app: found.get('app'),
    mode: found.get('mode'),
    profile: found.get('profile'),
    server: found.get('server'),
    config: config === undefined ? undefined : resolve(config),
  };
}

function connector(wishes: ShimArgs, cliFile: string, signal: AbortSignal) {
  const location = socketLocation(process.env, process.platform, homedir());
  const reach = () => dial(location, { purpose: 'session', ...wishes });
  return async (mayStart: boolean): Promise<Link> => {
    if (!mayStart) return reach();
    const link = await ifPresent(reach);
    if (link !== undefined) return link;
    // Loaded on demand, because a shim rarely starts a core.
    const { startCore } = await import('./start-core.ts');
    const start = { ...coreCommand(cliFile, wishes.config), runDir: location.runDir };
    return startCore(start, () => ifPresent(reach), signal);
  };
}

async function ifPresent(reach: () => Promise<Link>): Promise<Link | undefined> {
  try {
    return await reach();
  } catch (error) {
    if (error instanceof CoreNotRunningError) return undefined;
    throw error;
  }
}

function reportError(text: string): void {
  process.stderr.write(`tooltray: ${text}\n`);
}

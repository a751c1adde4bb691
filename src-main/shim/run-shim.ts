/** `tooltray stdio`: wires stdin, stdout and the core's socket together. Connects before anything else; all else can wait. */
import { homedir } from 'node:os';
import { socketLocation } from '../core/base/app-paths.ts';
import { CoreAbsent, coreCommand, dial, type Link, parseShimArgs, type ShimArgs } from './dial.ts';
import { ShimSession } from './shim-session.ts';

/**
 * Serves the client app on stdin and stdout until it leaves; resolves with the exit code.
 * `cliFile` is the command line's script, for starting a core.
 */
export async function runShim(args: readonly string[], cliFile: string): Promise<number> {
  let wishes: ShimArgs;
  try {
    wishes = parseShimArgs(args);
  } catch (error) {
    complain((error as Error).message);
    return 2;
  }
  const ending = new AbortController();
  const connect = connector(wishes, cliFile, ending.signal);
  const first = connect(true);
  // Ended by a signal is how client apps end a server; nothing here needs saving.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
  // A client app that ends without a word closes stdin.
  process.on('SIGHUP', () => {
    const location = socketLocation(process.env, process.platform, homedir());
    void import('./ask-reload.ts').then(({ askReload }) => askReload(location)).catch(() => undefined);
  });
  await new ShimSession({ input: process.stdin, output: process.stdout, ending, connect, complain }).run(first);
  return 0;
}

function connector(wishes: ShimArgs, cliFile: string, signal: AbortSignal) {
  const location = socketLocation(process.env, process.platform, homedir());
  const reach = () => dial(location, { purpose: 'session', ...wishes });
  return async (mayStart: boolean): Promise<Link> => {
    if (!mayStart) return reach();
    const link = await ifPresent(reach);
    if (link !== undefined) return link;
    // Loaded only here: starting processes is what a shim hardly ever does.
    const { startCore } = await import('./start-core.ts');
    const start = { ...coreCommand(cliFile, wishes.config), runDir: location.runDir };
    return startCore(start, () => ifPresent(reach), signal);
  };
}

async function ifPresent(reach: () => Promise<Link>): Promise<Link | undefined> {
  try {
    return await reach();
  } catch (error) {
    if (error instanceof CoreAbsent) return undefined;
    throw error;
  }
}

function complain(text: string): void {
  process.stderr.write(`tooltray: ${text}\n`);
}

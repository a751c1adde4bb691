/** `tooltray sign-in NAME`: opens the page where a person signs in to a server, and waits until that is done. */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerStatus } from '../rpc/contract.ts';
import { type CoreAccess, withCore } from './core-access.ts';
import { oneLine } from './plain-text.ts';
import { paint, printJson, printLines } from './print.ts';
import { commonFlags, readFlags } from './read-flags.ts';
import { unknownServer } from './unknown-server.ts';

const flags = { ...commonFlags, 'no-open': { type: 'boolean' } } as const;
const lookEveryMs = 250;

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values, positionals } = readFlags(args, flags, [1, 1], form);
  const name = positionals[0] ?? '';
  return withCore(values.config, async (core) => {
    await statusOf(core, name);
    const { url } = await core.ask('signIn', { server: name });
    // For people only, so that stdout stays one document for scripts.
    process.stderr.write(`Sign in to ${oneLine(name)} in your browser:\n  ${oneLine(url)}\n`);
    if (values['no-open'] !== true) openInBrowser(url);
    const status = await settled(core, name);
    const isWell = status.level === 'ok';
    if (values.json === true) printJson(status);
    else printLines([`${oneLine(name)}: ${paint(isWell ? 'good' : 'bad', status.summary)}. ${oneLine(status.detail)}`]);
    return isWell ? 0 : 1;
  });
}

async function statusOf(core: CoreAccess, name: string): Promise<ServerStatus> {
  const { servers } = await core.ask('state', {});
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  throw unknownServer(
    name,
    servers.map((server) => server.name),
  );
}

/** The core gives a person five minutes, so this ends. */
async function settled(core: CoreAccess, name: string): Promise<ServerStatus> {
  for (;;) {
    const status = await statusOf(core, name);
    // Between two steps it is neither; `off` would be shown for that moment.
    if (status.level !== 'busy' && status.state !== 'disconnected') return status;
    await sleep(lookEveryMs);
  }
}

/** The address is an argument of its own: no shell reads it. Where there is no browser, the printed line has to do. */
function openInBrowser(url: string): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(command ?? '', [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  // `start` belongs to cmd.exe, which would take the & of an address for its own.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

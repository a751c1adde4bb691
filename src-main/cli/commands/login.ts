/**
 * `tooltray login NAME`: opens a server's sign-in page and waits for the result. `tooltray
 * logout NAME`.
 */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../core/base/errors.ts';
import { clientMetadataUrlProblem } from '../../core/config/schema.ts';
import type { CoreAccess, ServerStatus } from '../../rpc/contract.ts';
import { unknownServer } from '../cli-config.ts';
import { command, commonFlags } from '../command.ts';
import { withCore } from '../core-access.ts';
import { oneLine, paint, printResult } from '../terminal.ts';

const pollIntervalMs = 250;

export const login = command({
  words: '[NAME]',
  flags: {
    noOpen: { help: 'Print the URL without opening a browser' },
    clientDocument: { value: 'URL', help: 'Print the OAuth client metadata document for URL' },
    ...commonFlags,
  },
  run: async ({ noOpen, clientDocument: url, config, json }, [name]) => {
    if (url !== undefined) return printDocument(url);
    if (name === undefined) {
      throw new AppError('bad_request', 'No server specified.', {
        fix: 'List servers with: tooltray list',
      });
    }
    return withCore(config, async (core) => {
      await statusOf(core, name);
      const { url } = await core.ask('signIn', { server: name });
      // Printed to stderr, so that stdout contains a single JSON document.
      process.stderr.write(`Open this URL to sign in to ${oneLine(name)}:\n  ${oneLine(url)}\n`);
      if (!noOpen) openInBrowser(url);
      const status = await settled(core, name);
      const account = status.signedIn?.account ?? '';
      printResult(json, status, () => [
        statusLine(status),
        ...(account === '' ? [] : [`Signed in as ${oneLine(account)}.`]),
      ]);
      return status.level === 'ok' ? 0 : 1;
    });
  },
});

/** Prints the document exactly as it must be published. Rejects with AppError `bad_request`. */
async function printDocument(url: string): Promise<number> {
  const { clientMetadataDocument } = await import('../../core/servers/oauth/client-metadata-document.ts');
  const problem = clientMetadataUrlProblem(url);
  if (problem !== undefined)
    throw new AppError('bad_request', `${JSON.stringify(url)} is not a valid client ID URL: ${problem}`);
  printResult(true, clientMetadataDocument(url), () => []);
  process.stderr.write(
    `Publish this at ${oneLine(url)} as application/json, without redirects, and add to your config:\n  "oauth": { "clientMetadataUrl": ${JSON.stringify(url)} }\n`,
  );
  return 0;
}

export const logout = command({
  words: 'NAME',
  flags: commonFlags,
  run: ({ config, json }, [name = '']) =>
    withCore(config, async (core) => {
      await statusOf(core, name);
      const answer = await core.ask('signOut', { server: name });
      printResult(json, answer, () => [oneLine(answer.sentence)]);
      return answer.wasSignedIn ? 0 : 1;
    }),
});

/** Formats a server's status after an action. */
export function statusLine({ name, level, summary, detail }: ServerStatus): string {
  return `${oneLine(name)}: ${paint(level === 'ok' ? 'good' : 'bad', summary)}. ${oneLine(detail)}`;
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

/** The core times out sign-ins after five minutes, so this loop ends. */
async function settled(core: CoreAccess, name: string): Promise<ServerStatus> {
  for (;;) {
    const status = await statusOf(core, name);
    // Between two steps the server is neither busy nor failed, and `off` would be shown briefly.
    if (status.level !== 'busy' && status.state !== 'disconnected') return status;
    await sleep(pollIntervalMs);
  }
}

/** The URL is passed as an argument, without a shell. Without a browser, the user opens the printed URL. */
function openInBrowser(url: string): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(command ?? '', [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  // `start` would run in cmd.exe, which interprets the `&` of a URL.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * Signing-in client for the conformance suite: the built core with the server at the given URL, and a user who
 * consents to everything, by command line and browser.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { cliCommand, startBuiltCore } from './built-core.ts';
import { PrivateHome } from './private-home.ts';
import { clientMetadataUrl, mostAnswers } from './sign-in-facts.ts';

const { client_id: clientId, client_secret: clientSecret } = JSON.parse(
  process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}',
) as Readonly<Record<string, string>>;
using home = new PrivateHome();
const oauth = { clientMetadataUrl, ...(clientId !== undefined && { clientId, clientSecret }) };
await using _core = await startBuiltCore({ far: { url: process.argv.at(-1), oauth } }, home, {}, { waits: true });
process.exitCode = (await comesThrough()) ? 0 : 1;

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
}

/** Runs a command; if it prints a URL for the browser, the browser opens it. */
async function run(...words: string[]): Promise<Ran> {
  const { command, args } = cliCommand(...words);
  const child = spawn(command, args, { env: home.env, cwd: home.workFolder });
  let visit: Promise<unknown> = Promise.resolve();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    const wasThere = /https?:\S+/.test(stderr);
    stderr += chunk;
    const url = /https?:\S+(?=\s)/.exec(stderr)?.[0];
    if (url !== undefined && !wasThere) visit = fetch(url).then((page) => page.text());
  });
  const stdout = text(child.stdout);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  await visit;
  return { code, stdout: await stdout };
}

/** Signs in as required until a call works, or until the server rejects it without requiring more. */
async function comesThrough(): Promise<boolean> {
  for (let answers = 0; answers < mostAnswers; answers++) {
    const [server] = (await listed<{ servers: { state: string }[] }>('list')).servers;
    if (server?.state !== 'ready') await run('login', 'far', '--no-open');
    const [tool] = (await listed<{ tools: { id: string }[] }>('tools')).tools;
    if (tool !== undefined && (await run('call', tool.id)).code === 0) return true;
    const { items } = await listed<{ items: { id: string; kind: string }[] }>('inbox');
    const asked = items.find(({ kind }) => kind === 'scopes');
    if (asked !== undefined) await run('inbox', 'approve', asked.id);
  }
  return false;
}

async function listed<T>(...words: string[]): Promise<T> {
  return JSON.parse((await run(...words, '--json')).stdout) as T;
}

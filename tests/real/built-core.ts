/** Starts the built core with `tooltray serve`, and provides the connections for client apps. */
import { formatCount } from '../../src-main/core/base/text-format.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PrivateHome } from './private-home.ts';

const cliFile = join(import.meta.dirname, '../../dist/cli.js');

export interface BuiltCore extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/mcp` */
  readonly url: string;
}

/** The built command line. */
export function cliCommand(...args: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [cliFile, ...args] };
}

/** The command for a client app; connects to the core in that TOOLTRAY_HOME. */
export function shimCommand(app: string, ...more: string[]): { command: string; args: string[] } {
  return cliCommand('stdio', '--app', app, ...more);
}

/**
 * Resolves when the core reports that all of its servers are ready, rejects with its output if they are not; `waits`:
 * they need not be.
 */
export async function startBuiltCore(
  servers: Readonly<Record<string, object>>,
  home: PrivateHome,
  settings: object = {},
  { waits = false }: { readonly waits?: boolean } = {},
): Promise<BuiltCore> {
  const config = join(home.path, 'config.json');
  writeFileSync(config, JSON.stringify({ mode: 'proxy', ...settings, mcpServers: servers }));
  const args = [cliFile, 'serve', '--config', config, '--port', '0', '--no-open', '--insecure-no-auth'];
  const child = spawn(process.execPath, args, {
    env: home.env,
    cwd: home.workFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const gone = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill();
    await gone;
  };
  const ready = `${Object.keys(servers).length} of ${formatCount(Object.keys(servers).length, 'server')} ready`;
  while (!/servers? ready/.test(said) && child.exitCode === null)
    await Promise.race([once(child.stdout, 'data'), gone]);
  const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said)?.[0];
  if (url !== undefined && (waits || said.includes(ready))) return { url, [Symbol.asyncDispose]: stop };
  await stop();
  throw new Error(`The core did not start as it should: ${said}`);
}

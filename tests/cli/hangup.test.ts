/** SIGHUP reloads the config without exiting. The config's watcher is disabled, so that nothing else reads it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { CliHome, cliFile, entries } from './cli-home.ts';

// A closed terminal ends its programs with the same signal, which is tested elsewhere; Windows has no SIGHUP.
const here = process.platform !== 'win32';
const blind = { CHOKIDAR_USEPOLLING: 'true', CHOKIDAR_INTERVAL: '3600000' };

/** The program's output, line by line. */
function started(home: CliHome, ...args: string[]): { child: ChildProcess; line: () => Promise<string> } {
  const env = { ...process.env, ...blind, TOOLTRAY_HOME: home.path, TERM: 'dumb', NO_COLOR: '1' };
  // In its own session, like a service, so that the signal does not mean a closed terminal.
  const child = spawn(process.execPath, [cliFile, ...args], { env, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return { child, line: async () => String((await lines.next()).value) };
}

async function stopped(child: ChildProcess): Promise<number | null> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  return ((await ended) as [number | null])[0];
}

test.runIf(here)('SIGHUP makes a core reload its config without exiting', async () => {
  await using home = new CliHome({ echo: entries.echo });
  const { child, line } = started(home, 'serve', '--port', '0', '--no-open', '--json', '--config', home.configFile);
  const { pid } = JSON.parse(await line()) as { pid: number };
  const names = async (): Promise<string[]> =>
    ((await home.json('list')).data['servers'] as { name: string }[]).map(({ name }) => name);
  expect(await names()).toEqual(['echo']);

  home.writeConfig({ servers: { echo: entries.echo, more: entries.echo } });
  expect(await names()).toEqual(['echo']);
  process.kill(pid, 'SIGHUP');
  await expect.poll(names).toEqual(['echo', 'more']);
  process.kill(pid, 'SIGHUP');
  expect(await names()).toEqual(['echo', 'more']);
  expect({ exit: child.exitCode, signal: child.signalCode }).toEqual({ exit: null, signal: null });
  expect(await stopped(child)).toBe(0);
});

test.runIf(here)('SIGHUP makes a private core reload its config and notify its client app of new tools', async () => {
  await using home = new CliHome({ echo: entries.echo });
  const { child, line } = started(home, 'stdio', '--standalone', '--mode', 'proxy', '--config', home.configFile);
  const send = (message: object): void =>
    void child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const until = async (isWanted: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> => {
    for (;;) {
      const message = JSON.parse(await line()) as Record<string, unknown>;
      if (isWanted(message)) return message;
    }
  };
  const clientInfo = { name: 'test', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  await until(({ id }) => id === 1);
  send({ method: 'notifications/initialized' });
  const tools = async (id: number): Promise<string[]> => {
    send({ id, method: 'tools/list' });
    const { result } = (await until((message) => message['id'] === id)) as { result: { tools: { name: string }[] } };
    return result.tools.map(({ name }) => name);
  };
  expect((await tools(2)).filter((name) => name.startsWith('more'))).toEqual([]);

  home.writeConfig({ servers: { echo: entries.echo, more: entries.echo } });
  child.kill('SIGHUP');
  await until(({ method }) => method === 'notifications/tools/list_changed');
  await expect.poll(async () => (await tools(3)).some((name) => name.startsWith('more'))).toBe(true);
  expect(child.exitCode).toBeNull();
  child.stdin?.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

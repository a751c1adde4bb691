/** A core of its own with servers that answer, for tests of what comes of calls; and a client app that calls. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';

type Child = ChildProcessByStdio<Writable, Readable, null>;

export interface TrackerCore {
  /** The dashboard's link, with its key. */
  readonly link: string;
  /** Calls a tool as the client app; resolves to the answer's text. */
  call(tool: string, args?: object): Promise<string>;
}

const cli = join(import.meta.dirname, '../../dist/cli.js');

export const test = plain.extend<object, { core: TrackerCore }>({
  core: [
    // Playwright wants a pattern here, and reads from it what else has to be made first.
    async ({ browserName: _ }, use) => {
      const home = await mkdtemp(join(tmpdir(), 'tooltray-e2e-calls-'));
      const servers = { tracker: fixtureCommand('tracker'), big: fixtureCommand('misbehaving', 'big') };
      // Pictures are kept only where a threshold is named.
      const config = { mode: 'proxy', servers, results: { threshold: 40_000 } };
      await writeFile(join(home, 'config.json'), JSON.stringify(config));
      const env = { ...process.env, TOOLTRAY_HOME: home };
      const core = start(['serve', '--port', '0', '--no-open'], env);
      const link = await firstMatch(core.stdout, /http:\/\/127\.0\.0\.1:\d+\/#key=\S+/);
      const app = new App(start(['stdio', '--app', 'claude-desktop'], env));
      await app.greet();
      await use({ link, call: (tool, args = {}) => app.call(tool, args) });
      await Promise.all([app.child, core].map(end));
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
    { scope: 'worker' },
  ],
});

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
}

/** A client app over stdio, as plain as can be. */
class App {
  readonly child: Child;
  readonly #waiting = new Map<number, (message: Answer) => void>();
  #last = 0;

  constructor(child: Child) {
    this.child = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as Answer;
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
    });
  }

  async greet(): Promise<void> {
    const clientInfo = { name: 'Claude Desktop', version: '1.0.0' };
    await this.#ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.#send({ method: 'notifications/initialized' });
  }

  async call(name: string, args: object): Promise<string> {
    return JSON.stringify(await this.#ask('tools/call', { name, arguments: args }));
  }

  #ask(method: string, params: object): Promise<unknown> {
    const id = (this.#last += 1);
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, ({ result, ...rest }) => resolve(result ?? rest)));
  }

  #send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

function start(args: readonly string[], env: NodeJS.ProcessEnv): Child {
  return spawn(process.execPath, [cli, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] });
}

async function end(child: Child): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

function firstMatch(output: Readable, pattern: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    output.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = pattern.exec(text);
      if (found) resolve(found[0]);
    });
    output.once('close', () => reject(new Error(`It ended before it said where it is:\n${text}`)));
  });
}

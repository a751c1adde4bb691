/** A core as `tooltray serve` starts it, with a home of its own. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';

const cli = join(import.meta.dirname, '../../dist/cli.js');

/** Breaks at once, with last words that would like to be more than text. */
const hostileWords = `console.error('<img src=x onerror="document.title=1"> \\u001b[31mred\\u001b[0m'); process.exit(3)`;

export const test = plain.extend<{ core: ServedCore }>({
  core: async ({ baseURL: _baseURL }, use) => {
    const core = await ServedCore.start({
      echo: { ...fixtureCommand('echo'), env: { API_TOKEN: 'not-for-the-page' } },
      hostile: { command: process.execPath, args: ['-e', hostileWords] },
    });
    await use(core);
    await core.remove();
  },
});

export class ServedCore {
  readonly #home: string;
  #link = '';
  #stop: () => Promise<void> = async () => undefined;

  private constructor(home: string) {
    this.#home = home;
  }

  static async start(servers: object): Promise<ServedCore> {
    const home = await mkdtemp(join(tmpdir(), 'tooltray-e2e-dashboard-'));
    await writeFile(join(home, 'config.json'), JSON.stringify({ mode: 'search', servers }));
    const core = new ServedCore(home);
    await core.resume();
    return core;
  }

  /** The dashboard's link, with its key. */
  get link(): string {
    return this.#link;
  }

  /** A place in the dashboard, for a page that has been let in. */
  at(route: string): string {
    return new URL(`/#/${route}`, this.#link).href;
  }

  /** Starts it, on the same port where it had one. */
  async resume(): Promise<void> {
    const port = this.#link === '' ? '0' : new URL(this.#link).port;
    const env = { ...process.env, TOOLTRAY_HOME: this.#home };
    const child = spawn(process.execPath, [cli, 'serve', '--port', port, '--no-open'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    this.#stop = async () => {
      child.kill('SIGTERM');
      await ended;
    };
    let text = '';
    this.#link = await new Promise((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const found = /http:\/\/127\.0\.0\.1:\d+\/#key=\S+/.exec(text);
        if (found) resolve(found[0]);
      });
      void ended.then(() => reject(new Error(`It ended before it said where it is:\n${text}`)));
    });
  }

  async stop(): Promise<void> {
    await this.#stop();
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }
}

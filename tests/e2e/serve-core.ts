/** A core as started by `tooltray serve`, in a separate home, and its client apps. */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { test as plain } from '@playwright/test';
import { freePort } from '../../scripts/team/engines/free-port.ts';
import { resolveAppPaths } from '../../src-main/core/base/app-paths.ts';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { ClientApp, endChild, type PipedChild } from './client-app.ts';

const cli = join(import.meta.dirname, '../../dist/cli.js');

/** Crashes immediately, with last output that contains markup. */
const hostileWords = `console.error('<img src=x onerror="document.title=1"> \\u001b[31mred\\u001b[0m'); process.exit(3)`;

/** A core per test, with one working and one failing server. */
export const test = plain.extend<{ core: ServedCore }>({
  core: async ({ baseURL: _baseURL }, use) => {
    const servers = {
      echo: { ...fixtureCommand('echo'), env: { API_TOKEN: 'not-for-the-page' } },
      hostile: { command: process.execPath, args: ['-e', hostileWords] },
    };
    await using core = await ServedCore.start({ config: { mode: 'search', servers } });
    await use(core);
  },
});

export interface Home {
  /** undefined: the core writes its initial one. */
  readonly config?: object;
  /** Files in the user's home: JSON by path. */
  readonly files?: Readonly<Record<string, object>>;
}

export class ServedCore {
  readonly #folder: string;
  readonly #apps: Pick<ClientApp, 'end'>[] = [];
  #child: PipedChild | undefined;
  #port: number | undefined;
  #link = '';

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start({ config, files = {} }: Home): Promise<ServedCore> {
    const core = new ServedCore(await mkdtemp(join(tmpdir(), 'tooltray-e2e-')));
    const all = { ...files, ...(config && { 'own/config.json': config }) };
    for (const [path, content] of Object.entries(all)) await core.put(path, content);
    await core.resume();
    return core;
  }

  /** The dashboard's link, with its key. */
  get link(): string {
    return this.#link;
  }

  /** Environment for programs of this user. */
  get env(): NodeJS.ProcessEnv {
    const folder = this.#folder;
    return { ...process.env, HOME: folder, XDG_CONFIG_HOME: this.path('.config'), TOOLTRAY_HOME: this.path('own') };
  }

  /** URL of a place in the dashboard, for an authenticated page. */
  at(route: string): string {
    return new URL(`/#/${route}`, this.#link).href;
  }

  /** Absolute path of a file in the user's home. */
  path(path: string): string {
    return join(this.#folder, path);
  }

  read(path: string): Promise<string> {
    return readFile(this.path(path), 'utf8');
  }

  async put(path: string, content: object): Promise<void> {
    const file = this.path(path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(content, undefined, 2)}\n`);
  }

  /** A client app that has started Tooltray with `flags` and has sent its name; it ends with the core at the latest. */
  async connect(name = 'Claude Desktop', flags: readonly string[] = ['--app', 'claude-desktop']): Promise<ClientApp> {
    const app = await ClientApp.over(this.#spawn('stdio', ...flags), name);
    this.#apps.push(app);
    return app;
  }

  /** The shim as started by a client app with `flags`, before any message; it ends with the core at the latest. */
  startShim(...flags: readonly string[]): PipedChild {
    const shim = this.#spawn('stdio', ...flags);
    this.#apps.push({ end: () => endChild(shim, 'SIGTERM') });
    return shim;
  }

  /** Token of HTTP client apps. */
  async token(): Promise<string> {
    return (await readFile(resolveAppPaths(this.env, process.platform, this.#folder).tokenFile, 'utf8')).trim();
  }

  /** Output of a command. */
  async ask(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [cli, ...args], { env: this.env });
    return stdout;
  }

  /** Starts it, on the same port each time. */
  async resume(): Promise<void> {
    this.#port ??= await freePort();
    this.#child = this.#spawn('serve', '--port', String(this.#port), '--no-open', '--persistent-link');
    this.#link = await firstMatch(this.#child.stdout, /http:\/\/127\.0\.0\.1:\d+\/#key=\S+/);
  }

  /** Kills it, like a crash. */
  async kill(): Promise<void> {
    if (this.#child) await endChild(this.#child, 'SIGKILL');
  }

  /** Stops everything and deletes the home; `await using` does it automatically. */
  async remove(): Promise<void> {
    await Promise.all(this.#apps.map((app) => app.end()));
    if (this.#child) await endChild(this.#child, 'SIGTERM');
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove();
  }

  #spawn(...args: readonly string[]): PipedChild {
    return spawn(process.execPath, [cli, ...args], { env: this.env, stdio: ['pipe', 'pipe', 'inherit'] });
  }
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

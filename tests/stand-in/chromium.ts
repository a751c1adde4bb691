/** The browser for the stand-in's windows: found, started, and stopped with the app. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from '../../scripts/browser.mjs';
import { Cdp } from './cdp.ts';

const shutdownMs = 2000;

const switches = [
  '--headless=new',
  '--no-sandbox',
  '--no-startup-window',
  '--keep-alive-for-test',
  '--no-first-run',
  '--remote-debugging-port=0',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--force-color-profile=srgb',
  // Tests must not access the network.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

export class Chromium {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #started: Promise<string>;
  #cdp: Cdp | undefined;

  constructor() {
    this.#profile = mkdtempSync(join(tmpdir(), 'stand-in-'));
    this.#process = spawn(findBrowser(), [...switches, `--user-data-dir=${this.#profile}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#started = this.#addressOf(this.#process);
    process.on('exit', () => this.#kill());
  }

  /** Resolves with the connection; prints its URL, which Playwright waits for. */
  async connect(): Promise<Cdp> {
    const address = await this.#started;
    this.#cdp = await Cdp.connect(address);
    process.stderr.write(`DevTools listening on ${address}\n`);
    return this.#cdp;
  }

  async stop(): Promise<void> {
    const closed = this.#cdp?.send('Browser.close').catch(() => undefined);
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, shutdownMs))]);
    this.#kill();
  }

  #kill(): void {
    this.#process.kill('SIGKILL');
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 3 });
  }

  #addressOf({ stderr, ...browser }: ChildProcess): Promise<string> {
    return new Promise((resolve, reject) => {
      let said = '';
      stderr?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const address = /DevTools listening on (ws:\/\/\S+)/.exec(said)?.[1];
        if (address !== undefined) resolve(address);
      });
      this.#process.on('exit', () => reject(new Error(`${browser.spawnfile} ended: ${said.slice(-500)}`)));
    });
  }
}

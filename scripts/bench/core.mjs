/** A private core in a folder of its own, started from the build, with the servers that a measurement needs. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eachLine } from './lines.mjs';

/** A home for Tooltray with a config of these servers (`{name: {command, args}}`). */
export class Home {
  folder = mkdtempSync(join(tmpdir(), 'tooltray-bench-'));
  config = join(this.folder, 'config.json');
  env = { ...process.env, TOOLTRAY_HOME: this.folder };

  constructor(servers, settings = {}) {
    writeFileSync(this.config, JSON.stringify({ ...settings, mcpServers: servers }));
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export class Core {
  home;
  #child;
  #gone;
  #url;
  #dashboard;

  /**
   * Resolves when all servers have settled. `settings` go into the config, `nodeArgs` before the build; `env` makes
   * more variables for a home.
   */
  static async start(cli, servers, { settings, nodeArgs, env } = {}) {
    const home = new Home(servers, settings);
    const core = new Core(cli, home, nodeArgs, env?.(home));
    await core.#settled();
    return core;
  }

  constructor(cli, home, nodeArgs = [], env = {}) {
    this.home = home;
    const args = [...nodeArgs, cli, 'serve', '--config', home.config, '--port', '0', '--no-open', '--insecure-no-auth'];
    this.#child = spawn(process.execPath, args, { env: { ...home.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#gone = new Promise((resolve) => this.#child.once('close', resolve));
  }

  get pid() {
    return this.#child.pid;
  }

  /** The MCP endpoint over HTTP. */
  get url() {
    return this.#url;
  }

  /** The dashboard's link. */
  get dashboard() {
    return this.#dashboard;
  }

  async stop() {
    this.#child.kill();
    await this.#gone;
    this.home.remove();
  }

  #settled() {
    return new Promise((resolve, reject) => {
      void this.#gone.then(() => reject(new Error('The core ended before it was ready.')));
      eachLine(this.#child.stdout, (line) => {
        this.#url ??= /http:\/\/\S+\/mcp/.exec(line)?.[0];
        this.#dashboard ??= /http:\/\/127\.0\.0\.1:\d+\/(?:#key=\S+)?(?=\s|$)/.exec(line)?.[0];
        if (/ of \d+ servers? ready/.test(line)) resolve();
      });
    });
  }
}

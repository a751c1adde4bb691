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

  constructor(servers) {
    writeFileSync(this.config, JSON.stringify({ mcpServers: servers }));
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

  /** Resolves when all servers have settled. */
  static async start(cli, servers) {
    const core = new Core(cli, new Home(servers));
    await core.#settled();
    return core;
  }

  constructor(cli, home) {
    this.home = home;
    const args = [cli, 'serve', '--config', home.config, '--port', '0', '--no-open', '--no-token'];
    this.#child = spawn(process.execPath, args, { env: home.env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#gone = new Promise((resolve) => this.#child.once('close', resolve));
  }

  get pid() {
    return this.#child.pid;
  }

  /** The MCP endpoint over HTTP. */
  get url() {
    return this.#url;
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
        if (/ of \d+ servers ready/.test(line)) resolve();
      });
    });
  }
}

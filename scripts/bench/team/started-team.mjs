/**
 * A team's database and replicas as processes, for a measurement: npm's PostgreSQL, the build's command line, one user
 * with a token.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../team/engines/postgres.ts';
import { eachLine } from '../lines.mjs';
import { cli, entry, fixture } from '../places.mjs';

export class StartedTeam {
  #folder = mkdtempSync(join(tmpdir(), 'tooltray-bench-team-'));
  #stack = new AsyncDisposableStack();
  #config = join(this.#folder, 'config.json');
  #env = {};
  #count = 0;
  /** What opens every replica. */
  token = '';

  /** `settings` go into the config next to one server, `echo`. */
  static async start(settings = {}) {
    const team = new StartedTeam();
    try {
      await team.#open(settings);
    } catch (error) {
      await team.stop();
      throw error;
    }
    return team;
  }

  /**
   * One more of its replicas: `{pid, url, stop}`. `nodeArgs` stand before the build, `before` in front of the
   * whole command line.
   */
  async replica({ nodeArgs = [], before = [], env = {} } = {}) {
    const name = `r${++this.#count}`;
    const doors = ['--listen', '127.0.0.1:0', '--replica-name', name];
    const serve = [cli, 'team', 'serve', '--json', ...doors, '--config', this.#config, '--allow-unconfined'];
    const [command, ...args] = [...before, process.execPath, ...nodeArgs, ...serve];
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...this.#env, ...env, TOOLTRAY_HOME: join(this.#folder, name) },
    });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    const stop = async () => {
      child.kill();
      await gone;
    };
    this.#stack.defer(stop);
    const started = Promise.withResolvers();
    eachLine(child.stdout, (line) => started.resolve(JSON.parse(line)));
    void gone.then((code) => started.reject(new Error(`A replica ended with ${code}.`)));
    const { http, pid } = await started.promise;
    return { pid, url: `${http}/server/echo`, stop };
  }

  async stop() {
    await this.#stack.disposeAsync();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #open(settings) {
    // PostgreSQL runs as somebody else where we are root.
    chmodSync(this.#folder, 0o711);
    const cluster = await startPostgres({ folder: join(this.#folder, 'postgres') });
    this.#stack.defer(() => cluster.stop());
    const key = randomBytes(32).toString('base64url');
    this.#env = { ...process.env, TOOLTRAY_DATABASE: cluster.url, TOOLTRAY_TEAM_KEYS: key };
    writeFileSync(this.#config, JSON.stringify({ ...settings, mcpServers: { echo: entry(fixture('echo')) } }));
    this.#tooltray('team', 'migrate');
    this.#tooltray('team', 'user', 'add', 'ana');
    this.#tooltray('team', 'user', 'grant', 'everyone');
    this.token = JSON.parse(this.#tooltray('team', 'token', 'create', 'ana', '--json')).token;
  }

  #tooltray(...words) {
    const home = join(this.#folder, 'command-line');
    mkdirSync(home, { recursive: true });
    return execFileSync(process.execPath, [cli, ...words], {
      encoding: 'utf8',
      env: { ...this.#env, TOOLTRAY_HOME: home },
    });
  }
}

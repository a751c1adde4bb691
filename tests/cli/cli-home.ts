/** A private Tooltray home with the built command line. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';

/** `npm test` builds it first; TOOLTRAY_CLI selects another build. */
export const cliFile = process.env['TOOLTRAY_CLI'] ?? join(import.meta.dirname, '../../dist/cli.js');

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class CliHome implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), 'tooltray-cli-'));
  readonly configFile = join(this.path, 'config.json');
  readonly #cores: ChildProcess[] = [];

  constructor(servers?: Readonly<Record<string, unknown>>) {
    if (servers !== undefined) this.writeConfig({ servers });
  }

  writeConfig(config: unknown): void {
    writeFileSync(this.configFile, JSON.stringify(config, null, 2));
  }

  configText(): string {
    return readFileSync(this.configFile, 'utf8');
  }

  async run(...args: string[]): Promise<Outcome> {
    return this.runWith({}, ...args);
  }

  /** The result of a command with --json. */
  async json(...args: string[]): Promise<Outcome & { readonly data: Record<string, unknown> }> {
    const outcome = await this.run(...args, '--json');
    return { ...outcome, data: JSON.parse(outcome.stdout) as Record<string, unknown> };
  }

  async runWith(
    {
      input = '',
      env = {},
      node = [],
      cwd,
    }: { input?: string; env?: NodeJS.ProcessEnv; node?: readonly string[]; cwd?: string },
    ...args: string[]
  ): Promise<Outcome> {
    const child = this.spawn(args, env, node, cwd);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
    child.stdin?.on('error', () => undefined).end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout, stderr };
  }

  /** Starts `serve --json` and resolves with its output once it listens. */
  async serve(...args: string[]): Promise<Record<string, unknown>> {
    return this.serveAs({}, ...args);
  }

  /** The same with `team serve`. */
  async serveTeam(...args: string[]): Promise<Record<string, unknown>> {
    return this.#listen({}, ['team', 'serve', '--json', ...args]);
  }

  async serveAs(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Record<string, unknown>> {
    return this.#listen(env, ['serve', '--port', '0', '--no-open', '--json', ...args]);
  }

  async #listen(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<Record<string, unknown>> {
    const child = this.spawn(args, env, []);
    this.#cores.push(child);
    let text = '';
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      text += chunk.toString('utf8');
      if (text.includes('\n')) break;
    }
    return JSON.parse(text) as Record<string, unknown>;
  }

  spawn(args: readonly string[], env: NodeJS.ProcessEnv, node: readonly string[], cwd?: string): ChildProcess {
    const own = { ...process.env, TOOLTRAY_HOME: this.path, TERM: 'dumb', NO_COLOR: '1', ...env };
    return spawn(process.execPath, [...node, cliFile, ...args], { env: own, ...(cwd !== undefined && { cwd }) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const core of this.#cores.filter(({ exitCode }) => exitCode === null)) {
      core.kill('SIGTERM');
      await once(core, 'exit');
    }
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Config entries of servers for tests. */
export const entries = {
  echo: fixtureCommand('echo'),
  crash: fixtureCommand('misbehaving', 'crash-at-start'),
  tracker: fixtureCommand('tracker'),
  missing: { command: 'tooltray-has-no-such-command' },
} as const;

/** Polls until the result is as expected; limited by the test's timeout. */
export async function eventually<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    await sleep(50);
  }
}

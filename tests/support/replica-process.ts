/** A built replica of a team in a separate process, for tests that stop or kill it. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { ended } from '../../scripts/team/engines/ended.ts';
import { testKeys } from './start-replica.ts';

const cli = join(import.meta.dirname, '../../dist/cli.js');

export interface ReplicaProcess {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** URL of its `/mcp`. */
  readonly url: string;
  /** Resolves to its exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Resolves when it has ended. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

export interface ReplicaProcessOptions {
  readonly name: string;
  readonly database: string;
  /** The config file. */
  readonly config: string;
  /** Its home. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** It starts no command without a sandbox; not every computer that runs the tests has bubblewrap. */
  readonly isConfined?: boolean;
}

/** Stopped with the test. */
export async function startReplicaProcess(options: ReplicaProcessOptions): Promise<ReplicaProcess> {
  const { name, database, config, home, env = {}, args = [], isConfined = false } = options;
  const unconfined = isConfined ? [] : ['--allow-unconfined'];
  const place = ['--listen', '127.0.0.1:0', '--replica-name', name, '--config', config, ...unconfined];
  const child = spawn(process.execPath, [cli, 'team', 'serve', '--json', ...place, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...testKeys, ...env, TOOLTRAY_DATABASE: database, TOOLTRAY_HOME: home },
  });
  const exited = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  const end = (signal: NodeJS.Signals): Promise<void> => ended(child, signal);
  onTestFinished(() => end('SIGKILL'));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`The replica ${name} ended with ${code}.`)));
  });
  const { http } = JSON.parse(line) as { http: string };
  return { name, pid: child.pid ?? 0, port: Number(new URL(http).port), url: http, exited, end };
}

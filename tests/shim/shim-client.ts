/** A client app for tests: starts the real shim in a private Tooltray home and exchanges lines with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { socketLocation } from '../../src-main/core/base/app-paths.ts';

const shimFile = join(import.meta.dirname, '../../src-main/shim.ts');
const fakeCoreFile = join(import.meta.dirname, 'fake-core.ts');

export interface Line {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: { pid: number; method: string; params?: Record<string, unknown> };
  readonly error?: { code: number; message: string };
}

/** A separate Tooltray home with the records of its fake cores. Deletes itself and stops its cores. */
export class TestHome implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'tooltray-shim-'));
  readonly env: NodeJS.ProcessEnv = {
    ...process.env,
    TOOLTRAY_HOME: this.path,
    TOOLTRAY_CORE_COMMAND: JSON.stringify([process.execPath, fakeCoreFile]),
  };

  records(name: 'starts' | 'listening' | 'hellos' | 'heard'): string[] {
    const file = join(this.path, `${name}.txt`);
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  /** Messages received by the core with that PID. */
  heardBy(pid: number): Line[] {
    const mine = this.records('heard').filter((line) => line.startsWith(`${pid} `));
    return mine.map((line) => JSON.parse(line.slice(String(pid).length + 1)) as Line);
  }

  async startCore(): Promise<ChildProcess> {
    const before = this.records('listening').length;
    const child = spawn(process.execPath, [fakeCoreFile], { env: this.env, stdio: 'ignore' });
    while (this.records('listening').length === before) await sleep(10);
    return child;
  }

  /** Resolves when the core is gone, as seen by a new process. */
  async killCore(): Promise<void> {
    for (const pid of this.records('listening').map(Number)) kill(pid);
    while (await answers(socketLocation(this.env, process.platform, '').socketPath)) await sleep(5);
  }

  [Symbol.dispose](): void {
    for (const pid of this.records('starts').map(Number)) kill(pid);
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

export class ShimClient implements Disposable {
  readonly child: ChildProcess;
  readonly lines: Line[] = [];
  stderr = '';
  #rest = '';

  constructor(env: NodeJS.ProcessEnv, args: readonly string[] = []) {
    this.child = spawn(process.execPath, [shimFile, ...args], { env });
    this.child.stdout?.on('data', (chunk: Buffer) => this.#hear(chunk.toString('utf8')));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    this.child.stdin?.on('error', () => undefined);
  }

  say(...messages: object[]): void {
    for (const message of messages) this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Resolves with the first matching line, received or future. */
  async line(fits: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const found = this.lines.find(fits);
      if (found !== undefined) return found;
      await once(this.child.stdout as NodeJS.ReadableStream & NodeJS.EventEmitter, 'data');
    }
  }

  answer(id: string | number): Promise<Line> {
    return this.line((line) => line.id === id && line.method === undefined);
  }

  async exit(): Promise<number | NodeJS.Signals | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode ?? this.child.signalCode;
  }

  #hear(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.lines.push(JSON.parse(line) as Line);
  }

  [Symbol.dispose](): void {
    this.child.kill('SIGKILL');
  }
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => resolve(true)).on('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited already.
  }
}

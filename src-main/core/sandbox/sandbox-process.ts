/**
 * The core's end of the process that runs one Python program.
 * A process and no thread: the interpreter is native code, which a thread cannot stop, and which takes all down with it when
 * it runs out of stack (`json.dumps` of deeply nested lists does in 0.0.18).
 */
import { type ChildProcess, fork } from 'node:child_process';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GuestLine, GuestListener } from './guest-line.ts';
import type { AnswerMessage, FromWorker, RunMessage, ToWorker } from './worker-messages.ts';

export class SandboxProcess implements GuestLine {
  readonly #child: ChildProcess;
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #listener: GuestListener | undefined;
  #error: Error | undefined;
  #absence: string | undefined;
  #isReady = false;
  #isAlive = true;

  constructor(entry: URL) {
    this.#child = fork(fileURLToPath(entry), [], {
      env: bareEnvironment(),
      execArgv: ['--max-old-space-size=256'],
      cwd: parse(process.execPath).root,
      // A group of its own: an interrupt at the terminal is for the core, which then ends it.
      detached: process.platform !== 'win32',
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.unref();
    this.#child.channel?.unref();
    this.#child.on('message', (message) => this.#hear(message as FromWorker));
    this.#child.once('error', (error) => this.#leave(error));
    this.#child.once('exit', (_code, signal) => this.#leave(crash(signal)));
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** After `ready`: why there is no Python on this computer. */
  get absence(): string | undefined {
    return this.#absence;
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  run(message: RunMessage, listener: GuestListener): void {
    this.#listener = listener;
    if (this.#isAlive) this.#send(message);
    else listener.exit(this.#error);
  }

  answer(message: AnswerMessage): void {
    if (this.#isAlive) this.#send(message);
  }

  release(): void {
    this.#listener = undefined;
  }

  async terminate(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  #send(message: ToWorker): void {
    // A process that has just died is told of by its exit.
    this.#child.send(message, () => undefined);
  }

  #hear(message: FromWorker): void {
    if (message.kind === 'ready') this.#isReady = true;
    if (message.kind === 'absent') this.#absence = message.reason;
    if (message.kind === 'ready' || message.kind === 'absent') this.#ready.resolve();
    else this.#listener?.message(message);
  }

  #leave(error: Error | undefined): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#error = error;
    // What cannot even be loaded is not there, whatever it says of it.
    if (!this.#isReady) this.#absence ??= error?.message ?? 'It ended while it was loading.';
    this.#ready.resolve();
    this.#ended.resolve();
    this.#listener?.exit(error);
  }
}

/** Nothing of the core's surroundings, besides what Windows needs to start a process and Electron to be Node. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return { ELECTRON_RUN_AS_NODE: '1', ...(SystemRoot !== undefined && { SystemRoot }) };
}

function crash(signal: NodeJS.Signals | null): Error | undefined {
  return signal === null ? undefined : new Error('it brought the engine down; most likely it is nested too deep.');
}

/**
 * The core's end of the process that runs one Python program. Its engine is WebAssembly, sealed
 * (`python-worker/sealed-imports.ts`); the process is the second wall around it, without the core's memory and
 * environment, and can be killed whatever it does.
 */
import type { ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWorkerProcess } from '../base/workers.ts';
import type {
  HostReplyMessage,
  CheckedMessage,
  FromWorker,
  GuestChannel,
  GuestListener,
  RunMessage,
  ToPython,
} from './run-request.ts';

export class RunnerProcess implements GuestChannel {
  readonly #child: ChildProcess;
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #listener: GuestListener | undefined;
  #error: Error | undefined;
  #absence: string | undefined;
  #isReady = false;
  #isAlive = true;

  constructor(packedEntry: URL) {
    const entry = unpacked(packedEntry);
    this.#child = startWorkerProcess(entry, { memory: 256, flags: permissions(entry) });
    this.#child.unref();
    this.#child.channel?.unref();
    this.#child.on('message', (message) => this.#hear(message as FromWorker));
    this.#child.once('error', (error) => this.#leave(error));
    this.#child.once('exit', (_code, signal) => this.#leave(crash(signal)));
  }

  /** Undefined if the process could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** After `ready`: why there is no Python on this computer. */
  get unavailableReason(): string | undefined {
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

  /** Parses the code with both parsers; undefined if the process ended during the check. */
  check(code: string): Promise<CheckedMessage | undefined> {
    return new Promise((resolve) => {
      this.#listener = {
        message: (said) => said.kind === 'checked' && resolve(said),
        exit: () => resolve(undefined),
      };
      if (this.#isAlive) this.#send({ kind: 'check', code });
      else resolve(undefined);
    });
  }

  reply(message: HostReplyMessage): void {
    if (this.#isAlive) this.#send(message);
  }

  release(): void {
    this.#listener = undefined;
  }

  async terminate(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  #send(message: ToPython): void {
    // A process that has just died reports it by its exit.
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
    // A runtime that cannot be loaded counts as missing, whatever its error.
    if (!this.#isReady) this.#absence ??= error?.message ?? 'It ended while it was loading.';
    this.#ready.resolve();
    this.#ended.resolve();
    this.#listener?.exit(error);
  }
}

/** The desktop app has these files next to its archive, which the process may not read. */
export function unpacked(entry: URL): URL {
  return new URL(entry.href.replace('/app.asar/', '/app.asar.unpacked/'));
}

/** Node's own permissions: it reads the files of the app and nothing else, writes none and starts no process. */
export function permissions(entry: URL): string[] {
  const folder = dirname(fileURLToPath(entry));
  // Among the sources the engine's files lie in the packages.
  const readable = entry.pathname.endsWith('.ts') ? join(folder, '..', '..', '..', '..') : folder;
  return ['--permission', '--allow-worker', `--allow-fs-read=${join(readable, '*')}`];
}

function crash(signal: NodeJS.Signals | null): Error | undefined {
  return signal === null ? undefined : new Error('it brought the engine down; most likely it is nested too deep.');
}

/**
 * The other end of one worker that runs model-written code. JavaScript runs in a thread. Python runs in a process, which
 * has a thread of its own: its engine is WebAssembly, sealed (`python-worker/sealed-imports.ts`); the process is the
 * second wall around it, without the core's memory and environment, and can be killed whatever it does.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type WorkerEnd, type WorkerEvents, WorkerHandle } from '../base/workers.ts';
import type {
  CheckedMessage,
  CheckMessage,
  FromWorker,
  GuestListener,
  HostReplyMessage,
  RunMessage,
  ToPython,
} from './run-request.ts';

type GuestHandle = WorkerHandle<ToPython, FromWorker>;

export class GuestWorker {
  readonly #handle: GuestHandle;
  /** Wakes a thread that waits for a reply. */
  readonly #replies: Int32Array | undefined;
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #listener: GuestListener | undefined;
  #error: Error | undefined;
  #absence: string | undefined;
  #isReady = false;

  private constructor(start: (events: WorkerEvents<FromWorker>) => GuestHandle, replies?: Int32Array) {
    this.#replies = replies;
    this.#handle = start({
      onMessage: (message) => this.#receive(message),
      onEnd: (end) => this.#leave(end),
    });
  }

  static thread(entry: URL): GuestWorker {
    const replies = new Int32Array(new SharedArrayBuffer(4));
    // The engine checks its own stack; the thread's must be the larger one.
    const options = { memory: 256, stack: 16, data: replies };
    return new GuestWorker((events) => WorkerHandle.thread(entry, options, events), replies);
  }

  static process(packedEntry: URL): GuestWorker {
    const entry = unpacked(packedEntry);
    const options = { memory: 256, flags: permissions(entry) };
    return new GuestWorker((events) => WorkerHandle.process(entry, options, events));
  }

  get isAlive(): boolean {
    return this.#handle.isAlive;
  }

  /** Undefined for a thread, and for a process that could not be started. */
  get pid(): number | undefined {
    return this.#handle.pid;
  }

  /** After `ready`: why the language is not available on this computer; undefined if it is. */
  get unavailableReason(): string | undefined {
    return this.#absence;
  }

  /** Resolves when the worker can run code, or has ended. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** One run at a time. */
  run(message: RunMessage | CheckMessage, listener: GuestListener): void {
    this.#listener = listener;
    if (this.isAlive) this.#handle.post(message);
    else listener.exit(this.#error);
  }

  /** Parses the code with both parsers; undefined if the worker ended during the check. */
  check(code: string): Promise<CheckedMessage | undefined> {
    return new Promise((resolve) => {
      this.run(
        { kind: 'check', code },
        { message: (said) => said.kind === 'checked' && resolve(said), exit: () => resolve(undefined) },
      );
    });
  }

  reply(message: HostReplyMessage): void {
    this.#handle.post(message);
    if (this.#replies === undefined) return;
    Atomics.add(this.#replies, 0, 1);
    Atomics.notify(this.#replies, 0);
  }

  /** Detaches the listener: nothing more is reported. */
  release(): void {
    this.#listener = undefined;
  }

  /** Ends the worker whatever it is doing. */
  async terminate(): Promise<void> {
    await this.#handle.end();
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'ready') this.#isReady = true;
    if (message.kind === 'absent') this.#absence = message.reason;
    if (message.kind === 'ready' || message.kind === 'absent') this.#ready.resolve();
    else this.#listener?.message(message);
  }

  #leave({ error, signal }: WorkerEnd): void {
    this.#error = error ?? crash(signal);
    // A runtime that cannot be loaded counts as missing, whatever its error.
    if (!this.#isReady) this.#absence ??= this.#error?.message ?? 'It exited while loading.';
    this.#ready.resolve();
    this.#ended.resolve();
    this.#listener?.exit(this.#error);
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
  return signal === null ? undefined : new Error('the engine crashed; the code is probably nested too deeply.');
}

/** Downloads a server's package as part of its start: queues installations and detects their end. */
import { once } from 'node:events';
import { isServerRunning, maxInstallMs, packageRunner } from './package-runner.ts';
import type { ProcessGroup } from './process-group.ts';
import type { ProcessRegistry } from './process-registry.ts';

interface Launched {
  readonly command: string;
  readonly args: readonly string[];
  readonly registry: ProcessRegistry;
}

/** Interval of checks of a process group, in ms. */
const pollMs = 250;

export class Install {
  /** Resolves when the installation has ended or timed out. */
  readonly ended: Promise<void>;
  readonly #runner: string;
  readonly #key: string;
  readonly #registry: ProcessRegistry;
  readonly #end: () => void;
  #isOver = false;
  #limit: NodeJS.Timeout | undefined;

  private constructor(runner: string, { command, args, registry }: Launched) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
    this.#runner = runner;
    this.#key = JSON.stringify([command, ...args]);
    this.#registry = registry;
  }

  /** Undefined for a command that installs nothing. */
  static of(launched: Launched): Install | undefined {
    const runner = packageRunner(launched.command, launched.args);
    return runner === undefined ? undefined : new Install(runner, launched);
  }

  /** Whether the installation runs or is queued, and the server has not started yet. */
  get isRunning(): boolean {
    return !this.#isOver;
  }

  /** Resolves when no other process installs the same package; others then wait for this one. */
  async turn(): Promise<void> {
    const { installs } = this.#registry;
    for (let other = installs.get(this.#key); other !== undefined; other = installs.get(this.#key)) await other;
    installs.set(this.#key, this.ended);
    this.#limit = setTimeout(() => this.done(), maxInstallMs).unref();
  }

  /** Detects that the process has ended, or that the server itself runs. */
  follow(group: ProcessGroup): void {
    if (group.exited) return this.done();
    void once(group.child, 'exit').then(() => this.done());
    void this.#watch(group);
  }

  /** Called when the server has responded or ended. */
  done(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#limit);
    if (this.#registry.installs.get(this.#key) === this.ended) this.#registry.installs.delete(this.#key);
    this.#end();
  }

  async #watch({ pid }: ProcessGroup): Promise<void> {
    while (!this.#isOver && pid !== undefined) {
      const isRunning = await isServerRunning(this.#runner, pid);
      if (isRunning === undefined) return;
      if (isRunning) this.done();
      else await new Promise((resolve) => setTimeout(resolve, pollMs).unref());
    }
  }
}

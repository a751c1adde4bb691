/** A child process with all its descendants, whatever their group or session, which are ended together. */
import { type ChildProcessWithoutNullStreams, spawnSync } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import spawn from 'cross-spawn';
import type { ResolvedEnv } from './find-command.ts';
import { isGroupAlive } from './child-process-list.ts';
import type { ProcessRegistry } from './process-registry.ts';
import { descendantsOf, endLeftovers, markVariable } from './process-tree.ts';

/** How to start a process. */
export interface ProcessLaunch {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment, including PATH. */
  readonly env: ResolvedEnv;
  readonly cwd?: string | undefined;
  /** Open files that it inherits, from descriptor 3 on; closed after the start. */
  readonly descriptors?: readonly FileHandle[];
  /** Input that it reads from the next descriptor. */
  readonly input?: string;
  /** The server that it runs. */
  readonly owner?: string;
  /** The container that outlives the started process. */
  readonly leftBehind?: LeftoverContainer | undefined;
}

/** A container that keeps running without the program that started it. */
export interface LeftoverContainer {
  /** Never rejects. */
  readonly remove: () => Promise<void>;
  /** The same, synchronously. */
  readonly removeNow: () => void;
  /** The same for a separate process after ours has ended; undefined if it does not outlive us. */
  readonly container?: StartedContainer;
}

/** A container, with the environment of the program that started it. */
export interface StartedContainer {
  readonly program: string;
  /** Options before each of its commands. */
  readonly options: readonly string[];
  readonly name: string;
  readonly env: ResolvedEnv;
}

interface EndOptions {
  /** How long to wait after stdin is ended, and again after SIGTERM, in ms. */
  readonly graceMs: number;
}

const windows = process.platform === 'win32';
/** How long to wait after SIGKILL, in ms, because a process stuck in the kernel must not block us. */
const killWaitMs = 2000;

export class ProcessGroup {
  readonly child: ChildProcessWithoutNullStreams;
  readonly owner: string | undefined;
  /** Whether it is fetching a package, so that it is not killed with the core. */
  isSpared = false;
  readonly #registry: ProcessRegistry;
  readonly #leftBehind: LeftoverContainer | undefined;
  /** Value of the mark in the environment of its descendants. */
  readonly mark: string;
  #ending: Promise<void> | undefined;

  private constructor(
    child: ChildProcessWithoutNullStreams,
    registry: ProcessRegistry,
    mark: string,
    { owner, leftBehind }: Pick<ProcessLaunch, 'owner' | 'leftBehind'>,
  ) {
    this.child = child;
    this.mark = mark;
    this.owner = owner;
    this.#registry = registry;
    this.#leftBehind = leftBehind;
    registry.add(this);
  }

  /** Resolves when the process runs; rejects with the system's error (ENOENT, EACCES, E2BIG). */
  static async start(options: ProcessLaunch, registry: ProcessRegistry): Promise<ProcessGroup> {
    const mark = registry.nextMark();
    const env = windows ? options.env : { ...options.env, [markVariable]: mark };
    return new ProcessGroup(await startLaunch({ ...options, env }), registry, mark, options);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** The container that remains if its program is killed. */
  get container(): StartedContainer | undefined {
    return this.#leftBehind?.container;
  }

  /** Whether it runs in a container, whose processes are not in the group. */
  get inContainer(): boolean {
    return this.container !== undefined;
  }

  /** Closes stdin, then sends SIGTERM, then SIGKILL. Resolves when none of its processes runs. Never rejects. */
  end(options: EndOptions): Promise<void> {
    this.#ending ??= this.#endInSteps(options.graceMs);
    return this.#ending;
  }

  /** Sends SIGKILL to the whole group, without waiting. */
  killNow(): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    if (windows) spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true });
    else signalGroup(pid, 'SIGKILL');
    this.#leftBehind?.removeNow();
  }

  /** Whether the started process has ended; others of its group may still run. */
  get exited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  #isAlive(): boolean {
    return !this.exited || (!windows && this.child.pid !== undefined && isGroupAlive(this.child.pid));
  }

  async #endInSteps(graceMs: number): Promise<void> {
    // Once the process has ended, its descendants cannot be determined.
    const started = this.exited || this.pid === undefined ? [] : await descendantsOf(this.pid);
    if (!this.exited) {
      this.child.stdin.end();
      await this.#waitUntilGone(graceMs);
    }
    if (!windows && this.#isAlive() && this.child.pid !== undefined) {
      signalGroup(this.child.pid, 'SIGTERM');
      await this.#waitUntilGone(graceMs);
    }
    if (this.#isAlive()) {
      this.killNow();
      await this.#waitUntilGone(killWaitMs);
    }
    await endLeftovers(this.mark, started, Math.min(graceMs, killWaitMs));
    await this.#leftBehind?.remove();
    this.#registry.delete(this);
  }

  async #waitUntilGone(limitMs: number): Promise<void> {
    const deadline = performance.now() + limitMs;
    for (let pauseMs = 5; this.#isAlive() && performance.now() < deadline; pauseMs = Math.min(pauseMs * 2, 100)) {
      await sleep(pauseMs);
    }
  }
}

/** Resolves when the process runs; rejects with the system's error (ENOENT, EACCES, E2BIG). The caller must end it. */
export async function startLaunch(launch: ProcessLaunch): Promise<ChildProcessWithoutNullStreams> {
  const { command, args, env, cwd, descriptors = [], input } = launch;
  try {
    const child = spawn(command, [...args], {
      env: { ...env },
      cwd,
      stdio: [
        'pipe',
        'pipe',
        'pipe',
        ...descriptors.map(({ fd }) => fd),
        ...(input === undefined ? [] : ['pipe' as const]),
      ],
      // POSIX: a new session, so that -pid names the child and its group. On Windows it would open a console window.
      detached: !windows,
      windowsHide: true,
    }) as ChildProcessWithoutNullStreams;
    // Later errors (a signal that could not be sent) show when the group ends; without a listener they would crash us.
    child.on('error', () => undefined);
    const reader = input === undefined ? undefined : (child.stdio[3 + descriptors.length] as Writable | undefined);
    reader?.on('error', () => undefined).end(input);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    return child;
  } finally {
    await Promise.all(descriptors.map((one) => one.close()));
  }
}

function signalGroup(groupId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-groupId, signal);
  } catch {
    // Ended already.
  }
}

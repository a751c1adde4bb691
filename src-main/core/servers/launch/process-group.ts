/** A child process together with everything it starts, whatever group or session that is in: ended as a whole. */
import { type ChildProcessWithoutNullStreams, spawnSync } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import spawn from 'cross-spawn';
import type { ResolvedEnv } from './find-command.ts';
import { isGroupAlive } from './child-process-list.ts';
import type { ProcessRegistry } from './process-registry.ts';
import { descendantsOf, endLeftovers, markVariable } from './process-tree.ts';

/** A process that is to be started. */
export interface ProcessLaunch {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment, PATH included. */
  readonly env: ResolvedEnv;
  readonly cwd?: string | undefined;
  /** Files of Tooltray that it inherits, from descriptor 3 on; closed once it runs. */
  readonly descriptors?: readonly FileHandle[];
  /** Input that it reads from the next descriptor. */
  readonly input?: string;
  /** The server that it is. */
  readonly owner?: string;
  /** The container that does not end with the started process. */
  readonly leftBehind?: LeftoverContainer | undefined;
}

/** A container, which continues without the program that started it. */
export interface LeftoverContainer {
  /** Never rejects. */
  readonly remove: () => Promise<void>;
  /** The same without waiting. */
  readonly removeNow: () => void;
  /** The same for a process beside ours, once we are gone; undefined: it does not outlive us. */
  readonly container?: StartedContainer;
}

/** A container, identified for the program that started it, with that program's environment. */
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
/** SIGKILL needs a moment; a process stuck in the kernel must not hold us longer than this. */
const killWaitMs = 2000;

export class ProcessGroup {
  readonly child: ChildProcessWithoutNullStreams;
  readonly owner: string | undefined;
  /** It is fetching a package: it is not killed with us. */
  isSpared = false;
  readonly #registry: ProcessRegistry;
  readonly #leftBehind: LeftoverContainer | undefined;
  /** In the environment of all that it started. */
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

  /** Resolves once the process runs; rejects with the operating system's error (ENOENT, EACCES, E2BIG). */
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

  /** It continues in a container, whose processes are none of the group's. */
  get inContainer(): boolean {
    return this.container !== undefined;
  }

  /** stdin's end, then SIGTERM, then SIGKILL; resolves when nothing that it started runs any more. Never rejects. */
  end(options: EndOptions): Promise<void> {
    this.#ending ??= this.#endInSteps(options.graceMs);
    return this.#ending;
  }

  /** SIGKILL to the whole group, without waiting. */
  killNow(): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    if (windows) spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true });
    else signalGroup(pid, 'SIGKILL');
    this.#leftBehind?.removeNow();
  }

  /** The process we started has ended; others of its group may still run. */
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

/**
 * Resolves once the process runs; rejects with the operating system's error (ENOENT, EACCES, E2BIG). The caller must
 * end it.
 */
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
      // POSIX: a session of its own, so that -pid names the child and all it starts. On Windows it would open a console
      // window.
      detached: !windows,
      windowsHide: true,
    }) as ChildProcessWithoutNullStreams;
    // Later errors (a signal that could not be sent) show in the group's end; without a listener they would end us.
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
    // Gone already.
  }
}

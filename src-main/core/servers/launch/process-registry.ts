/** Registers the process groups of a core, so that none outlives it. */
import { randomBytes } from 'node:crypto';
import type { ChildProcessList } from './child-process-list.ts';
import { killMarkedNow } from './process-tree.ts';

interface Killable {
  /** Process id of the group's leader when it runs. */
  readonly pid: number | undefined;
  /** The server that it runs; undefined: another program. */
  readonly owner?: string | undefined;
  readonly inContainer?: boolean;
  /** Whether it is fetching a package and ends by itself; killing it would leave a damaged package. */
  readonly isSpared?: boolean;
  /** Value of the mark in the environment of its descendants. */
  readonly mark?: string;
  /** Ends the whole group at once, without waiting. */
  killNow(): void;
}

export interface OwnedGroup {
  readonly pid: number;
  readonly owner: string;
  readonly inContainer: boolean;
}

/**
 * One per core. A SIGKILL of the core cannot be caught: processes that outlive it are ended by the next core, from the
 * list on disk.
 */
export class ProcessRegistry {
  readonly #groups = new Set<Killable>();
  /** Running installations by command line, because concurrent ones would damage each other. */
  readonly installs = new Map<string, Promise<void>>();
  readonly #list: ChildProcessList | undefined;
  readonly #mark: string;
  #marks = 0;
  readonly #onExit = (): void => this.#end();
  #closed = false;

  constructor(list?: ChildProcessList) {
    this.#list = list;
    this.#mark = list?.mark ?? randomBytes(9).toString('hex');
    process.on('exit', this.#onExit);
  }

  /** A group added after `close`, by a start that was under way, is ended at once. */
  add(group: Killable): void {
    if (this.#closed) return group.killNow();
    this.#groups.add(group);
    if (group.pid !== undefined) this.#list?.add(group.pid);
  }

  delete(group: Killable): void {
    if (this.#groups.delete(group) && group.pid !== undefined) this.#list?.delete(group.pid);
  }

  /** Groups of servers, by the process ids of their leaders. */
  owned(): OwnedGroup[] {
    return [...this.#groups].flatMap(({ pid, owner, inContainer = false }) =>
      pid === undefined || owner === undefined ? [] : [{ pid, owner, inContainer }],
    );
  }

  /** A unique mark for the processes of one launch. */
  nextMark(): string {
    return `${this.#mark}.${++this.#marks}`;
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Ends all groups, including later ones; for cores that end before their process does. */
  close(): void {
    this.#end();
    process.off('exit', this.#onExit);
  }

  /** Synchronous, for the `exit` event. */
  #end(): void {
    this.#closed = true;
    const spared = [...this.#groups].filter(({ isSpared }) => isSpared === true);
    for (const group of this.#groups) if (!spared.includes(group)) group.killNow();
    // Also kills processes that left their process group.
    if (this.#marks > 0) killMarkedNow(this.#mark, new Set(spared.flatMap(({ mark }) => mark ?? [])));
    this.#groups.clear();
    this.#list?.close();
  }
}

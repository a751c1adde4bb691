/** The process groups we are answerable for: none may outlive our own process. */
import { randomBytes } from 'node:crypto';
import type { ChildProcessList } from './child-process-list.ts';
import { killMarkedNow } from './process-tree.ts';

interface Killable {
  /** Process id of the group's leader, once it runs. */
  readonly pid: number | undefined;
  /** The server that it is; undefined: something else. */
  readonly owner?: string | undefined;
  readonly inContainer?: boolean;
  /** It is fetching a package, and ends by itself: killed in the middle it would leave half of it. */
  readonly isSpared?: boolean;
  /** In the environment of all that it started. */
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
  /** Packages that are being fetched, by their command line: two at a time would spoil each other's. */
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

  /** One that comes after `close`, from a start that was on its way, is ended at once. */
  add(group: Killable): void {
    if (this.#closed) return group.killNow();
    this.#groups.add(group);
    if (group.pid !== undefined) this.#list?.add(group.pid);
  }

  delete(group: Killable): void {
    if (this.#groups.delete(group) && group.pid !== undefined) this.#list?.delete(group.pid);
  }

  /** The groups that are servers, by the process ids of their leaders. */
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

  /** Ends what runs still, and all that may come; for cores that end before their process does. */
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

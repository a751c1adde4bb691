/** The process groups we are answerable for: none may outlive our own process. */
import type { ChildrenList } from './children-list.ts';

interface Killable {
  /** Of the group's first process, once it runs. */
  readonly pid: number | undefined;
  /** Ends the whole group at once, without waiting. */
  killNow(): void;
}

/** One per core. Our own SIGKILL cannot be caught: whoever outlives that is ended by the next core, from the list on disk. */
export class ProcessRegistry {
  readonly #groups = new Set<Killable>();
  readonly #list: ChildrenList | undefined;
  readonly #killAll = (): void => this.killAll();

  constructor(list?: ChildrenList) {
    this.#list = list;
    process.on('exit', this.#killAll);
  }

  add(group: Killable): void {
    this.#groups.add(group);
    if (group.pid !== undefined) this.#list?.add(group.pid);
  }

  delete(group: Killable): void {
    if (this.#groups.delete(group) && group.pid !== undefined) this.#list?.delete(group.pid);
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Synchronous, for the `exit` event. */
  killAll(): void {
    for (const group of this.#groups) group.killNow();
    this.#groups.clear();
    this.#list?.close();
  }

  /** Stops watching our own exit; for cores that end before their process does. */
  dispose(): void {
    process.off('exit', this.#killAll);
  }
}

/** The lists that the client apps of a view hold, as they were given, to tell whether a change concerns them. */
import type { JsonObject } from '../base/json.ts';
import type { ListKey } from '../servers/listing.ts';

type Entries = readonly JsonObject[];

export class HeldLists {
  readonly #held = new Map<ListKey, Entries>();

  /** Notes what was given out, and gives it back. */
  hold(key: ListKey, entries: Entries): Entries {
    this.#held.set(key, entries);
    return entries;
  }

  /** Whether a list that was given out is another one now; said once for each change. */
  differs(key: ListKey, now: Entries): boolean {
    const before = this.#held.get(key);
    if (before === undefined || before === now) return false;
    this.#held.set(key, now);
    return JSON.stringify(before) !== JSON.stringify(now);
  }
}

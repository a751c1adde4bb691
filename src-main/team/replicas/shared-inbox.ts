/**
 * What waits for a person's decision at each replica, as all of them tell it: what a call in flight waits for is in the memory of the replica
 * where it runs, what a server says anew at those that have read its lists. Told is what a list shows, sealed; the whole is asked of who has it.
 */
import { Event } from '../../core/base/events.ts';
import { type Inbox, moreUrgent } from '../../core/trust/inbox/inbox.ts';
import { inboxSummary } from '../../rpc/handlers/inbox.ts';
import type { InboxSummary } from '../../rpc/contract.ts';
import { ReplicaRows, type ReplicaRowsRoom } from './replica-rows.ts';

/** `replica`: where it waits; of several that have the same, this one before others. */
export interface WaitingItem extends InboxSummary {
  readonly replica: string;
}

interface SharedInboxParts extends ReplicaRowsRoom {
  readonly inbox: Pick<Inbox, 'items' | 'changed'>;
  /** The team's keys, for this. */
  readonly ring: readonly Buffer[];
}

/** A call that waits is given up in seconds: what comes in between is told together, in ms. */
const gatherMs = 100;
/** Of one replica, the most urgent ones. */
const mostTold = 1_000;
/** How long what was decided at another replica is left out, until that has told so, in ms. */
const leftOutMs = 3_000;

export class SharedInbox {
  /** At one of the other replicas something waits that did not, or does not any more. */
  readonly changed = new Event();
  readonly #parts: SharedInboxParts;
  readonly #rows: ReplicaRows;
  readonly #stops: readonly (() => void)[];
  /** By replica and id: until when, in ms since 1970. */
  readonly #leftOut = new Map<string, number>();

  constructor(parts: SharedInboxParts) {
    this.#parts = parts;
    this.#rows = new ReplicaRows({
      ...parts,
      table: { name: 'inbox_items', key: 'id', value: 'item' },
      ...{ topic: 'inbox', gatherMs, what: 'What waits for a decision' },
      here: async () => {
        const items = (await parts.inbox.items()).slice(0, mostTold);
        return new Map(items.map((item) => [item.id, JSON.stringify(inboxSummary(item))]));
      },
    });
    this.#stops = [
      parts.inbox.changed.on(() => this.#rows.lookSoon()),
      this.#rows.changed.on(() => this.changed.emit()),
    ];
  }

  /** The most urgent first; what several replicas have is there once. Rejects with AppError store_unreachable. */
  async waiting(): Promise<readonly WaitingItem[]> {
    const own = this.#parts.registry?.id ?? '';
    const here = (await this.#parts.inbox.items()).map((item) => ({ ...inboxSummary(item), replica: own }));
    const there = (await this.#rows.rows())
      .filter(({ replica, name }) => replica !== own && !this.#isLeftOut(replica, name))
      .map(({ replica, value }) => ({ ...(JSON.parse(value) as InboxSummary), replica }));
    const once = new Map([...there.toReversed(), ...here].map((item) => [item.id, item]));
    return [...once.values()].toSorted(moreUrgent);
  }

  /** It was decided there just now. */
  leaveOut({ replica, id }: Pick<WaitingItem, 'replica' | 'id'>): void {
    const now = Date.now();
    for (const [key, until] of this.#leftOut) if (until < now) this.#leftOut.delete(key);
    this.#leftOut.set(keyOf(replica, id), now + leftOutMs);
    this.changed.emit();
  }

  /** Never rejects. */
  stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    return this.#rows.stop();
  }

  #isLeftOut(replica: string, id: string): boolean {
    return (this.#leftOut.get(keyOf(replica, id)) ?? 0) > Date.now();
  }
}

function keyOf(replica: string, id: string): string {
  return `${replica} ${id}`;
}

/**
 * Whether another replica still answers, for whoever waits for something of it: one that sleeps, or whose packets are lost on the way, ends
 * no connection, and what was asked of it would be waited for without an end. That the database takes it for gone is no proof: after an
 * outage it takes all of them for gone, until they can say otherwise.
 */
import { request as send } from 'node:http';
import type { ReplicaRegistry } from './replica-registry.ts';

interface ReachOptions {
  readonly registry: Pick<ReplicaRegistry, 'gone' | 'find'>;
  /** Between two looks, in ms. */
  readonly everyMs?: number;
  /** What each of them may take, in ms. */
  readonly patienceMs?: number;
}

interface Watched {
  /** Of those that wait. */
  readonly lost: Set<() => void>;
  readonly stop: () => void;
}

const usualMs = 5_000;
/** A busy one may miss a look or two. */
const mostMissed = 3;
/** Whose door it is: at its address there may be another one by now, or another life of it. */
export const replicaHeader = 'tooltray-replica';

export class Reach {
  readonly #options: ReachOptions;
  readonly #watched = new Map<string, Watched>();

  constructor(options: ReachOptions) {
    this.#options = options;
  }

  /** Replicas that somebody waits for; each is looked at once, however many do. */
  get size(): number {
    return [...this.#watched.values()].filter(({ lost }) => lost.size > 0).length;
  }

  /** Calls `lost` once, when the replica of this id has not answered for a while, or not now where it is said to be gone. Returns how to stop. */
  watch(id: string, lost: () => void): () => void {
    const watched = this.#watched.get(id) ?? this.#begin(id);
    watched.lost.add(lost);
    // Whoever comes next finds what there is: most have their answer long before the first look.
    return () => void watched.lost.delete(lost);
  }

  #begin(id: string): Watched {
    const { everyMs = usualMs, patienceMs = usualMs, registry } = this.#options;
    let missed = 0;
    let isGone = false;
    let address = registry.find(id)?.address;
    const tellLost = (): void => {
      this.#end(id, watched);
      for (const lost of [...watched.lost]) lost();
    };
    const look = async (): Promise<void> => {
      clearTimeout(timer);
      if (watched.lost.size === 0) return this.#end(id, watched);
      const known = registry.find(id)?.address;
      isGone = known === undefined;
      address = known ?? address;
      const looked = (looks += 1);
      const isThere = address !== undefined && (await answers(address, id, patienceMs));
      missed = isThere ? 0 : missed + 1;
      // It was looked at once more meanwhile.
      if (this.#watched.get(id) !== watched || looked !== looks) return;
      if (missed >= (isGone ? 1 : mostMissed)) tellLost();
      else timer = setTimeout(() => void look(), everyMs).unref();
    };
    let looks = 0;
    let timer = setTimeout(() => void look(), everyMs).unref();
    const unfollow = registry.gone.on((gone) => {
      if (gone === id) void look();
    });
    const watched: Watched = {
      lost: new Set(),
      stop: () => {
        clearTimeout(timer);
        unfollow();
      },
    };
    this.#watched.set(id, watched);
    return watched;
  }

  #end(id: string, watched: Watched): void {
    watched.stop();
    if (this.#watched.get(id) === watched) this.#watched.delete(id);
  }
}

/** Whatever its inner door says: without a pass, that it lets nobody in. Of an earlier version it does not say whose it is. Never rejects. */
function answers(address: string, id: string, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = send(`http://${address}/`, { agent: false, signal: AbortSignal.timeout(ms) }, (answer) => {
      answer.resume();
      const { [replicaHeader]: whose = id } = answer.headers;
      resolve(whose === id);
    });
    asked.on('error', () => resolve(false));
    asked.end();
  });
}

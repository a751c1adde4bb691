/**
 * Whether another replica still answers, for whoever waits for something of it: one that sleeps, or whose packets are lost on the way, ends
 * no connection, and what was asked of it would be waited for without an end.
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

  /** Calls `lost` once, when the replica of this id is gone or has not answered for a while. Returns how to stop. */
  watch(id: string, lost: () => void): () => void {
    const watched = this.#watched.get(id) ?? this.#begin(id);
    watched.lost.add(lost);
    // Whoever comes next finds what there is: most have their answer long before the first look.
    return () => void watched.lost.delete(lost);
  }

  #begin(id: string): Watched {
    const { everyMs = usualMs, patienceMs = usualMs, registry } = this.#options;
    let missed = 0;
    const tellLost = (): void => {
      this.#end(id, watched);
      for (const lost of [...watched.lost]) lost();
    };
    const look = async (): Promise<void> => {
      if (watched.lost.size === 0) return this.#end(id, watched);
      const address = registry.find(id)?.address;
      missed = address !== undefined && (await answers(address, patienceMs)) ? 0 : missed + 1;
      if (this.#watched.get(id) !== watched) return;
      if (missed >= mostMissed) tellLost();
      else timer = setTimeout(() => void look(), everyMs).unref();
    };
    let timer = setTimeout(() => void look(), everyMs).unref();
    const unfollow = registry.gone.on((gone) => {
      if (gone === id) tellLost();
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

/** Whatever its inner door says: without a pass, that it lets nobody in. Never rejects. */
function answers(address: string, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = send(`http://${address}/`, { agent: false, signal: AbortSignal.timeout(ms) }, (answer) => {
      answer.resume();
      resolve(true);
    });
    asked.on('error', () => resolve(false));
    asked.end();
  });
}

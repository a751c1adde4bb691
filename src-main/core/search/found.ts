/** What one query matched: how much, and the best of it. The query is scored once, however much is asked afterwards. */
import { explainMatch, type Scores } from './score-query.ts';
import type { ToolStore } from './tool-store.ts';

export interface SearchHit {
  readonly id: string;
  readonly score: number;
  /** The words that matched and where, like `name: read, file; parameter: path`. */
  readonly why: string;
}

/** Says yes or no to a tool. */
export type AcceptsTool = (id: string, server: string) => boolean;

/** Others that are wanted besides the best few, where they match well enough. */
export interface Besides {
  readonly ids: Iterable<string>;
  /** As a part of the best score. */
  readonly leastShare: number;
}

/** To be read before the index changes: it knows tools by their numbers. */
export class Found {
  readonly #scores: Scores;
  readonly #store: ToolStore;

  constructor(scores: Scores, store: ToolStore) {
    this.#scores = scores;
    this.#store = store;
  }

  /** Nothing is asked any more, except hits why they are some: what it took serves the next query. */
  close(): void {
    this.#store.giveBack(this.#scores.tally);
  }

  /**
   * The `limit` best, and those `besides`, best first; equal scores in the order of ids, so that an answer depends on the catalog alone.
   * `accepts` is asked of those only that would be among them.
   */
  best(limit: number, accepts?: AcceptsTool, besides?: Besides): SearchHit[] {
    const top = this.numbers(limit, accepts);
    const others = besides === undefined ? [] : this.#others(top, besides, accepts);
    return others.length === 0 ? this.#hits(top) : this.#hits([...top, ...others].sort(this.#order));
  }

  /** Numbers of the same. */
  numbers(limit: number, accepts?: AcceptsTool): number[] {
    const { score, numbers } = this.#scores.tally;
    const top = new TopFew(limit, this.#order);
    let least = 0;
    for (const number of numbers) {
      // Nearly all end here.
      if ((score[number] as number) < least || !top.hasRoomFor(number) || !this.#isAccepted(number, accepts)) continue;
      top.add(number);
      if (top.isFull) least = score[top.worst] as number;
    }
    return top.sorted();
  }

  /** Ids of all that match, in no order of worth. */
  ids(): string[] {
    return Array.from(this.#scores.tally.numbers, (number) => this.#store.documents[number]?.id ?? '');
  }

  /** Place of a tool among all that match, from 1; undefined where it does not match. */
  placeOf(id: string): number | undefined {
    const number = this.#numberOf(id);
    const { score, numbers } = this.#scores.tally;
    if (number === undefined || score[number] === 0) return undefined;
    return 1 + numbers.reduce((before, other) => before + (this.#order(other, number) < 0 ? 1 : 0), 0);
  }

  /** Whether the query is, or contains, the tool's name. */
  isNamed(id: string | undefined): boolean {
    const number = id === undefined ? undefined : this.#numberOf(id);
    return number !== undefined && this.#scores.named.has(number);
  }

  /** How many tools match at least one of the queries, all asked of one index; with `accepts`, how many of those it says yes to. */
  static count(queries: readonly Found[], accepts?: AcceptsTool): number {
    const [first] = queries;
    if (first === undefined) return 0;
    if (queries.length === 1 && accepts === undefined) return first.#scores.tally.count;
    const counted = new Uint8Array(first.#scores.tally.score.length);
    let count = 0;
    for (const query of queries) {
      for (const number of query.#scores.tally.numbers) {
        if (counted[number] === 1) continue;
        counted[number] = 1;
        if (first.#isAccepted(number, accepts)) count += 1;
      }
    }
    return count;
  }

  #others(top: readonly number[], { ids, leastShare }: Besides, accepts?: AcceptsTool): number[] {
    const { score } = this.#scores.tally;
    const least = leastShare * (score[top[0] ?? 0] ?? 0);
    return [...ids].flatMap((id) => {
      const number = this.#numberOf(id) ?? -1;
      const isOne = (score[number] ?? 0) > 0 && (score[number] ?? 0) >= least && !top.includes(number);
      return isOne && this.#isAccepted(number, accepts) ? [number] : [];
    });
  }

  #hits(numbers: readonly number[]): SearchHit[] {
    const [scores, store] = [this.#scores, this.#store];
    return numbers.map((number) => ({
      id: store.documents[number]?.id ?? '',
      score: scores.tally.score[number] ?? 0,
      // Made where it is read: most who search want the order alone.
      get why() {
        return explainMatch(number, scores, store.postings);
      },
    }));
  }

  #isAccepted(number: number, accepts: AcceptsTool | undefined): boolean {
    if (accepts === undefined) return true;
    const { id = '', server = '' } = this.#store.documents[number] ?? {};
    return accepts(id, server);
  }

  #numberOf(id: string): number | undefined {
    const { documents, names } = this.#store;
    return names.find(id).find((number) => documents[number]?.id === id);
  }

  /** Below 0 where the first one is better. No two tools are equal, or the answer would depend on chance. */
  readonly #order = (a: number, b: number): number => {
    const { score } = this.#scores.tally;
    const difference = (score[b] ?? 0) - (score[a] ?? 0);
    if (difference !== 0) return difference;
    const { documents } = this.#store;
    return (documents[a]?.id ?? '') < (documents[b]?.id ?? '') ? -1 : 1;
  };
}

/** The best few of many, without sorting them all: a binary heap whose root is the worst of those kept. */
class TopFew {
  readonly #heap: number[] = [];
  readonly #limit: number;
  readonly #order: (a: number, b: number) => number;

  constructor(limit: number, order: (a: number, b: number) => number) {
    this.#limit = limit;
    this.#order = order;
  }

  get isFull(): boolean {
    return this.#heap.length >= this.#limit;
  }

  /** The worst of those kept; -1 where there is none. */
  get worst(): number {
    return this.#heap[0] ?? -1;
  }

  hasRoomFor(one: number): boolean {
    return !this.isFull || (this.#heap.length > 0 && this.#order(one, this.worst) < 0);
  }

  /** There must be room. */
  add(one: number): void {
    if (this.isFull) {
      this.#heap[0] = one;
      this.#siftDown();
    } else {
      this.#heap.push(one);
      this.#siftUp();
    }
  }

  sorted(): number[] {
    return this.#heap.sort(this.#order);
  }

  #siftUp(): void {
    let child = this.#heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#isWorse(child, parent)) return;
      this.#swap(child, parent);
      child = parent;
    }
  }

  #siftDown(): void {
    let parent = 0;
    for (;;) {
      let worst = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2]) {
        if (child < this.#heap.length && this.#isWorse(child, worst)) worst = child;
      }
      if (worst === parent) return;
      this.#swap(parent, worst);
      parent = worst;
    }
  }

  #isWorse(left: number, right: number): boolean {
    return this.#order(this.#heap[left] ?? 0, this.#heap[right] ?? 0) > 0;
  }

  #swap(a: number, b: number): void {
    [this.#heap[a], this.#heap[b]] = [this.#heap[b] ?? 0, this.#heap[a] ?? 0];
  }
}

/** Malformed messages derived from valid ones; deterministic per seed. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below `end`. Source: mulberry32. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }
}

/** Values of unexpected types. */
const oddValues: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, 2 ** 53 + 2, '', 'x', '\u0000', '\u202e', '__proto__', 'constructor'],
  ...[[], {}, [[]], { __proto__: null, toString: 1 }, 'é'.repeat(200), [null, null], { a: { a: { a: {} } } }],
];

const oddKeys = ['', 'x', '\u0000', '__proto__', 'constructor', 'toString', 'id', 'method', 'é'.repeat(200)];

/** A value with one unexpected part. */
export function mutateValue(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.below(4) === 0) return random.pick(oddValues);
  const keys = Object.keys(value);
  const key = keys.length === 0 ? 'x' : random.pick(keys);
  const entries = Object.entries(value as Record<string, unknown>).filter(
    ([name]) => random.below(8) > 0 || name === key,
  );
  const changed = mutateValue((value as Record<string, unknown>)[key], random);
  if (Array.isArray(value)) return [...entries.map(([, one]): unknown => one), changed];
  return Object.fromEntries([...entries, [random.below(6) === 0 ? random.pick(oddKeys) : key, changed]]);
}

/** A text with some bytes changed, removed, or repeated; without line breaks, so that it stays one frame. */
export function mutateText(text: string, random: Random): string {
  const at = random.below(text.length);
  const way = random.below(4);
  const end = at + 1 + random.below(8);
  if (way === 0) return text.slice(0, at);
  if (way === 1) return text.slice(0, at) + text.slice(end);
  if (way === 2) return text.slice(0, end) + text.slice(at);
  return (text.slice(0, at) + String.fromCharCode(32 + random.below(200)) + text.slice(at + 1)).replace(/\n/g, ' ');
}

/** A valid message, corrupted as a value or as text. */
export function badFrame(good: readonly object[], random: Random): string {
  const message = random.pick(good);
  if (random.below(2) === 0) return mutateText(JSON.stringify(message), random);
  return JSON.stringify(mutateValue(message, random)) ?? 'null';
}

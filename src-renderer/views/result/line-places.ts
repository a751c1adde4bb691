/**
 * Maps values of a spilled JSON to lines of its file, which has one element per line like the output of JSON.stringify
 * with an indent. Pure.
 */
import { SpelledNumber } from './spelled-json.ts';

export class LinePlaces {
  readonly #counts = new WeakMap<object, number>();

  /** Number of lines of a value. */
  countOf(value: unknown): number {
    if (typeof value !== 'object' || value === null || value instanceof SpelledNumber) return 1;
    const known = this.#counts.get(value);
    if (known !== undefined) return known;
    const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    let count = children.length === 0 ? 1 : 2;
    for (const child of children) count += this.countOf(child);
    this.#counts.set(value, count);
    return count;
  }

  /** First lines of the elements of a list that starts at this line. */
  startsOf(list: readonly unknown[], line: number): Int32Array {
    const starts = new Int32Array(list.length);
    let at = line + 1;
    list.forEach((element, index) => {
      starts[index] = at;
      at += this.countOf(element);
    });
    return starts;
  }

  /** Line in which a nested value starts; undefined: not found. `path`: names and indexes. */
  lineOf(root: unknown, path: readonly (string | number)[]): number | undefined {
    let line = 1;
    let value = root;
    for (const name of path) {
      if (typeof value !== 'object' || value === null) return undefined;
      const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
      const at = entries.findIndex(([key]) => key === String(name));
      if (at === -1) return undefined;
      line = entries.slice(0, at).reduce((sum, [, child]) => sum + this.countOf(child), line + 1);
      value = entries[at]?.[1];
    }
    return line;
  }
}

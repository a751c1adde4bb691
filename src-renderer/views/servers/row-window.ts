/**
 * Which rows of a long list exist whose heights are their own: those about what is in sight, in stretches; for the
 * others room is kept, as much as they took when they were seen, or as a usual row takes. Pure; what scrolls is
 * row-window.svelte.ts.
 */

/** Rows in a stretch. */
export const stretchRows = 20;

export interface RowSpan {
  readonly first: number;
  /** Not included. */
  readonly end: number;
  /** Room for the rows before and after them, in px. */
  readonly above: number;
  readonly below: number;
}

export class RowHeights {
  readonly #usual: number;
  /** Of stretches that were seen, in px. */
  readonly #seen = new Map<number, number>();

  /** `usual`: height of a row that was not seen, in px. */
  constructor(usual: number) {
    this.#usual = usual;
  }

  /** Answers whether it is news. */
  see(stretch: number, height: number): boolean {
    if (Math.abs((this.#seen.get(stretch) ?? -1) - height) < 1) return false;
    this.#seen.set(stretch, height);
    return true;
  }

  /** Other rows are in the list. */
  forget(): void {
    this.#seen.clear();
  }

  /** Of `count` rows those that lie between two places, in px from the top of the list; one stretch at least. */
  between(from: number, to: number, count: number): RowSpan {
    const stretches = Math.ceil(count / stretchRows);
    let [first, end, above, below, top] = [0, 0, 0, 0, 0];
    for (let stretch = 0; stretch < stretches; stretch++) {
      const height = this.#heightOf(stretch, count);
      const isBefore = top + height <= from && stretch < stretches - 1;
      if (isBefore) [first, end, above] = [stretch + 1, stretch + 1, above + height];
      else if (top < to || end === first) end = stretch + 1;
      else below += height;
      top += height;
    }
    return { first: first * stretchRows, end: Math.min(count, end * stretchRows), above, below };
  }

  #heightOf(stretch: number, count: number): number {
    return this.#seen.get(stretch) ?? Math.min(stretchRows, count - stretch * stretchRows) * this.#usual;
  }
}

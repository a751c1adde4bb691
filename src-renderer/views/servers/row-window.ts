/**
 * Selects the rows of a long list of variable heights to render: visible chunks and those around them; other chunks
 * are replaced by placeholders of their last or default height. Pure; see row-window.svelte.ts for scrolling.
 */

/** Rows per chunk. */
export const stretchRows = 20;

export interface RowSpan {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** Height of the placeholders before and after, in px. */
  readonly above: number;
  readonly below: number;
}

export class RowHeights {
  readonly #usual: number;
  /** Measured heights of chunks, in px. */
  readonly #seen = new Map<number, number>();

  /** `usual`: default height of a row, in px. */
  constructor(usual: number) {
    this.#usual = usual;
  }

  /** Returns whether it changed. */
  see(stretch: number, height: number): boolean {
    if (Math.abs((this.#seen.get(stretch) ?? -1) - height) < 1) return false;
    this.#seen.set(stretch, height);
    return true;
  }

  /** The list has other rows now. */
  forget(): void {
    this.#seen.clear();
  }

  /** The rows between two positions, in px from the top of the list; at least one chunk. */
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

/** The rendered rows of a long page: see row-window.ts. The browser's text search does not find other rows. */
import { tick, untrack } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import { RowHeights, type RowSpan, stretchRows } from './row-window.ts';

export class RowWindow<T> {
  readonly #all: () => readonly T[];
  readonly #heights: RowHeights;
  #span = $state.raw<RowSpan>({ first: 0, end: 0, above: 0, below: 0 });
  #count = 0;
  /** Maximum number of rows rendered so far. */
  #most = 1;
  #update: () => void = () => undefined;

  readonly rows: readonly T[] = $derived.by(() => this.#all().slice(this.#span.first, this.#span.end));

  /**
   * Create it during component initialization; `all` may change at any time. `usual`: default height of a row, in px.
   */
  constructor(all: () => readonly T[], usual: number) {
    this.#all = all;
    this.#heights = new RowHeights(usual);
    this.#span = this.#heights.between(0, 0, untrack(all).length);
    const count = $derived(all().length);
    $effect(() => {
      // With an unchanged number of rows, the measured heights are kept.
      if (count === this.#count) return;
      this.#count = count;
      this.#heights.forget();
      this.#update();
    });
  }

  /** Index of the first of `rows`. */
  get first(): number {
    return this.#span.first;
  }

  /** Key of one of `rows`: removed rows are reused for new ones, since creating one is much slower than updating it. */
  keyOf(index: number): number {
    this.#most = Math.max(this.#most, this.rows.length);
    return (this.#span.first + index) % this.#most;
  }

  /** Height of the placeholders before and after, in px. */
  get above(): number {
    return this.#span.above;
  }

  get below(): number {
    return this.#span.below;
  }

  /** For the element whose children are the rows, each with its index as `data-at`. */
  readonly follow: Attachment<HTMLElement> = (list) => {
    const scroller = scrollerOf(list);
    let isLooking = false;
    const look = (): void => {
      this.#measure(list);
      const { top } = list.getBoundingClientRect();
      const at = scroller.getBoundingClientRect().top - top;
      // Also renders one viewport height before and after.
      const span = this.#heights.between(
        at - scroller.clientHeight,
        at + 2 * scroller.clientHeight,
        this.#all().length,
      );
      const { first, end, above, below } = this.#span;
      if (span.first === first && span.end === end && span.above === above && span.below === below) return;
      this.#span = span;
      // The rendered rows may differ from their estimated height.
      void tick().then(() => this.#measure(list) && soon());
    };
    const soon = (): void => {
      if (isLooking) return;
      isLooking = true;
      requestAnimationFrame(() => {
        isLooking = false;
        if (list.isConnected) look();
      });
    };
    this.#update = soon;
    look();
    const sizes = new ResizeObserver(soon);
    sizes.observe(scroller);
    sizes.observe(list);
    scroller.addEventListener('scroll', look, { passive: true });
    return () => {
      this.#update = () => undefined;
      sizes.disconnect();
      scroller.removeEventListener('scroll', look);
    };
  };

  /** Returns whether a chunk's height changed. */
  #measure(list: HTMLElement): boolean {
    const rows = [...list.querySelectorAll<HTMLElement>('[data-at]')];
    const starts = rows.filter(({ dataset }) => Number(dataset['at']) % stretchRows === 0);
    const last = rows.at(-1);
    if (last === undefined) return false;
    const ends = [
      ...starts.slice(1).map((row) => row.getBoundingClientRect().top),
      last.getBoundingClientRect().bottom,
    ];
    return starts
      .map((row, index) => {
        const height = (ends[index] ?? 0) - row.getBoundingClientRect().top;
        return this.#heights.see(Number(row.dataset['at']) / stretchRows, height);
      })
      .some((hasChanged) => hasChanged);
  }
}

function scrollerOf(element: HTMLElement): HTMLElement {
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.documentElement;
}

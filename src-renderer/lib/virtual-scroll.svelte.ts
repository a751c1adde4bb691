/**
 * Shared by virtualized lists and tables: scroll position, rendered rows, and the keyboard navigation of row-keys.ts
 * beyond rendered rows. Each row has its index as `data-index`.
 */
import { tick } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import { indexAfter, rovingTabIndex } from './row-keys.ts';
import {
  clampOffset,
  type ListSize,
  offsetAt,
  placeShowing,
  scrollHeight,
  scrollTopFor,
  visibleRows,
} from './virtual-rows.ts';

export interface VirtualScrollOptions {
  readonly count: () => number;
  /** In px. */
  readonly rowHeight: () => number;
  /** Height of a sticky header in px. */
  readonly headHeight?: () => number;
  /** Called when other rows become visible; `end` is exclusive. */
  readonly onrange: (first: number, end: number) => void;
}

export class VirtualScroll {
  /** The scrolling element, and its inner height; bound by the component. */
  scroller: HTMLElement | undefined;
  height = $state(600);
  readonly #options: VirtualScrollOptions;
  #place = $state(0);
  /** The row that gets the focus once it is rendered, which may be after loading. */
  #wanted: number | undefined;

  readonly size: ListSize = $derived.by(() => {
    const { count, rowHeight, headHeight } = this.#options;
    return { count: count(), rowHeight: rowHeight(), viewport: this.height - (headHeight?.() ?? 0) };
  });
  /** Position in px of the whole list. */
  readonly place = $derived.by(() => clampOffset(this.#place, this.size));
  readonly shown = $derived.by(() => visibleRows(this.place, this.size));
  /** Indices of the rendered rows. */
  readonly indices = $derived.by(() =>
    Array.from({ length: this.shown.end - this.shown.first }, (_, index) => this.shown.first + index),
  );
  /** Height of the content, and of the placeholders before and after the rendered rows; in px. */
  readonly whole = $derived.by(() => scrollHeight(this.size));
  readonly above = $derived.by(() => Math.round(scrollTopFor(this.place, this.size) + this.shown.offset));
  readonly below = $derived.by(() => Math.max(0, this.whole - this.above - this.indices.length * this.size.rowHeight));

  /** Create it during component initialization. */
  constructor(options: VirtualScrollOptions) {
    this.#options = options;
    $effect(() => options.onrange(this.shown.first, this.shown.end));
  }

  /** Scrolls a row into view by the shortest way. */
  reveal(index: number): void {
    this.goTo(placeShowing(index, this.place, this.size));
  }

  goTo(place: number): void {
    this.#place = clampOffset(place, this.size);
    if (this.scroller) this.scroller.scrollTop = scrollTopFor(this.place, this.size);
  }

  readonly followScrollbar = (): void => {
    const { scrollTop = 0 } = this.scroller ?? {};
    // Our own scroll position is reported rounded, which would lose the exact row in a very long list.
    const isOurs = Math.abs(scrollTop - scrollTopFor(this.place, this.size)) <= 1;
    // If the list became shorter, the position is now its end, also when it grows again.
    this.#place = isOurs ? this.place : offsetAt(scrollTop, this.size);
  };

  readonly turnWheel = (event: WheelEvent): void => {
    const { count, rowHeight } = this.size;
    // A list that fits scrolls natively; in a longer one a turn of the wheel would skip thousands of rows.
    if (count * rowHeight === this.whole || event.deltaY === 0) return;
    event.preventDefault();
    this.goTo(this.place + event.deltaY);
  };

  /** Used if the scroller itself has the focus. */
  readonly moveByKey = (event: KeyboardEvent): void => {
    const { rowHeight, viewport } = this.size;
    const page = viewport - rowHeight;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: rowHeight,
      ArrowUp: -rowHeight,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined || event.target !== this.scroller) return;
    event.preventDefault();
    this.goTo(this.place + step);
  };

  /** For the element that contains the rows. */
  readonly keys: Attachment<HTMLElement> = (body) => {
    const focusWanted = (): void => {
      const row = body.querySelector<HTMLElement>(`[data-index="${this.#wanted}"] [data-row]`);
      if (row === null) return;
      this.#wanted = undefined;
      row.focus({ preventScroll: true });
    };
    const stop = rovingTabIndex(body, () => {
      if (this.#wanted !== undefined && (isNowhere() || body.contains(document.activeElement))) focusWanted();
    });
    const keydown = (event: KeyboardEvent): void => void (this.#moves(event) && tick().then(focusWanted));
    // Scrolling by the user cancels the pending position.
    const forget = (): void => void (this.#wanted = undefined);
    body.addEventListener('keydown', keydown);
    body.addEventListener('pointerdown', forget);
    return () => {
      stop();
      body.removeEventListener('keydown', keydown);
      body.removeEventListener('pointerdown', forget);
    };
  };

  /** Returns whether the key moves to another row, which is then visible. */
  #moves(event: KeyboardEvent): boolean {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]');
    const at = Number(row?.closest<HTMLElement>('[data-index]')?.dataset['index'] ?? NaN);
    if (row !== event.target || Number.isNaN(at) || event.ctrlKey || event.metaKey || event.altKey) return false;
    const { count, rowHeight, viewport } = this.size;
    const page = Math.max(1, Math.floor(viewport / rowHeight) - 1);
    const next = indexAfter(event.key, this.#wanted ?? at, count, page);
    if (next === -1) return false;
    event.preventDefault();
    this.#wanted = next;
    this.reveal(next);
    return true;
  }
}

/** Whether the focused row was removed. */
function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

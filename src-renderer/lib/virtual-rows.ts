/**
 * Computes the visible rows of a long list. Browsers limit elements to about 16 million pixels: longer lists scroll
 * proportionally in a shorter element, so that the first and last rows can be reached. Pure; see
 * virtual-scroll.svelte.ts for scrolling.
 */

/** Below the limit of every browser. */
const maxScrollHeightPx = 8_000_000;
/** Rows rendered beyond each edge. */
const overscanRows = 6;

export interface ListSize {
  readonly count: number;
  readonly rowHeight: number;
  /** Visible height in px. */
  readonly viewport: number;
}

export interface VisibleRows {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** Position of the first row, in px relative to the top of the visible part. */
  readonly offset: number;
}

/** Height of the scrolled element, in px. */
export function scrollHeight({ count, rowHeight }: ListSize): number {
  return Math.min(count * rowHeight, maxScrollHeightPx);
}

/** Position in the whole list for a scroll position, in px. */
export function offsetAt(scrollTop: number, size: ListSize): number {
  const [scrollable, whole] = ranges(size);
  return scrollable <= 0 ? 0 : (Math.min(scrollTop, scrollable) / scrollable) * whole;
}

/** Scroll position for a position in the whole list. */
export function scrollTopFor(place: number, size: ListSize): number {
  const [scrollable, whole] = ranges(size);
  return whole <= 0 ? 0 : (clampOffset(place, size) / whole) * scrollable;
}

export function clampOffset(place: number, size: ListSize): number {
  return Math.max(0, Math.min(place, ranges(size)[1]));
}

export function visibleRows(place: number, { count, rowHeight, viewport }: ListSize): VisibleRows {
  const first = Math.max(0, Math.min(count, Math.floor(place / rowHeight)) - overscanRows);
  const end = Math.min(count, Math.ceil((place + viewport) / rowHeight) + overscanRows);
  return { first, end, offset: first * rowHeight - place };
}

/** Maximum number of rows rendered at once. */
export function maxVisibleRows({ rowHeight, viewport }: Pick<ListSize, 'rowHeight' | 'viewport'>): number {
  return Math.ceil(viewport / rowHeight) + 1 + 2 * overscanRows;
}

/** The position nearest to the current one at which a row is fully visible. */
export function placeShowing(row: number, place: number, { rowHeight, viewport }: ListSize): number {
  const top = row * rowHeight;
  if (top < place) return top;
  return top + rowHeight > place + viewport ? top + rowHeight - viewport : place;
}

/** Scroll range of the element, and of the whole list. */
function ranges(size: ListSize): readonly [scrollable: number, whole: number] {
  return [scrollHeight(size) - size.viewport, Math.max(0, size.count * size.rowHeight - size.viewport)];
}

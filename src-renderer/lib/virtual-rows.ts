/**
 * Which rows of a long list are on screen. Browsers end at about 16 million pixels: a list that is longer scrolls in a
 * shorter one, by proportion, so that its first and its last row can both be reached. Pure; what scrolls is
 * virtual-scroll.svelte.ts.
 */

/** Below what every browser can scroll. */
const maxScrollHeightPx = 8_000_000;
/** Rows beyond each edge that are there already when they come into sight. */
const overscanRows = 6;

export interface ListSize {
  readonly count: number;
  readonly rowHeight: number;
  /** Height of what is seen, in px. */
  readonly viewport: number;
}

export interface VisibleRows {
  readonly first: number;
  /** Not included. */
  readonly end: number;
  /** Where the first one is drawn, in px below the top of what is seen. */
  readonly offset: number;
}

/** Height of the scrolled element, in px. */
export function scrollHeight({ count, rowHeight }: ListSize): number {
  return Math.min(count * rowHeight, maxScrollHeightPx);
}

/** The place in the whole list that a scroll position stands for, in px of the whole list. */
export function offsetAt(scrollTop: number, size: ListSize): number {
  const [scrollable, whole] = ranges(size);
  return scrollable <= 0 ? 0 : (Math.min(scrollTop, scrollable) / scrollable) * whole;
}

/** The scroll position that shows a place of the whole list. */
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

/** As many rows as ever exist at once. */
export function maxVisibleRows({ rowHeight, viewport }: Pick<ListSize, 'rowHeight' | 'viewport'>): number {
  return Math.ceil(viewport / rowHeight) + 1 + 2 * overscanRows;
}

/** The place nearest to where we are at which a row is wholly seen. */
export function placeShowing(row: number, place: number, { rowHeight, viewport }: ListSize): number {
  const top = row * rowHeight;
  if (top < place) return top;
  return top + rowHeight > place + viewport ? top + rowHeight - viewport : place;
}

/** How far one can scroll in the element, and in the whole list. */
function ranges(size: ListSize): readonly [scrollable: number, whole: number] {
  return [scrollHeight(size) - size.viewport, Math.max(0, size.count * size.rowHeight - size.viewport)];
}

/** Where a window may open: where it was, if that is still on a display. */
import type { Rectangle } from 'electron';

const usual = { width: 1120, height: 760 };
const least = { width: 640, height: 480 };
/** So much of it has to be seen, in pixels, for a person to get hold of it. */
const grip = 80;

export type Place = { readonly width: number; readonly height: number } & Partial<Pick<Rectangle, 'x' | 'y'>>;

export function windowPlace(last: Rectangle | undefined, workAreas: readonly Rectangle[]): Place {
  const area = workAreas.find((one) => last !== undefined && isSeen(last, one));
  const room = area ?? workAreas[0];
  const fit = (size: 'width' | 'height'): number =>
    Math.max(least[size], Math.min(last?.[size] ?? usual[size], room?.[size] ?? Infinity));
  const size = { width: fit('width'), height: fit('height') };
  return last !== undefined && area !== undefined ? { ...size, x: last.x, y: last.y } : size;
}

/** Its upper edge counts: that is where it is dragged. */
function isSeen(window: Rectangle, area: Rectangle): boolean {
  const right = Math.min(window.x + window.width, area.x + area.width);
  const isAcross = right - Math.max(window.x, area.x) >= grip;
  return isAcross && window.y >= area.y && window.y <= area.y + area.height - grip;
}

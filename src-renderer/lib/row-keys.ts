/**
 * Keyboard navigation of tables: arrows, Home, and End move between rows, Tab stops once. Each row has one link or
 * button marked `data-row` that opens it, so that Enter works. `<tbody {@attach rowKeys}>`. For virtualized lists, see
 * virtual-scroll.svelte.ts.
 */
import type { Attachment } from 'svelte/attachments';

export const rowKeys: Attachment<HTMLElement> = (body) => {
  const moveFocus = (event: KeyboardEvent): void => {
    const rows = rowsOf(body);
    const at = rows.indexOf(event.target as HTMLElement);
    const next = at === -1 ? undefined : rows[indexAfter(event.key, at, rows.length)];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  const stop = rovingTabIndex(body);
  body.addEventListener('keydown', moveFocus);
  return () => {
    stop();
    body.removeEventListener('keydown', moveFocus);
  };
};

/** Makes only the last focused row reachable with Tab. `onrows` is called when the rows change. */
export function rovingTabIndex(body: HTMLElement, onrows?: () => void): () => void {
  const keep = (event?: FocusEvent): void => {
    const rows = rowsOf(body);
    const target = event?.target as HTMLElement | undefined;
    const current = rows.find((row) => row === target) ?? rows.find((row) => row.tabIndex === 0) ?? rows[0];
    for (const row of rows) row.tabIndex = row === current ? 0 : -1;
  };
  const observer = new MutationObserver(() => {
    onrows?.();
    keep();
  });
  observer.observe(body, { childList: true, subtree: onrows !== undefined });
  keep();
  body.addEventListener('focusin', keep);
  return () => {
    observer.disconnect();
    body.removeEventListener('focusin', keep);
  };
}

function rowsOf(body: HTMLElement): HTMLElement[] {
  return [...body.querySelectorAll<HTMLElement>('[data-row]')];
}

/** -1 for a key that does not move. `page`: rows per page; without it, page keys do nothing. */
export function indexAfter(key: string, at: number, length: number, page?: number): number {
  if (key === 'ArrowDown') return Math.min(at + 1, length - 1);
  if (key === 'ArrowUp') return Math.max(at - 1, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return length - 1;
  if (key === 'PageDown' && page !== undefined) return Math.min(at + page, length - 1);
  return key === 'PageUp' && page !== undefined ? Math.max(at - page, 0) : -1;
}

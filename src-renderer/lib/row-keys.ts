/**
 * Keys of a table: arrows, Home and End move between its rows, Tab reaches it once. Each row has one link or button marked
 * `data-row` that opens it, so that Enter works by itself. `<tbody {@attach rowKeys}>`.
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
  const keepOneStop = (event?: FocusEvent): void => {
    const rows = rowsOf(body);
    const target = event?.target as HTMLElement | undefined;
    const current = rows.find((row) => row === target) ?? rows.find((row) => row.tabIndex === 0) ?? rows[0];
    for (const row of rows) row.tabIndex = row === current ? 0 : -1;
  };
  const observer = new MutationObserver(() => keepOneStop());
  observer.observe(body, { childList: true });
  keepOneStop();
  body.addEventListener('keydown', moveFocus);
  body.addEventListener('focusin', keepOneStop);
  return () => {
    observer.disconnect();
    body.removeEventListener('keydown', moveFocus);
    body.removeEventListener('focusin', keepOneStop);
  };
};

function rowsOf(body: HTMLElement): HTMLElement[] {
  return [...body.querySelectorAll<HTMLElement>('[data-row]')];
}

/** -1 for a key that moves nothing. */
export function indexAfter(key: string, at: number, length: number): number {
  if (key === 'ArrowDown') return Math.min(at + 1, length - 1);
  if (key === 'ArrowUp') return Math.max(at - 1, 0);
  if (key === 'Home') return 0;
  return key === 'End' ? length - 1 : -1;
}

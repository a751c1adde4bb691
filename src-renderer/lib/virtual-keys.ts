/**
 * Keys of a list of which only the rows in sight exist: as row-keys.ts, but across the borders of what exists. A row carries its
 * number as `data-index`; one that comes later, because it has to be read first, gets the focus then.
 */
import { tick } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import { indexAfter, keepOneStop } from './row-keys.ts';

export interface VirtualKeysOptions {
  readonly count: () => number;
  /** Rows that are seen at once. */
  readonly page: () => number;
  /** Brings a row into sight. */
  readonly reveal: (index: number) => void;
}

export function virtualKeys({ count, page, reveal }: VirtualKeysOptions): Attachment<HTMLElement> {
  return (body) => {
    let wanted: number | undefined;

    const focusWanted = (): void => {
      const row = body.querySelector<HTMLElement>(`[data-index="${wanted}"] [data-row]`);
      if (row === null) return;
      wanted = undefined;
      row.focus({ preventScroll: true });
    };
    const moveFocus = async (event: KeyboardEvent): Promise<void> => {
      const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]');
      const at = Number(row?.closest<HTMLElement>('[data-index]')?.dataset['index'] ?? NaN);
      if (row !== event.target || Number.isNaN(at) || event.ctrlKey || event.metaKey || event.altKey) return;
      const next = indexAfter(event.key, wanted ?? at, count(), Math.max(1, page() - 1));
      if (next === -1) return;
      event.preventDefault();
      wanted = next;
      reveal(next);
      await tick();
      focusWanted();
    };
    // Whoever goes elsewhere meanwhile stays there.
    const forget = (): void => void (wanted = undefined);

    const stop = keepOneStop(body, () => {
      if (wanted !== undefined && (isNowhere() || body.contains(document.activeElement))) focusWanted();
    });
    const keydown = (event: KeyboardEvent): void => void moveFocus(event);
    body.addEventListener('keydown', keydown);
    body.addEventListener('pointerdown', forget);
    return () => {
      stop();
      body.removeEventListener('keydown', keydown);
      body.removeEventListener('pointerdown', forget);
    };
  };
}

/** The row that had the focus is gone. */
function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

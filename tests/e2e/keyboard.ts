/** Navigates a page by keyboard alone. */
import { expect, type Locator, type Page } from '@playwright/test';

/** Names of controls on a page, with collapsed whitespace. */
export interface Round {
  /** Reached by Tab, or by arrows from there. */
  readonly reached: readonly string[];
  /** Visible and usable by mouse only. */
  readonly missed: readonly string[];
}

const mostStops = 150;

/** Presses Tab from the start of the page, or of an open modal dialog, until the focus returns. */
export async function tabAround(page: Page): Promise<Round> {
  await page.evaluate(beginRound);
  for (let stops = 0; stops < mostStops; stops += 1) {
    await page.keyboard.press('Tab');
    if (!(await page.evaluate(noteStop))) break;
  }
  return page.evaluate(endRound);
}

/** Presses Tab until the target has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let stops = 0; stops < mostStops; stops += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}

declare global {
  interface Window {
    /** Elements that Tab has reached in this round. */
    stops?: Set<Element>;
  }
}

function beginRound(): void {
  window.stops = new Set();
  const first = document.querySelector<HTMLElement>('dialog:modal') ?? document.body;
  first.tabIndex = -1;
  first.focus();
}

/** Whether it is a new one. */
function noteStop(): boolean {
  const { activeElement: stop } = document;
  if (stop === null || stop === document.body || window.stops?.has(stop) !== false) return false;
  window.stops.add(stop);
  return true;
}

function endRound(): Round {
  const usable = 'a[href], button, input, select, textarea, summary, [role=tab], [role=switch]';
  const stops = [...(window.stops ?? [])];
  const nameOf = (element: Element): string => {
    const label = 'labels' in element ? (element.labels as NodeListOf<Element> | null)?.[0] : undefined;
    const text = element.getAttribute('aria-label') ?? (label ?? element).textContent;
    return text.replace(/\s+/g, ' ').trim();
  };
  // In a tab list or table, Tab reaches one item, and arrows the others.
  const isBesideAStop = (element: Element): boolean => {
    const group =
      element.matches('[role=tab], [data-row]') && element.closest('[role=tablist], tbody, [role=region], [role=list]');
    return (
      group instanceof Element && stops.some((stop) => stop.matches('[role=tab], [data-row]') && group.contains(stop))
    );
  };
  const everything = document.querySelector('dialog:modal') ?? document;
  const others = [...everything.querySelectorAll(usable)].filter(
    (element) => element.checkVisibility() && !element.matches(':disabled') && !stops.includes(element),
  );
  return {
    reached: [...stops, ...others.filter(isBesideAStop)].map(nameOf),
    missed: others.filter((element) => !isBesideAStop(element)).map(nameOf),
  };
}

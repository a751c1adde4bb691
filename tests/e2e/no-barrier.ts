/** Checks accessibility in both themes. */
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** A theme changes only colors, so the second check is limited to those. */
const looks = [
  { colorScheme: 'light', rules: undefined },
  { colorScheme: 'dark', rules: ['color-contrast', 'link-in-text-block'] },
] as const;

/** Fails with the violations; `where` is for the message. */
export async function expectNoBarrier(page: Page, where: string): Promise<void> {
  for (const { colorScheme, rules } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // The page has no cross-origin frames, for which the other mode opens a second page each time.
    const axe = new AxeBuilder({ page }).setLegacyMode();
    const { violations } = await (rules === undefined ? axe : axe.withRules([...rules])).analyze();
    expect(violations, `${where}, ${colorScheme}`).toEqual([]);
  }
}

/** The overview's headline links to the steps behind it, and their sums are equal to it. */
import { expect, type Page } from '@playwright/test';
import { test } from './lived-in-core.ts';
import { expectNoBarrier } from './no-barrier.ts';

test.beforeEach(async ({ page, livedIn: { core } }) => {
  await page.goto(core.link);
  await page.goto(core.at('overview'));
});

/** `1,204 tokens` → 1204 */
function numberIn(text: string | null): number {
  return Number(/-?[\d,]+/.exec(text ?? '')?.[0].replaceAll(',', ''));
}

/** Of the open step; undefined if not shown. */
async function tokensOf(page: Page, name: string): Promise<number | undefined> {
  const facts = page.getByRole('region', { name: 'Step' }).locator('dl.facts');
  const told = await facts.evaluate((list, wanted) => {
    const terms = [...list.querySelectorAll('dt')];
    return terms.find((term) => term.textContent === wanted)?.nextElementSibling?.textContent ?? null;
  }, name);
  if (told === null) return undefined;
  return told === 'not counted' ? 0 : numberIn(told);
}

test('opens the steps of the headline’s time range, which add up to its number', async ({ page }) => {
  const headline = page.getByRole('link', { name: /tokens (?:saved|more than without)/ });
  const net = numberIn(await headline.getAttribute('title'));
  await headline.click();
  await expect(page).toHaveURL(/#\/activity\/sessions\/all\?since=\d+$/);
  const totals = page.getByRole('group', { name: 'Totals' });
  await expect(totals.getByText(/saved$/)).toHaveAttribute('title', `${net.toLocaleString('en')} tokens`);
  await expect(totals.getByText('no step here accounts for')).toHaveCount(0);
  await expectNoBarrier(page, 'the steps of the headline');

  const rows = page.getByRole('main').getByRole('table').locator('tbody a');
  const links = await rows.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
  expect(links.length).toBeGreaterThan(3);
  const sums = { without: 0, read: 0 };
  for (const href of links) {
    await page.goto(new URL(href, page.url()).href);
    await expect(page.getByRole('region', { name: 'Step' }).locator('dl.facts')).toBeVisible();
    sums.without += (await tokensOf(page, 'Without Tooltray')) ?? 0;
    // Shown separately only if it differs from what was returned.
    sums.read += (await tokensOf(page, 'Read by model')) ?? (await tokensOf(page, 'Returned to app')) ?? 0;
  }
  expect(sums.without - sums.read).toBe(net);
});

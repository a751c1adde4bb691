/** The status page as a person sees it, served by a real core on its first run. */
import { expect, test } from '@playwright/test';

test('the page says in one sentence how things are', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('status')).toHaveText(/^1 server healthy · 0 sessions · mode \w+$/);
});

test('the servers stand in a table with their state in words', async ({ page }) => {
  await page.goto('/');
  const row = page.getByRole('table', { name: 'Servers' }).getByRole('row').filter({ hasText: 'utils' });
  await expect(row.getByRole('rowheader')).toHaveText('utils');
  await expect(row.getByRole('cell').first()).toHaveText('Ready');
});

test('without a client app the page says how to connect one', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'No client app is connected' })).toBeVisible();
});

test('when the core goes, the page says so, keeps what it knew, and comes back by itself', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('table')).toBeVisible();
  await page.route('/rpc/state', (route) => route.abort('connectionrefused'));
  await expect(page.getByRole('alert')).toContainText('The core does not answer');
  await expect(page.getByRole('table')).toBeVisible();
  await page.unroute('/rpc/state');
  await expect(page.getByRole('alert')).toBeHidden();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`text and ground keep their contrast in a ${colorScheme} scheme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await page.goto('/');
    await expect(page.getByRole('table')).toBeVisible();
    const [ink, paper] = await page.evaluate(() => {
      const { color, backgroundColor } = getComputedStyle(document.body);
      return [color, backgroundColor];
    });
    expect(contrast(ink, paper)).toBeGreaterThan(7);
  });
}

/** Contrast ratio of two `rgb(…)` colours, after WCAG 2.2. */
function contrast(one = '', other = ''): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

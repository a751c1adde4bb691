/** The theme in a browser: chosen, remembered, and applied before the first paint. */
import { expect, type Page } from '@playwright/test';
import { expectNoBarrier } from './no-barrier.ts';
import { test } from './serve-core.ts';

/** The theme at the first paint of every load. */
async function noteFirstTheme(page: Page): Promise<() => Promise<string | undefined>> {
  await page.addInitScript(() => {
    requestAnimationFrame(() => sessionStorage.setItem('first', document.documentElement.dataset['theme'] ?? 'none'));
  });
  return () => page.evaluate(() => sessionStorage.getItem('first') ?? undefined);
}

const ground = (page: Page): Promise<string> =>
  page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);

test('keeps a chosen theme from the first paint after a reload, and shares it among tabs', async ({
  page,
  core,
  context,
}) => {
  await page.emulateMedia({ colorScheme: 'light' });
  const first = await noteFirstTheme(page);
  await page.goto(core.link);
  await page.goto(core.at('settings'));
  const themes = page.getByRole('group', { name: 'Theme' });
  expect(await ground(page)).toBe('light dark');

  await themes.getByRole('button', { name: 'Dark' }).click();
  expect(await ground(page)).toBe('dark');
  await expectNoBarrier(page, 'the settings in a theme that the system does not have');

  await page.reload();
  await expect(themes.getByRole('button', { name: 'Dark' })).toHaveAttribute('aria-pressed', 'true');
  expect([await first(), await ground(page)]).toEqual(['dark', 'dark']);

  const other = await context.newPage();
  await other.goto(core.at('settings'));
  await other.getByRole('group', { name: 'Theme' }).getByRole('button', { name: 'Light' }).click();
  await expect.poll(() => ground(page)).toBe('light');
  await themes.getByRole('button', { name: 'System', exact: true }).click();
  await expect.poll(() => ground(other)).toBe('light dark');
});

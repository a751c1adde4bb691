/** The dashboard's frame as a person uses it: let in by the link, moved by keys, and patient with a core that is gone. */
import { expect } from '@playwright/test';
import { expectNoBarrier } from './no-barrier.ts';
import { test } from './serve-core.ts';

test('the first visit opens the setup, later ones where one was', async ({ page, core }) => {
  await page.goto(core.link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Apps');
  await page.getByRole('link', { name: 'Servers' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Servers');
  await page.goto('about:blank');
  await page.goto(new URL('/', core.link).href);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Servers');
});

test('the link’s key leaves the address, and a reload is still let in', async ({ page, core }) => {
  await page.goto(core.link);
  await expect(page).not.toHaveURL(/key/);
  await page.reload();
  await expect(page.getByRole('status').first()).not.toBeEmpty();
  await expect(page.getByRole('alert')).toBeHidden();
});

test('the line beside the title says what the view holds', async ({ page, core }) => {
  await page.goto(core.link);
  await page.goto(core.at('overview'));
  await expect(page.getByRole('status').first()).toHaveText('No active apps · Search mode');
  await page.goto(core.at('servers'));
  await expect(page.getByRole('status').first()).toHaveText('1 ready and 1 stopped');
});

test('a page without the key says how to get in, and shows nothing', async ({ page, core }) => {
  await page.goto(core.at('servers'));
  await expect(page.getByRole('alert')).toContainText('Not authorized');
  await expect(page.getByRole('table')).toBeHidden();
});

test('views, filter, rows and drawer are reached by keyboard', async ({ page, core }) => {
  await page.goto(core.link);
  await expect(page.getByRole('link', { name: 'Servers' })).toHaveAttribute('aria-keyshortcuts', 'G V');
  await page.keyboard.press('g');
  await page.keyboard.press('v');
  const rows = page.getByRole('table', { name: 'Servers' }).getByRole('rowheader').getByRole('link');
  await expect(rows).toHaveText(['hostile', 'echo']);
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await rows.first().focus();
  await page.keyboard.press('ArrowDown');
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'echo' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(rows.nth(1)).toBeFocused();
});

test('when the core is killed the page says so, keeps what it knew, and is of use again by itself', async ({
  page,
  core,
}) => {
  await page.goto(core.link);
  await page.goto(core.at('servers'));
  const echo = page.getByRole('table', { name: 'Servers' }).getByRole('row').filter({ hasText: 'echo' });
  await expect(echo).toContainText('Ready');
  await core.kill();
  await expect(page.getByRole('alert')).toContainText('Cannot reach Tooltray');
  await expect(page.getByRole('alert')).toContainText('Showing data from');
  await expect(echo).toContainText('Ready');
  await expectNoBarrier(page, 'without a core');
  await page.getByRole('button', { name: 'Pause all' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Cannot reach Tooltray.' })).toBeVisible();
  await core.resume();
  await expect(page.getByRole('alert')).toBeHidden({ timeout: 20_000 });
  await page.getByRole('button', { name: 'Pause all' }).click();
  await expect(page.getByRole('status').first()).toContainText('Paused');
});

test('the link pasted over the address leaves a person where they are, and another core’s lets them in there', async ({
  page,
  core,
}) => {
  await page.goto(core.link);
  for (const view of ['servers', 'activity', 'settings']) {
    await page.goto(core.at(view));
    await page.goto(core.link);
    await page.goto(core.at('inbox'));
    await expect(page).toHaveURL(core.at('inbox'));
    await page.goto(core.link);
    await expect(page).toHaveURL(core.at('inbox'));
    await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible();
  }
  await page.evaluate(() => localStorage.setItem('tooltray.key', 'of an older core'));
  await page.goto(core.link);
  await expect(page).toHaveURL(core.at('').replace('#/', ''));
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

test('a pause is told, waits in the list of what needs a person, and ends there', async ({ page, core }) => {
  await page.goto(core.link);
  await page.goto(core.at('overview'));
  await page.getByRole('button', { name: 'Pause all' }).click();
  await expect(page.getByRole('status').first()).toContainText('Paused');
  await page.getByRole('button', { name: /^Resume ?:/ }).click();
  await expect(page.getByRole('status').first()).not.toContainText('Paused');
});

test('the overview says how it counts', async ({ page, core }) => {
  await page.goto(core.link);
  await page.goto(core.at('overview'));
  await page.getByRole('button', { name: 'How is this calculated?' }).click();
  await expect(page.getByRole('dialog', { name: 'How is this calculated?' })).toContainText('o200k_base');
});

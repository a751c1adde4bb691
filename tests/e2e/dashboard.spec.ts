/** The dashboard's frame: signed in by the link, navigated by keys, and tolerant of an unavailable core. */
import { expect } from '@playwright/test';
import { expectNoBarrier } from './no-barrier.ts';
import { test } from './serve-core.ts';

test('opens the setup on the first visit, and the last view later', async ({ page, core }) => {
  await page.goto(core.link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Apps');
  await page.getByRole('link', { name: 'Servers' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Servers');
  await page.goto('about:blank');
  await page.goto(new URL('/', core.link).href);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Servers');
});

test('removes the key from the address, and stays signed in after a reload', async ({ page, core }) => {
  await page.goto(core.link);
  await expect(page).not.toHaveURL(/key/);
  await page.reload();
  await expect(page.getByRole('status').first()).not.toBeEmpty();
  await expect(page.getByRole('alert')).toBeHidden();
});

test('summarizes the view beside its title', async ({ page, core }) => {
  await page.goto(core.link);
  await page.goto(core.at('overview'));
  await expect(page.getByRole('status').first()).toHaveText('No active apps · Search mode');
  await page.goto(core.at('servers'));
  await expect(page.getByRole('status').first()).toHaveText('1 ready and 1 stopped');
});

test('without the key shows how to get in, and no data', async ({ page, core }) => {
  await page.goto(core.at('servers'));
  await expect(page.getByRole('alert')).toContainText('Not authorized');
  await expect(page.getByRole('table')).toBeHidden();
});

test('reaches views, filter, rows and drawer by keyboard', async ({ page, core }) => {
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

test('reports a killed core, keeps the last data, and reconnects by itself', async ({ page, core }) => {
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

test('keeps the current view when its own link is pasted, and connects to another core by its link', async ({
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

test('shows a pause among the items that need attention, and ends it there', async ({ page, core }) => {
  await page.goto(core.link);
  await page.goto(core.at('overview'));
  await page.getByRole('button', { name: 'Pause all' }).click();
  await expect(page.getByRole('status').first()).toContainText('Paused');
  await page.getByRole('button', { name: /^Resume ?:/ }).click();
  await expect(page.getByRole('status').first()).not.toContainText('Paused');
});

test('explains how the overview counts', async ({ page, core }) => {
  await page.goto(core.link);
  await page.goto(core.at('overview'));
  await page.getByRole('button', { name: 'How is this calculated?' }).click();
  await expect(page.getByRole('dialog', { name: 'How is this calculated?' })).toContainText('o200k_base');
});

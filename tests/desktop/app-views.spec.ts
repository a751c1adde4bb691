/** An app view in the desktop app's window: framed from the app's own URL, and without access to its bridge. */
import { expect, test } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { Desktop } from './open-desktop.ts';

test('shows a run’s app view in the window, without the bridge', async () => {
  await using desktop = await Desktop.open({ servers: { viewer: fixtureCommand('viewer') } });
  const page = await desktop.page();
  await expect(page.getByRole('navigation')).toBeVisible();
  await page.evaluate(() => (location.hash = '#/servers/viewer/run/show'));
  await page.getByRole('button', { name: 'Run', exact: true }).click({ timeout: 20_000 });
  const view = page.frameLocator('iframe[title$=" app view"]').frameLocator('iframe');
  await expect(view.locator('#result')).toContainText('show was told');
  const inside = page.frames().filter((frame) => frame !== page.mainFrame());
  const urls = inside.map((frame) => frame.url());
  expect(urls.map((url) => url.replace(/^.*\/view\/[\w-]{32}$/, 'our frame'))).toEqual(['our frame', 'about:srcdoc']);
  expect(URL.parse(urls[0] ?? '')?.host).toBe(URL.parse(page.url())?.host);
  const seen = await Promise.all(inside.map((frame) => frame.evaluate(() => 'tooltray' in window)));
  expect(seen).toEqual([false, false]);
});

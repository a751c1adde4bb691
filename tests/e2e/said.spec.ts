/** Payloads of calls with a real server: unchanged byte for byte after the page and the core have restarted. */
import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore } from './serve-core.ts';

const servers = { tracker: fixtureCommand('tracker') };

function sideOf(page: Page, name: string): Locator {
  return page.getByRole('dialog').getByRole('region', { name, exact: true });
}

async function openSaid(page: Page, core: ServedCore, id: number): Promise<void> {
  await page.goto(core.at(`activity/${id}`));
  await page.getByRole('tab', { name: 'Payload' }).click();
}

/** The full raw text, as saved by a user. */
async function rawText(page: Page, name: string): Promise<string> {
  const side = sideOf(page, name).first();
  await side.getByLabel(`${name}: part`).selectOption('Raw');
  await expect(side.getByText(/^Loading/)).toBeHidden();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    side.getByRole('button', { name: 'Download' }).click(),
  ]);
  return readFile(await download.path(), 'utf8');
}

test('keeps request, server result and returned result byte for byte across reload, crash and restart', async ({
  page,
}) => {
  test.slow();
  const results = { threshold: 40_000, thresholds: { 'tracker:read_log': 0 } };
  await using core = await ServedCore.start({ config: { mode: 'proxy', servers, results } });
  const app = await core.connect();
  const log = await app.call('tracker_read_log', { lines: 2000 });
  const summary = await app.call('tracker_list_issues', { count: 500 });
  await app.end();
  const isWhole = async (): Promise<void> => {
    await openSaid(page, core, 1);
    await expect(sideOf(page, 'Request').first()).toContainText('"lines": 2000');
    expect((await rawText(page, 'Server result')) === log).toBe(true);
    await expect(sideOf(page, 'Returned to model')).toContainText('passed through unchanged');
    await openSaid(page, core, 2);
    // Next to the list only one of the two fits.
    await page.getByRole('tab', { name: 'Returned to model' }).click();
    expect(await rawText(page, 'Returned to model')).toBe(summary);
    await page.getByRole('tab', { name: 'Server result' }).click();
    await sideOf(page, 'Server result').getByRole('link', { name: 'Open full result' }).click();
    await expect(
      page
        .getByRole('treeitem', { name: /^499:/ })
        .or(page.getByText('500', { exact: true }))
        .first(),
    ).toBeVisible();
  };
  await page.goto(core.link);
  await isWhole();
  await page.reload();
  await isWhole();
  await core.kill();
  await core.resume();
  await page.goto(core.link);
  await isWhole();
});

test('reports that payload recording is off', async ({ page }) => {
  await using core = await ServedCore.start({ config: { mode: 'proxy', servers, activity: { storePayloads: false } } });
  const app = await core.connect();
  await app.call('tracker_close_issue', { number: 7 });
  await page.goto(core.link);
  await openSaid(page, core, 1);
  for (const side of ['Request', 'Server result', 'Returned to model']) {
    await expect(sideOf(page, side)).toContainText('payload recording is off');
  }
  await expectNoBarrier(page, 'no texts');
});

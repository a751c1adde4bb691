/** Results in the dashboard: sorted, exported, searched, compared, previewed; short ones and spills alike. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Locator, type Page } from '@playwright/test';
import { expectNoBarrier } from './no-barrier.ts';
import { test, type TrackerCore } from './tracker-core.ts';

/** The panel of the newest call. */
async function openNewest(page: Page, core: TrackerCore, tool: string): Promise<Locator> {
  if (page.url() === 'about:blank') await page.goto(core.link);
  await page.goto(new URL('/#/activity', core.link).href);
  await page.getByRole('table', { name: 'Calls' }).getByRole('link', { name: tool }).first().click();
  return page.getByRole('dialog', { name: `tracker:${tool}` });
}

function side(panel: Locator, name: string): Locator {
  return panel.getByRole('region', { name, exact: true });
}

async function saved(page: Page, press: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return readFile(await download.path(), 'utf8');
}

test('shows the panel beside its list, and in a narrow window in its place with a Back button', async ({
  page,
  core,
}) => {
  await core.call('tracker_list_issues', { count: 2 });
  const panel = await openNewest(page, core, 'list_issues');
  const list = page.getByRole('table', { name: 'Calls' });
  const [left, right] = [await list.boundingBox(), await panel.boundingBox()];
  expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(right?.x ?? 0);
  const splitter = page.getByRole('separator', { name: 'Resize the panel' });
  await splitter.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => (await panel.boundingBox())?.width ?? 0).toBeLessThan(right?.width ?? 0);
  await page.setViewportSize({ width: 640, height: 800 });
  await expect(list).toBeHidden();
  await panel.getByRole('button', { name: 'Close' }).click();
  await expect(list).toBeVisible();
});

test('filters, sorts and exports rows with all their digits', async ({ page, core }) => {
  await core.call('tracker_list_issues', { count: 30 });
  const sent = side(await openNewest(page, core, 'list_issues'), 'Server result');
  await sent.getByRole('tab', { name: 'Table 30' }).click();
  await sent.getByRole('searchbox', { name: 'Search rows' }).fill('in review');
  const head = sent.getByRole('columnheader', { name: 'number' });
  await head.getByRole('button').click();
  await head.getByRole('button').click();
  await expect(head).toHaveAttribute('aria-sort', 'descending');
  await expect(sent.getByRole('row').nth(1)).toContainText('Issue 30');
  const csv = await saved(page, () => sent.getByRole('button', { name: 'CSV' }).click());
  const lines = csv.trim().split('\r\n');
  expect([lines.length, lines[0], lines[1]?.slice(0, 9)]).toEqual([
    11,
    'number,title,state,author,comments,labels',
    '30,Issue ',
  ]);
  expect(lines[1]).toContain('9007199254740993');
  const json = await saved(page, () => sent.getByRole('button', { name: 'JSON', exact: true }).click());
  expect(json.match(/"id": 9007199254740993/g)).toHaveLength(10);
});

test('searches and queries a short result like a spill, and shows only matching lines', async ({ page, core }) => {
  await core.call('tracker_list_issues', { count: 30 });
  const sent = side(await openNewest(page, core, 'list_issues'), 'Server result');
  await sent.getByRole('tab', { name: 'Query' }).click();
  await sent.getByRole('textbox', { name: 'JSONPath' }).fill('$.issues[2].author.id');
  await page.keyboard.press('Enter');
  await expect(sent.getByRole('region', { name: 'Query result for server result' })).toContainText('9007199254740993');
  await sent.getByRole('tab', { name: 'Text' }).click();
  await sent.getByRole('searchbox', { name: 'Find' }).fill('in review');
  await page.keyboard.press('Enter');
  await expect(sent.getByText('1 of 10', { exact: true })).toBeVisible();
  await sent.getByRole('button', { name: 'Show matching lines only' }).click();
  await expect(sent.getByRole('table', { name: 'Text of server result' }).getByRole('row')).toHaveCount(10);
  await sent.getByRole('button', { name: 'Show matching lines only' }).click();
  await sent.getByRole('button', { name: 'Wrap long lines' }).click();
  await expect(sent.getByRole('region', { name: 'Text of server result, wrapped' })).toContainText('"total": 30');
  await expectNoBarrier(page, 'wrapped');
  await sent.getByRole('tab', { name: 'Table' }).click();
  await expectNoBarrier(page, 'the table');
});

test('compares two results side by side', { tag: '@long' }, async ({ page, core }) => {
  await core.call('tracker_list_issues', { count: 2 });
  const before = side(await openNewest(page, core, 'list_issues'), 'Server result');
  await before.getByRole('button', { name: 'Compare' }).click();
  await core.call('tracker_read_log', { lines: 12 });
  const after = side(await openNewest(page, core, 'read_log'), 'Server result');
  await after.getByRole('button', { name: 'Compare with tracker:list_issues, server result' }).click();
  const pairs = after.getByRole('table', { name: /beside/ });
  await expect(pairs).toContainText('"total": 2,');
  await expect(pairs).toContainText('request 1 served');
  await expect(after.getByText(/different lines/)).toBeVisible();
  await expectNoBarrier(page, 'compared');
  await after.getByRole('button', { name: 'Close comparison' }).click();
  await expect(after.getByRole('tab', { name: 'Text' })).toBeVisible();
});

test('previews a server’s page without scripts, requests or navigation', async ({ page, core }) => {
  const asked: string[] = [];
  const elsewhere = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  await core.call('tracker_show_page', { address });
  const sent = side(await openNewest(page, core, 'show_page'), 'Server result');
  await sent.getByRole('tab', { name: 'Preview' }).click();
  const picture = sent.frameLocator('iframe');
  await expect(picture.getByText('of a server')).toBeVisible();
  await picture.getByText('A page').click();
  await picture.getByText('leads away').click();
  await expect(picture.getByText('of a server')).toBeVisible();
  await expect(picture.getByText('it ran')).toBeHidden();
  await expect(sent.locator('iframe')).toHaveAttribute('sandbox', '');
  await expect(page).not.toHaveTitle('owned');
  expect(asked).toEqual([]);
  elsewhere.close();
});

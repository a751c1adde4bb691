/** The activity view, with a real core and a client app that calls. */
import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import { expectNoBarrier } from './no-barrier.ts';
import { test } from './tracker-core.ts';

function rowOf(page: Page, tool: string): Locator {
  return page.getByRole('table', { name: 'Calls' }).getByRole('row').filter({ hasText: tool }).first();
}

function focusedCall(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.getAttribute('href') ?? undefined);
}

test.beforeEach(async ({ page, core }) => {
  await core.call('tracker_list_issues', { count: 2 });
  await page.goto(core.link);
  await page.goto(new URL('/#/activity', core.link).href);
  await expect(rowOf(page, 'list_issues')).toBeVisible();
});

test('lists a call as soon as it is made, marked only if it failed', async ({ page, core }) => {
  await core.call('tracker_close_issue', { number: 7 });
  await expect(rowOf(page, 'close_issue')).toContainText('Tool error');
  await expect(rowOf(page, 'list_issues')).not.toContainText('OK');
});

test('shows a call’s request, result and timing in the drawer', async ({ page, core }) => {
  await core.call('tracker_hostile', { word: "it's" });
  await rowOf(page, 'hostile').getByRole('link').click();
  const drawer = page.getByRole('dialog', { name: 'tracker:hostile' });
  await drawer.getByRole('tab', { name: 'Payload' }).click();
  const side = (name: string): Locator => drawer.getByRole('region', { name, exact: true });
  await expect(side('Request').first()).toContainText(`"word": "it's"`);
  await expect(side('Server result')).toContainText('<img src=x onerror=');
  await expect(side('Returned to model')).toContainText('passed through unchanged');
  await drawer.getByRole('tab', { name: 'Timing' }).click();
  await expect(drawer.getByRole('table', { name: 'Time by stage' }).getByRole('row')).toHaveCount(6);
  await expect(page).not.toHaveTitle('owned');
});

test('marks what a search found in the contents of calls, in the list and in the palette', async ({ page, core }) => {
  await core.call('tracker_hostile', { word: 'a xylophone' });
  await page.getByRole('searchbox').first().fill('xylo');
  await expect(rowOf(page, 'hostile').locator('mark')).toHaveText('xylo');
  await expectNoBarrier(page, 'found contents');
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill('xylo');
  const found = palette.getByRole('group', { name: 'Calls' }).getByRole('option');
  await expect(found.locator('mark')).toHaveText('xylo');
  await expectNoBarrier(page, 'found contents in the palette');
  await found.click();
  await expect(page.getByRole('dialog', { name: 'tracker:hostile' })).toBeVisible();
});

test('copies a call as the command that repeats it', async ({ page, core, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await core.call('tracker_hostile', { word: "it's" });
  // Another test may have called the same tool.
  await rowOf(page, "it's").getByRole('link').click();
  await page.getByRole('button', { name: 'Copy command' }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(String.raw`tooltray call tracker:hostile '{"word":"it'\''s"}'`);
});

test('holds back new calls while the user reads further down, and shows their number', async ({ page, core }) => {
  await Promise.all(Array.from({ length: 60 }, () => core.call('tracker_list_issues', { count: 1 })));
  const scroller = page.getByRole('table', { name: 'Calls' }).locator('..');
  await expect(page.getByRole('group', { name: 'Totals' })).toContainText(/\d\d+ calls/);
  await scroller.evaluate((element) => element.scrollTo({ top: 900 }));
  await Promise.all(Array.from({ length: 3 }, () => core.call('tracker_read_log', { lines: 1 })));
  await page.getByRole('button', { name: '3 new' }).click();
  await expect(rowOf(page, 'read_log')).toBeInViewport();
});

test('arrow keys reach calls that are not rendered, and the focus stays while new calls arrive', async ({
  page,
  core,
}) => {
  const table = page.getByRole('table', { name: 'Calls' });
  const links = table.getByRole('link');
  const rows = Number(await table.getAttribute('aria-rowcount')) + 300;
  await Promise.all(Array.from({ length: 300 }, () => core.call('tracker_list_issues', { count: 1 })));
  // All of them: on a slow computer they arrive gradually.
  await expect(table).toHaveAttribute('aria-rowcount', String(rows));
  const focused = (): Promise<string | undefined> =>
    page.evaluate(() => document.activeElement?.closest('tr')?.ariaRowIndex ?? undefined);
  await links.first().focus();
  for (let turn = 0; turn < 50; turn++) await page.keyboard.press('ArrowDown');
  expect(await focused()).toBe('52');
  await page.keyboard.press('PageDown');
  await expect.poll(async () => Number(await focused())).toBeGreaterThan(56);
  // Waits for rows that are not loaded yet.
  await page.keyboard.press('End');
  await expect.poll(focused).toBe(String(rows));
  await page.keyboard.press('Home');
  await expect.poll(focused).toBe('2');
  await core.call('tracker_read_log', { lines: 1 });
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible();
  expect(await focused()).toBe('2');
});

test('names the active filter, and clears it', async ({ page }) => {
  await page.getByRole('searchbox').fill('no such tool');
  await expect(page.getByText('Filter: matching “no such tool”.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filter' }).click();
  await expect(rowOf(page, 'list_issues')).toBeVisible();
});

test('exports the filtered calls as CSV', async ({ page, core }) => {
  await core.call('tracker_close_issue', { number: 7 });
  await page.getByRole('button', { name: 'Problems' }).click();
  await expect(rowOf(page, 'list_issues')).toBeHidden();
  await page.getByRole('button', { name: 'Export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(lines[0]).toMatch(/^id,at,app/);
  expect(lines.slice(1).every((line) => line.includes('tool_error'))).toBe(true);
});

test('arrow keys move between calls, Enter opens one, and Escape returns the focus', async ({ page, core }) => {
  await core.call('tracker_read_log', { lines: 1 });
  await expect(rowOf(page, 'read_log')).toBeVisible();
  const links = page.getByRole('table', { name: 'Calls' }).getByRole('link');
  await links.first().focus();
  const first = await focusedCall(page);
  await page.keyboard.press('ArrowDown');
  const second = await focusedCall(page);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`${second}$`));
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  // By its URL: a new call may have moved it down.
  await expect.poll(() => focusedCall(page)).toBe(second);
  expect(second).not.toBe(first);
});

test('has no accessibility violations in either theme', { tag: '@long' }, async ({ page, core }) => {
  // Each check takes seconds on a busy computer.
  test.slow();
  await core.call('tracker_close_issue', { number: 7 });
  await expect(rowOf(page, 'close_issue')).toBeVisible();
  await expectNoBarrier(page, 'the list');
  await rowOf(page, 'close_issue').getByRole('link').click();
  await expect(page.getByRole('dialog')).toBeVisible();
  // Docked: the list stays next to it.
  await expect(rowOf(page, 'close_issue')).toBeVisible();
  for (const tab of ['Details', 'Payload', 'Timing']) {
    await page.getByRole('tab', { name: tab }).click();
    await expectNoBarrier(page, tab);
  }
});

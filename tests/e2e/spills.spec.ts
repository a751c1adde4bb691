/** Spills in the dashboard, with a real core that stored them. */
import { expect, type Locator, type Page } from '@playwright/test';
import { expectNoBarrier } from './no-barrier.ts';
import { test, type TrackerCore } from './tracker-core.ts';

async function keep(core: TrackerCore, tool: string, args: object): Promise<string> {
  const answer = await core.call(tool, args);
  return /tooltray:\/\/spill\/([a-z0-9]+)/.exec(answer)?.[1] ?? answer.slice(0, 200);
}

async function open(page: Page, core: TrackerCore, id = ''): Promise<void> {
  // A page with the key would be reloaded by the link.
  if (page.url() === 'about:blank') await page.goto(core.link);
  await page.goto(new URL(`/#/spills/${id}`, core.link).href);
}

function shownLine(page: Page, number: string): Locator {
  return page.getByRole('region', { name: 'Text of the result' }).getByText(number, { exact: true });
}

test('lists a spill with its size and the used disk space', async ({ page, core }) => {
  await keep(core, 'tracker_list_issues', { count: 500 });
  await open(page, core);
  await expect(page.getByRole('table', { name: 'Spills' }).getByRole('row').nth(1)).toContainText(
    'list_issues count: 500',
  );
  await expect(page.getByRole('meter', { name: 'Disk space used by spills' })).toBeVisible();
  await expect(page.getByText(/ of 1 GB · \d+ spills? · retained 7 days/)).toBeVisible();
});

test('shows the whole spill beside what was returned to the model, as tree, table and text', async ({ page, core }) => {
  await open(page, core, await keep(core, 'tracker_list_issues', { count: 500 }));
  await expect(page.getByRole('region', { name: 'Returned to model' })).toContainText('stored in full on disk');
  await page.getByRole('treeitem', { name: /^0:/ }).click();
  await page.getByRole('treeitem', { name: /^author: \{/ }).click();
  await expect(page.getByText('9007199254740993', { exact: true })).toBeVisible();
  await page.getByRole('tab', { name: 'Table 500' }).click();
  await expect(page.getByRole('table', { name: 'Rows of issues' })).toContainText(
    'Issue 1: the build breaks on Mondays',
  );
  await page.getByRole('tab', { name: 'Text' }).click();
  await expect(page.getByText('"total": 500,')).toBeVisible();
});

test('scrolls a table of 400,000 rows to its last one, and row by row', async ({ page, core }) => {
  await open(page, core, await keep(core, 'tracker_list_numbers', { count: 400_000 }));
  await page.getByRole('tab', { name: 'Table 400,000' }).click();
  const region = page.getByRole('region', { name: 'Rows of the result' });
  await region.focus();
  await page.keyboard.press('End');
  await expect(region.getByRole('cell', { name: '400000', exact: true })).toBeInViewport();
  for (let step = 0; step < 2; step++) await page.keyboard.press('ArrowUp');
  await expect(region.getByRole('cell', { name: '400000', exact: true })).not.toBeInViewport();
  await expect(region.getByRole('row', { name: '399998 399997' })).toBeInViewport();
});

test('lists what the model read back, and jumps to the lines', async ({ page, core }) => {
  const id = await keep(core, 'tracker_list_issues', { count: 500 });
  await open(page, core, id);
  await core.call('read_result', { resultFile: id, op: 'slice', fromLine: 3000, toLine: 3010 });
  await page.getByRole('button', { name: /lines 3,000–3,010/ }).click();
  await expect(shownLine(page, '3000')).toBeInViewport();
  await page.getByRole('tab', { name: /^Table/ }).click();
  await expect(page.getByRole('button', { name: /, read by the model$/ })).toHaveCount(0);
  await core.call('read_result', { resultFile: id, op: 'slice', fromLine: 1, toLine: 12 });
  await expect(page.getByRole('button', { name: '1, read by the model' })).toBeVisible();
});

test('searches a text, and evaluates a JSONPath', async ({ page, core }) => {
  await open(page, core, await keep(core, 'tracker_list_issues', { count: 500 }));
  await page.getByRole('tab', { name: 'Text' }).click();
  await page.getByRole('searchbox', { name: 'Find' }).fill('issue 321:');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 of 1', { exact: true })).toBeVisible();
  await expect(page.locator('mark')).toHaveText('Issue 321:');
  await page.getByRole('tab', { name: 'Query' }).click();
  await page.getByRole('button', { name: 'JSONPath' }).click();
  await page.getByRole('textbox', { name: 'JSONPath' }).fill('$.issues[2].state');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Query result' })).toContainText('"in review"');
});

test(
  'reads a result of 60 MB to its end and in parts, stops a query that takes too long, and offers text alone above 64 MB',
  { tag: '@long' },
  async ({ page, core }) => {
    test.slow();
    await open(page, core, await keep(core, 'big_big', { bytes: 60_000_000 }));
    const region = page.getByRole('region', { name: 'Text of the result' });
    await page.getByRole('tab', { name: 'Text' }).click();
    await region.focus();
    await page.keyboard.press('End');
    await expect(region.getByText('"row": 58592,')).toBeVisible();
    await page.getByRole('tab', { name: 'Tree' }).click();
    await page.getByRole('textbox', { name: 'JSONPath' }).fill('$[57000]');
    await page.keyboard.press('Enter');
    await expect(page.getByText('57000', { exact: true })).toBeVisible();
    // Would run for hours.
    await page.getByRole('tab', { name: 'Query' }).click();
    await page.getByRole('button', { name: 'JSONPath' }).click();
    await page.getByRole('textbox', { name: 'JSONPath' }).fill('$[?$[?@.nowhere]]');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect(page.getByRole('button', { name: /^Run query/ })).toBeEnabled();

    await open(page, core, await keep(core, 'big_big', { bytes: 100_000_000 }));
    await expect(region.getByText('[{"row":0,')).toBeVisible();
    await expect(page.getByRole('tab')).toHaveText(['Text']);
  },
);

test('moves through the tree beyond the visible rows, and announces a text’s length', async ({ page, core }) => {
  await open(page, core, await keep(core, 'tracker_list_issues', { count: 500 }));
  const items = page.getByRole('tree', { name: 'Result tree' }).getByRole('treeitem');
  await items.first().focus();
  for (let turn = 0; turn < 60; turn++) await page.keyboard.press('ArrowDown');
  await expect(page.locator('[data-index="60"] [data-row]')).toBeFocused();
  await page.keyboard.press('End');
  await expect(items.last()).toBeFocused();
  await page.keyboard.press('PageUp');
  await expect(items.last()).not.toBeFocused();
  await page.keyboard.press('Home');
  await expect(items.first()).toBeFocused();
  await page.getByRole('tab', { name: 'Text' }).click();
  const lines = page.getByRole('table', { name: 'Text of the result' });
  await expect(lines).toHaveAttribute('aria-rowcount', /^\d{4,}$/);
  await expect(lines.getByRole('row').first()).toHaveAttribute('aria-rowindex', '1');
});

test('queries rows by SQL, and highlights rows that the model selected', async ({ page, core }) => {
  const id = await keep(core, 'tracker_list_issues', { count: 500 });
  await core.call('read_result', { resultFile: id, op: 'sql', query: 'SELECT * FROM rows WHERE number = 7' });
  await open(page, core, id);
  await page.getByRole('tab', { name: /^Table/ }).click();
  await expect(page.getByRole('button', { name: '7, read by the model' })).toBeVisible();
  await page.getByRole('button', { name: /^SQL.*WHERE number = 7/s }).click();
  await expect(page.getByRole('status').filter({ hasText: /^1 row · / })).toBeVisible();
  const statement = page.getByRole('textbox', { name: 'SQL' });
  // Completion requires the columns of the table.
  await expect(async () => {
    await statement.fill('SELECT sta');
    await page.keyboard.press('Tab');
    await expect(statement).toHaveValue('SELECT state', { timeout: 500 });
  }).toPass();
  await statement.fill('SELECT state, count(*) AS n FROM rows GROUP BY state ORDER BY n DESC');
  await page.keyboard.press('Control+Enter');
  const rows = page.getByRole('region', { name: /^Rows of the result, Query result/ });
  await expect(rows.getByRole('columnheader')).toHaveText(['#', /state/, /n/]);
  await statement.fill('DROP TABLE rows');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('Query failed')).toBeVisible();
});

test('filters a table by column and values, groups it, and opens a row', async ({ page, core }) => {
  await open(page, core, await keep(core, 'tracker_list_issues', { count: 500 }));
  await page.getByRole('tab', { name: /^Table/ }).click();
  await page.getByRole('textbox', { name: 'Filter number' }).fill('> 490');
  await expect(page.getByText('10 of 500', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('state');
  await expect(page.getByText(/^\d groups$/)).toBeVisible();
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('');
  await page.getByRole('button', { name: '2', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Row 2', exact: true }).first()).toContainText('title:');
});

test('searches the tree, and shows the path of the focused node', async ({ page, core }) => {
  await open(page, core, await keep(core, 'tracker_list_issues', { count: 500 }));
  await page.getByRole('searchbox', { name: 'Search the tree' }).fill('Issue 321:');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 of 1', { exact: true })).toBeVisible();
  await page.getByRole('treeitem', { name: /Issue 321:/ }).focus();
  await expect(page.getByText('$.issues[320].title')).toBeVisible();
});

test('shows an image and plays audio', async ({ page, core }) => {
  await open(page, core, await keep(core, 'tracker_screenshot', { bytes: 2_000_000 }));
  const picture = page.getByRole('img', { name: 'tracker › screenshot, server result' });
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await open(page, core, await keep(core, 'tracker_record', { bytes: 2_000_000 }));
  const sound = page.getByLabel('tracker › record, server result', { exact: true });
  await expect.poll(() => sound.evaluate((audio: HTMLAudioElement) => audio.duration)).toBeGreaterThan(0);
});

test('restores a deleted spill with Undo', async ({ page, core }) => {
  const id = await keep(core, 'tracker_read_log', { lines: 2000 });
  await open(page, core, id);
  await page.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  const rows = page.getByRole('table', { name: 'Spills' }).getByRole('link', { name: /read_log/ });
  await expect(rows).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(rows).toHaveCount(1);
  await rows.click();
  await page.getByRole('button', { name: 'Pin' }).click();
  await expect(page.getByText(/· pinned$/)).toBeVisible();
});

test('has no accessibility violations in either theme', { tag: '@long' }, async ({ page, core }) => {
  // Each check takes seconds on a busy computer.
  test.slow();
  const id = await keep(core, 'tracker_list_issues', { count: 500 });
  await open(page, core);
  await expect(page.getByRole('table', { name: 'Spills' })).toBeVisible();
  await expectNoBarrier(page, 'the list');
  await open(page, core, id);
  for (const tab of ['Tree', 'Table', 'Text', 'Query']) {
    await page.getByRole('tab', { name: tab }).click();
    await expectNoBarrier(page, tab);
  }
});

/** The overview: its chart by keyboard and pointer, the calls behind it, its folded part, and accessibility. */
import { expect } from '@playwright/test';
import { test } from './lived-in-core.ts';
import { expectNoBarrier } from './no-barrier.ts';

test.beforeEach(async ({ page, livedIn: { core } }) => {
  await page.goto(core.link);
  await page.goto(core.at('overview'));
});

const chart = { name: 'Tokens, direct and via Tooltray' };

test('reads the chart step by step with the arrow keys, and Enter opens the step’s calls', async ({ page }) => {
  const tokens = page.getByRole('slider', chart);
  await expect(tokens).toHaveAttribute('aria-valuetext', /: [\d,]+ tokens direct.*, [\d,]+ via Tooltray/);
  await expect(tokens).toHaveAttribute('aria-valuetext', /Tooltray started at /);
  await tokens.focus();
  await page.keyboard.press('Home');
  await expect(tokens).toHaveAttribute('aria-valuetext', /: no tokens$/);
  await page.keyboard.press('End');
  await expect(tokens).toHaveAttribute('aria-valuenow', '6');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/activity\?since=\d+&until=\d+/);
});

test('shows a step under the pointer, and opens it on a click', async ({ page }) => {
  await page.getByRole('button', { name: 'Today' }).click();
  const tokens = page.getByRole('slider', chart);
  await expect(tokens).toHaveAttribute('aria-valuemax', /^2[234]$/);
  const [newest, newestText] = [
    Number(await tokens.getAttribute('aria-valuenow')),
    await tokens.getAttribute('aria-valuetext'),
  ];
  const box = await tokens.boundingBox();
  if (box === null) throw new Error('the chart has no place');
  // The other half of the day: the newest step is shown before the pointer moves.
  const morning = newest < 12;
  const position = { x: morning ? box.width - 60 : 60, y: box.height / 2 };
  await tokens.hover({ position });
  await expect(tokens).not.toHaveAttribute('aria-valuetext', newestText ?? '');
  await expect(tokens).toHaveAttribute('aria-valuenow', morning ? /^(1[6-9]|2[0-4])$/ : /^[0-4]$/);
  await tokens.click({ position });
  await expect(page).toHaveURL(/#\/activity\?since=\d+&until=\d+/);
});

test('shows a call’s argument and the tokens of its result', async ({ page }) => {
  const kept = page.getByRole('list', { name: 'Recent calls' }).getByRole('link').filter({ hasText: 'count: 500' });
  await expect(kept).toContainText(/tracker ›\s*list_issues.*→ \d+/s);
  await kept.click();
  await expect(page).toHaveURL(/#\/activity\/\d+/);
});

test('folds calls, errors and latency; a server links to its calls in that time range', async ({ page }) => {
  await page.getByText(/4 calls in the last 7 days · 1 error \(25\.0%\)/).click();
  const table = page.getByRole('table', { name: 'Latency by server' });
  await table.getByRole('link', { name: 'tracker' }).click();
  await expect(page).toHaveURL(/#\/activity\?since=\d+&until=\d+&server=tracker/);
});

test('names why a server cannot start, with one action', async ({ page }) => {
  const row = page
    .getByRole('region', { name: 'Needs attention' })
    .getByRole('listitem')
    .filter({ hasText: 'weather' });
  await row.getByRole('button', { name: /^Decide/ }).click();
  await expect(page).toHaveURL(/#\/inbox\//);
});

test('has no accessibility violations in either theme', async ({ page }) => {
  await expect(page.getByRole('slider')).toHaveCount(1);
  await page.getByText('Calls, errors and latency').click();
  await expectNoBarrier(page, 'the overview');
});

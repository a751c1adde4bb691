/** The overview's charts: read by keyboard and pointer, opened into the calls they are made of, and without barriers. */
import { expect } from '@playwright/test';
import { test } from './lived-in-core.ts';
import { expectNoBarrier } from './no-barrier.ts';

test.beforeEach(async ({ page, livedIn: { core } }) => {
  await page.goto(core.link);
  await page.goto(core.at('overview'));
});

test('a chart is read step by step with the arrow keys, and Enter opens the calls of the step', async ({ page }) => {
  const calls = page.getByRole('slider', { name: 'Calls by outcome' });
  await expect(calls).toHaveAttribute('aria-valuetext', /: 4 calls: 3 answered and 1 answered with an error/);
  await calls.focus();
  await page.keyboard.press('Home');
  await expect(calls).toHaveAttribute('aria-valuetext', /: no calls$/);
  await page.keyboard.press('End');
  await expect(calls).toHaveAttribute('aria-valuenow', '6');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/activity\?since=\d+&until=\d+/);
});

test('the pointer reads a step, and a click opens it', async ({ page }) => {
  await page.getByRole('button', { name: 'Today' }).click();
  const tokens = page.getByRole('slider', { name: 'Tokens without and with us' });
  await expect(tokens).toHaveAttribute('aria-valuemax', /^2[234]$/);
  const [newest, newestText] = [
    Number(await tokens.getAttribute('aria-valuenow')),
    await tokens.getAttribute('aria-valuetext'),
  ];
  const box = await tokens.boundingBox();
  if (box === null) throw new Error('the chart has no place');
  // The half of the day that it is not now: the newest step is what is read before the pointer comes.
  const morning = newest < 12;
  const position = { x: morning ? box.width - 60 : 60, y: box.height / 2 };
  await tokens.hover({ position });
  await expect(tokens).not.toHaveAttribute('aria-valuetext', newestText ?? '');
  await expect(tokens).toHaveAttribute('aria-valuenow', morning ? /^(1[6-9]|2[0-4])$/ : /^[0-2]$/);
  await tokens.click({ position });
  await expect(page).toHaveURL(/#\/activity\?since=\d+&until=\d+/);
});

test('the line below a chart says what it says, and the start of the core is marked', async ({ page }) => {
  await expect(page.getByText(/without us and .+ with us in the last 7 days\./)).toBeVisible();
  await expect(page.getByText('4 calls in the last 7 days, 1 not answered well.')).toBeVisible();
  await expect(page.getByText('▲ Tooltray started').first()).toBeVisible();
  const calls = page.getByRole('slider', { name: 'Calls by outcome' });
  await expect(calls).toHaveAttribute('aria-valuetext', /Tooltray started at /);
});

test('the time that servers take is told by server, and leads to its calls in that time', async ({ page }) => {
  const table = page.getByRole('table', { name: 'Time taken by server' });
  await table.getByRole('link', { name: 'tracker' }).click();
  await expect(page).toHaveURL(/#\/activity\?since=\d+&until=\d+&server=tracker/);
});

test('the charts have no barriers, light and dark', async ({ page }) => {
  await expect(page.getByRole('slider')).toHaveCount(2);
  await expectNoBarrier(page, 'the charts');
});

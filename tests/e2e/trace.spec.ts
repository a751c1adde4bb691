/** A session's trace, followed live with real servers: complete after a reload and a restart of the core. */
import { expect, type Page, test } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore } from './serve-core.ts';

const servers = { tracker: fixtureCommand('tracker'), asker: fixtureCommand('asker') };
const config = { mode: 'search', servers, results: { threshold: 4000 } };
const program = [
  'const all = [];',
  'for (const n of [1, 2, 3]) all.push(await call_tool("tracker_read_log", {lines: n}));',
  'return all.length;',
].join('\n');

function row(page: Page, words: RegExp | string) {
  return page.getByRole('table', { name: 'Steps' }).getByRole('row').filter({ hasText: words });
}

async function openAll(page: Page, core: ServedCore): Promise<void> {
  await page.goto(core.at('activity/sessions/all'));
  await expect(page.getByRole('table', { name: 'Steps' })).toBeVisible();
}

test('shows search, call, spill, read-back and program live, and again after reload and restart', async ({ page }) => {
  test.slow();
  await using core = await ServedCore.start({ config });
  await page.goto(core.link);
  await page.goto(core.at('activity/sessions/all'));
  await expect(page.getByText('No steps yet')).toBeVisible();
  const app = await core.connect();
  await app.call('search_tools', { query: 'list open issues' });
  await expect(row(page, 'Searched “list open issues”')).toBeVisible();
  await expect(row(page, 'Connected')).toBeVisible();
  const kept = await app.call('call_tool', { name: 'tracker_list_issues', arguments: { count: 300 } });
  await expect(row(page, /tracker\s*›\s*list_issues/)).toContainText('spilled');
  const { _meta: meta } = JSON.parse(kept) as { _meta: Record<string, { parts: { id: string }[] }> };
  const id = meta['tooltray/spill']?.parts[0]?.id ?? '';
  await app.call('read_result', { resultFile: id, op: 'grep', pattern: 'number' });
  await expect(row(page, 'Read spill')).toContainText('grep number');
  await expect(row(page, 'Read spill')).not.toContainText('error');
  await app.call('execute', { language: 'javascript', code: program });
  await expect(row(page, 'Ran code (3 calls)')).toContainText('tracker:read_log ×3');
  const isWhole = async (): Promise<void> => {
    await row(page, 'Ran code').getByRole('link').click();
    const panel = page.getByRole('region', { name: 'Step', exact: true });
    await expect(panel.getByRole('region', { name: 'Request', exact: true }).first()).toContainText('call_tool');
    await expect(panel.getByText('3 tool calls')).toBeVisible();
    await panel.getByText('tracker:read_log').first().click();
    await expect(panel.getByRole('region', { name: 'Server result', exact: true })).toBeVisible();
    await panel.getByRole('button', { name: 'Close' }).click();
    await expect(panel).toBeHidden();
  };
  await isWhole();
  await expect(page.getByRole('navigation', { name: 'Sessions' })).toContainText('active');
  await page.reload();
  await openAll(page, core);
  await isWhole();
  await app.end();
  await core.kill();
  await core.resume();
  await page.goto(core.link);
  await openAll(page, core);
  await expect(row(page, 'Searched “list open issues”')).toBeVisible();
  await isWhole();
});

test('nests look-ups below the call they read, counts time from the start, and F shows a step alone', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await using core = await ServedCore.start({ config: { mode: 'proxy', servers, results: { threshold: 4000 } } });
  const app = await core.connect();
  const kept = await app.call('tracker_list_issues', { count: 300 });
  const id = /spill\/([a-z0-9]+)/.exec(kept)?.[1] ?? '';
  await app.call('tracker_read_log', { lines: 3 });
  await app.call('read_result', { resultFile: id, op: 'grep', pattern: 'number' });
  await page.goto(core.link);
  await openAll(page, core);
  await page.getByRole('navigation', { name: 'Sessions' }).getByRole('link').nth(1).click();
  const names = page.getByRole('table', { name: 'Steps' }).getByRole('row').locator('[data-row]');
  await expect(names.nth(0)).toContainText('read_log');
  await expect(names.nth(1)).toContainText('list_issues');
  await expect(names.nth(2)).toContainText('grep number');
  await expect(row(page, 'grep number').getByRole('cell').first()).toHaveText(/^\d+:\d\d$/);
  await expectNoBarrier(page, 'steps of a session, with a nested look-up');
  await names.nth(2).press('Enter');
  const panel = page.getByRole('region', { name: 'Step', exact: true });
  await expect(panel).toBeVisible();
  await page.keyboard.press('f');
  await expect(page.getByRole('table', { name: 'Steps' })).toBeHidden();
  await page.keyboard.press('f');
  await expect(page.getByRole('table', { name: 'Steps' })).toBeVisible();
});

test('shows a running step’s progress, and the user cancels it', async ({ page }) => {
  await using core = await ServedCore.start({ config: { mode: 'proxy', servers } });
  const app = await core.connect();
  await page.goto(core.link);
  await page.goto(core.at('activity/sessions/all'));
  const answer = app.call('asker_slow_progress', { steps: 600, delayMs: 100 });
  const running = page.getByRole('region', { name: 'Running now' });
  await expect(running).toContainText('asker_slow_progress');
  await expectNoBarrier(page, 'a step that runs');
  await running.getByRole('button', { name: 'Cancel asker_slow_progress' }).click();
  expect(await answer).toContain('The user cancelled this in Tooltray.');
  await expect(running).toBeHidden();
  await expect(row(page, 'slow_progress')).toContainText('Cancelled');
});

test('navigates rows and panel and resizes the parts by keyboard', { tag: '@long' }, async ({ page }) => {
  await page.setViewportSize({ width: 1680, height: 900 });
  await using core = await ServedCore.start({ config: { mode: 'proxy', servers } });
  const app = await core.connect();
  await app.call('tracker_close_issue', { number: 1 });
  await app.call('tracker_close_issue', { number: 2 });
  await page.goto(core.link);
  await openAll(page, core);
  await row(page, 'close_issue').first().getByRole('link').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const panel = page.getByRole('region', { name: 'Step', exact: true });
  await expect(panel.getByRole('region', { name: 'Request', exact: true })).toContainText('"number": 1');
  await expectNoBarrier(page, 'a step');
  const splitter = page.getByRole('separator', { name: 'Resize step panel' });
  const before = (await panel.boundingBox())?.width ?? 0;
  await splitter.focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(async () => (await panel.boundingBox())?.width ?? 0).toBeGreaterThan(before);
  await page.reload();
  await expect.poll(async () => (await panel.boundingBox())?.width ?? 0).toBeGreaterThan(before);
  // Narrow: one after the other, with a back button.
  await page.setViewportSize({ width: 640, height: 800 });
  await expect(page.getByRole('table', { name: 'Steps' })).toBeHidden();
  await page.getByRole('link', { name: 'Back to steps' }).click();
  await expect(page.getByRole('table', { name: 'Steps' })).toBeVisible();
  await expectNoBarrier(page, 'steps, narrow');
});

test(
  'shows payloads side by side as far as there is room, or one at full width',
  { tag: '@long' },
  async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await using core = await ServedCore.start({ config: { mode: 'proxy', servers, results: { threshold: 4000 } } });
    const app = await core.connect();
    await app.call('tracker_list_issues', { count: 300 });
    await page.goto(core.link);
    await openAll(page, core);
    await row(page, 'list_issues').getByRole('link').click();
    const panel = page.getByRole('region', { name: 'Step', exact: true });
    const side = (name: string) => panel.getByRole('region', { name, exact: true });
    // Next to the steps: one of the two at a time, and the last selected one is shown again.
    await expect(page.getByRole('table', { name: 'Steps' })).toBeVisible();
    await expect(side('Request')).toBeVisible();
    await expect(side('Server result')).toBeVisible();
    await expect(side('Returned to model')).toBeHidden();
    await panel.getByRole('tab', { name: 'Returned to model' }).click();
    await expect(side('Server result')).toBeHidden();
    await page.reload();
    await expect(side('Returned to model')).toBeVisible();
    await expectNoBarrier(page, 'one side at a time');
    await panel.getByRole('button', { name: 'Full width' }).click();
    await expect(page.getByRole('table', { name: 'Steps' })).toBeHidden();
    const [sent, given] = await Promise.all([
      side('Server result').boundingBox(),
      side('Returned to model').boundingBox(),
    ]);
    expect(sent?.y).toBe(given?.y);
    await expectNoBarrier(page, 'a step alone');
    await page.setViewportSize({ width: 640, height: 400 });
    await expect(panel.getByRole('tab', { name: 'Server result' })).toBeVisible();
    await expect(panel.getByRole('button', { name: 'Exit full width' })).toBeHidden();
    await panel.getByRole('link', { name: 'Back to steps' }).click();
    await expect(page.getByRole('table', { name: 'Steps' })).toBeVisible();
  },
);

test('changes an app’s mode and limit beside its sessions, explains the effect, and counts matches', async ({
  page,
}) => {
  await using core = await ServedCore.start({ config: { mode: 'proxy', servers } });
  const app = await core.connect();
  for (const number of [1, 2, 3]) await app.call('tracker_close_issue', { number });
  await app.call('tracker_list_issues', { count: 2 });
  await page.goto(core.link);
  await openAll(page, core);
  const list = page.getByRole('navigation', { name: 'Sessions' });
  await expect(list).toContainText('proxy, results up to 40 kB');
  const opener = page.getByRole('link', { name: 'Claude Desktop settings' });
  await opener.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Claude Desktop settings' });
  await expect(dialog).toContainText('Uses the default mode (Proxy)');
  await expectNoBarrier(page, 'how an app is served');
  await dialog.getByRole('button', { name: /^Search/ }).click();
  await expect(dialog).toContainText('Overrides the default mode');
  await dialog.getByLabel('Spill results to Claude Desktop larger than, in kB').fill('20');
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('Results over 20 kB are spilled to disk');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(opener).toBeFocused();
  await expect(list).toContainText('search, results up to 20 kB');
  const config = JSON.parse(await core.read('own/config.json')) as object;
  expect(config).toMatchObject({
    mode: 'proxy',
    appModes: { 'claude-desktop': 'search' },
    results: { appThresholds: { 'claude-desktop': 20_000 } },
  });
  await page.getByRole('button', { name: 'Problems' }).click();
  const totals = page.getByRole('group', { name: 'Totals' });
  await expect(totals).toContainText(/^3 of 5 steps match/);
});

test('folds look-ups, repeated steps and a program into rows; totals include every step', async ({ page }) => {
  await page.setViewportSize({ width: 1500, height: 900 });
  await using core = await ServedCore.start({ config });
  const app = await core.connect();
  await app.call('search_tools', { query: 'close an issue' });
  await app.call('call_tool', { name: 'tracker_close_issue', arguments: { number: 1 } });
  for (const number of [2, 3, 4, 5]) {
    await app.call('call_tool', { name: 'tracker_close_issue', arguments: { number } });
  }
  await app.call('execute', { language: 'javascript', code: program });
  await page.goto(core.link);
  await openAll(page, core);
  const totals = page.getByRole('group', { name: 'Totals' });
  await expect(totals).toContainText('8 steps recorded');
  const rows = page.getByRole('table', { name: 'Steps' }).getByRole('row');
  // The header, the program, four equal steps, the chain, and the handshake.
  await expect(rows).toHaveCount(5);
  // If there is little room, figures and labels are dropped before a name is truncated.
  for (const width of [740, 600, 560]) {
    await page.setViewportSize({ width, height: 900 });
    for (const name of await rows.locator('.server, .tool').all()) {
      const fits = (): Promise<boolean> => name.evaluate((part) => part.scrollWidth <= part.clientWidth);
      await expect.poll(fits, `${await name.textContent()} at ${width}`).toBe(true);
    }
  }
  await page.setViewportSize({ width: 1500, height: 900 });
  const same = page.getByRole('button', { name: /close_issue.*×4$/ });
  await expect(same).toHaveAttribute('aria-expanded', 'false');
  await same.click();
  await expect(rows).toHaveCount(9);
  await expectNoBarrier(page, 'steps unfolded');
  const chain = page.getByRole('button', { name: /tracker › close_issue.*2 steps Searched “close an issue”/ });
  await chain.focus();
  await page.keyboard.press('ArrowRight');
  await expect(rows).toHaveCount(11);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const panel = page.getByRole('region', { name: 'Step', exact: true });
  await expect(panel.getByRole('region', { name: 'Request', exact: true }).first()).toContainText('"number": 1');
  await panel.getByRole('button', { name: 'Close' }).click();
  await chain.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowLeft');
  await expect(chain).toBeFocused();
  await expect(rows).toHaveCount(9);
  await row(page, 'Ran code').getByRole('button', { name: 'Calls made by this program' }).click();
  await expect(rows).toHaveCount(12);
  await expect(totals).toContainText('8 steps recorded');
  // Search results are not collapsed.
  await page.getByRole('button', { name: 'Problems' }).click();
  await expect(totals).toContainText(/^5 of 8 steps match/);
  await expect(rows).toHaveCount(6);
});

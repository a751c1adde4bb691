/**
 * Servers in daily use: sorted, found by their tools, selected together, started and stopped, measured, their logs
 * read.
 */
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { expect, type Locator, type Page, test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore } from './serve-core.ts';

/** Prints a line every tenth of a second, and never responds. */
const talker = "let n = 0; setInterval(() => console.error('beat ' + ++n), 100); process.stdin.resume()";
const servers = {
  tracker: fixtureCommand('tracker'),
  missing: { command: 'no-such-program-anywhere' },
  sealed: { ...fixtureCommand('echo'), env: { API_TOKEN: '${secret:SEALED_TOKEN}' } },
  talker: { command: process.execPath, args: ['-e', talker] },
  ...Object.fromEntries(
    Array.from({ length: 24 }, (_, at) => [`echo-${at}`, { ...fixtureCommand('echo'), enabled: at === 0 }]),
  ),
};

/** One core for all: each test restores it. */
const test = plain.extend<object, { core: ServedCore }>({
  core: [
    async ({ browserName: _ }, use) => {
      await using core = await ServedCore.start({ config: { mode: 'search', servers } });
      await use(core);
    },
    { scope: 'worker' },
  ],
});
test.describe.configure({ mode: 'serial' });

const table = (page: Page): Locator => page.getByRole('table', { name: 'Servers' });
const rowOf = (page: Page, name: string): Locator =>
  table(page)
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) });
const nameAt = (page: Page, index: number): Locator => table(page).getByRole('row').nth(index).locator('[data-row]');
const head = (page: Page, name: string): Locator => table(page).getByRole('columnheader', { name, exact: true });

test.beforeEach(async ({ page, core }) => {
  await page.setViewportSize({ width: 1280, height: 700 });
  await page.goto(core.link);
  await page.goto(core.at('servers'));
  await expect(rowOf(page, 'tracker')).toContainText('Ready');
});

test('sorts by a column with keyboard or mouse, shows the direction, and remembers it', async ({ page }) => {
  await expect(head(page, 'Status')).toHaveAttribute('aria-sort', 'ascending');
  await head(page, 'Tools').getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expect(head(page, 'Tools')).toHaveAttribute('aria-sort', 'descending');
  await expect(nameAt(page, 1)).toHaveText('tracker');
  await head(page, 'Server').getByRole('button').click();
  await head(page, 'Server').getByRole('button').click();
  await expect(nameAt(page, 1)).toHaveText('tracker');
  await expect(nameAt(page, 2)).toHaveText('talker');
  await page.reload();
  await expect(head(page, 'Server')).toHaveAttribute('aria-sort', 'descending');
  await expect(head(page, 'Tools')).not.toHaveAttribute('aria-sort');
  await expect(nameAt(page, 2)).toHaveText('talker');
  await expectNoBarrier(page, 'servers, sorted');
});

test('keeps filter and header visible while the rows scroll, at any width', async ({ page }) => {
  for (const width of [1280, 900, 600]) {
    await page.setViewportSize({ width, height: 600 });
    await nameAt(page, 6).hover();
    await page.mouse.wheel(0, 5_000);
    await expect(nameAt(page, 28)).toBeInViewport();
    await expect(page.getByRole('searchbox', { name: 'Filter servers' })).toBeInViewport({ ratio: 1 });
    await expect(head(page, 'Server')).toBeInViewport({ ratio: 1 });
    await page.mouse.wheel(0, -5_000);
    await expect(nameAt(page, 1)).toBeInViewport();
  }
});

test('never hides a focused row behind the header', async ({ page }) => {
  await nameAt(page, 1).focus();
  await page.keyboard.press('End');
  await expect(nameAt(page, 28)).toBeInViewport({ ratio: 1 });
  for (let at = 0; at < 20; at++) await page.keyboard.press('ArrowUp');
  const [row, top] = await Promise.all([nameAt(page, 8).boundingBox(), head(page, 'Server').boundingBox()]);
  await expect(nameAt(page, 8)).toBeFocused();
  expect(row?.y).toBeGreaterThanOrEqual((top?.y ?? 0) + (top?.height ?? 0));
});

test('filters servers by their tools, names the matches, and links to them', async ({ page }) => {
  await page.keyboard.press('/');
  await page.keyboard.type('close issue');
  await expect(table(page).locator('[data-row]')).toHaveText(['tracker']);
  await rowOf(page, 'tracker').getByRole('link', { name: 'Tool: close_issue' }).click();
  await expect(page.getByRole('switch', { name: 'Enable close_issue' })).toBeVisible();
});

test('selects several servers by key, disables them, and Undo enables them again', async ({ page, core }) => {
  await page.getByRole('searchbox', { name: 'Filter servers' }).fill('echo-0');
  await expect(rowOf(page, 'echo-0')).toContainText('Ready');
  await rowOf(page, 'echo-0').getByRole('link').focus();
  await page.keyboard.press('Space');
  await page.getByRole('searchbox', { name: 'Filter servers' }).fill('');
  await page.getByRole('checkbox', { name: 'Select tracker' }).check();
  await expect(page.getByRole('checkbox', { name: 'Select all servers' })).toHaveJSProperty('indeterminate', true);
  const bar = page.getByRole('group', { name: 'Selected servers' });
  await expect(bar).toContainText('2 servers selected');
  await expectNoBarrier(page, 'servers, some selected');
  await bar.getByRole('button', { name: 'Disable' }).click();
  await expect(rowOf(page, 'tracker')).toContainText('Off');
  await expect(rowOf(page, 'echo-0')).toContainText('Off');
  expect(await core.read('own/config.json')).toMatch(/"enabled": false/);
  await page
    .getByRole('status')
    .filter({ hasText: '2 servers disabled.' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect(rowOf(page, 'tracker')).toContainText('Ready');
  await expect(rowOf(page, 'echo-0')).toContainText('Ready');
  // Actions apply only to visible rows.
  await page.getByRole('searchbox', { name: 'Filter servers' }).fill('echo-0');
  await expect(bar).toContainText('1 server selected');
  await bar.getByRole('button', { name: 'Clear selection' }).click();
  await expect(bar).toBeHidden();
});

test('stops and starts a server, and shows it in the row, the details and the log', async ({ page, core }) => {
  await page.goto(core.at('servers/tracker'));
  const dialog = page.getByRole('dialog', { name: 'tracker' });
  if (process.platform !== 'win32') await expect(dialog).toContainText(/MB in 1 process/);
  await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(dialog).toContainText('Idle');
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(dialog.getByRole('button', { name: 'Restart' })).toBeVisible();
  await expect(dialog).toContainText('Ready');
  await dialog.getByRole('button', { name: 'Restart' }).click();
  await expect(dialog).toContainText(/Restarts\s*1 since/);
  await expectNoBarrier(page, 'summary of a server that runs');
  await page.getByRole('tab', { name: 'Log' }).click();
  const log = page.getByRole('region', { name: 'tracker log' });
  for (const line of [
    /Started, process \d+\./,
    /Handshake done in \d+ ms/,
    /Lists read: \d+ tools/,
    'Stopped manually',
  ]) {
    await expect(log.getByText(line).first()).toBeVisible();
  }
});

test(
  'offers the fitting action: edit a missing command, or set a secret and start the server',
  { tag: '@long' },
  async ({ page, core }) => {
    await rowOf(page, 'missing').getByRole('button', { name: 'Edit command missing' }).click();
    await expect(page.getByRole('tab', { name: 'Config' })).toHaveAttribute('aria-selected', 'true');
    await page.goto(core.at('servers'));
    const sealed = rowOf(page, 'sealed');
    await expect(sealed).toContainText('needs SEALED_TOKEN');
    await sealed.getByLabel('Value of SEALED_TOKEN').fill('hunter2-hunter2');
    await expectNoBarrier(page, 'a secret that is missing');
    await page.keyboard.press('Enter');
    await expect(sealed).toContainText('Ready');
    await page.goto(core.at('servers/missing/log'));
    // There never was a process, and the log says so.
    await expect(page.getByRole('region', { name: 'missing log' })).toContainText('was not found on PATH');
  },
);

test(
  'follows the log until the user scrolls, counts new lines, filters and saves it',
  { tag: '@long' },
  async ({ page, core }) => {
    await page.goto(core.at('servers/talker/log'));
    const log = page.getByRole('region', { name: 'talker log' });
    const isAtEnd = (): Promise<boolean> =>
      log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight <= 24 && box.scrollTop > 0);
    await expect.poll(isAtEnd).toBe(true);
    await expect(page.getByRole('button', { name: 'Pause', exact: true })).toBeVisible();
    await expectNoBarrier(page, 'a log that follows');
    await log.hover();
    await page.mouse.wheel(0, -200);
    const follow = page.getByRole('button', { name: /Follow.*[1-9]\d* new/s });
    await expect(follow).toBeVisible();
    const held = await log.innerText();
    await expect(follow).toContainText(/([5-9]|\d\d) new/);
    expect(await log.innerText()).toBe(held);
    await follow.click();
    await expect.poll(isAtEnd).toBe(true);
    await page.getByRole('searchbox', { name: 'Filter log lines' }).fill('tooltray started');
    // It never responds, so it is restarted from time to time.
    await expect(log).not.toContainText('beat');
    await expect(log.getByRole('listitem').first()).toContainText(/Started, process \d+\./);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('talker.log');
    expect(await readFile(await download.path(), 'utf8')).toMatch(
      /^(\d{4}-[\d:.T-]+Z tooltray: Started, process \d+\.\n)+$/,
    );
    await page.getByRole('searchbox', { name: 'Filter log lines' }).fill('no such line');
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await expect(log).toContainText('beat');
  },
);

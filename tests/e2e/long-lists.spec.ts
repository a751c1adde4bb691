/** Very long lists: only visible rows are rendered, and every row is reachable. */
import { join } from 'node:path';
import process from 'node:process';
import { expect, type Page } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore, test } from './serve-core.ts';

const manyTools = join(import.meta.dirname, '..', '..', 'scripts', 'bench', 'dashboard', 'many-tools.mjs');
const off = Object.fromEntries(
  Array.from({ length: 150 }, (_, at) => [`server-${at}`, { ...fixtureCommand('echo'), enabled: false }]),
);
const servers = { many: { command: process.execPath, args: [manyTools, '400'] }, ...off };

const focusedRow = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.activeElement?.closest('tr')?.ariaRowIndex ?? undefined);

test('scrolls, selects, filters and sorts 150 servers by wheel and keys', async ({ page }) => {
  await using core = await ServedCore.start({ config: { mode: 'search', servers } });
  await page.setViewportSize({ width: 1280, height: 700 });
  await page.goto(core.link);
  await page.goto(core.at('servers'));
  const table = page.getByRole('table', { name: 'Servers' });
  const link = (name: string) => table.getByRole('link', { name, exact: true });
  await expect(table).toHaveAttribute('aria-rowcount', /^15\d$/);
  const rows = Number(await table.getAttribute('aria-rowcount'));
  expect(await table.getByRole('row').count()).toBeLessThan(40);

  await table.locator('[data-row]').first().focus();
  for (let turn = 0; turn < 30; turn++) await page.keyboard.press('ArrowDown');
  await expect.poll(() => focusedRow(page)).toBe('32');
  await page.keyboard.press('End');
  await expect.poll(() => focusedRow(page)).toBe(String(rows));
  await expect(link('server-149')).toBeFocused();
  await page.keyboard.press('Space');
  await expect(page.getByRole('group', { name: 'Selected servers' })).toContainText('1 server selected');
  await page.getByRole('button', { name: 'Clear selection' }).click();

  await table.hover();
  await page.mouse.wheel(0, -20_000);
  await expect(link('many')).toBeInViewport();
  await expectNoBarrier(page, 'a long list of servers');
  await table.getByRole('columnheader', { name: 'Server', exact: true }).getByRole('button').click();
  await table.getByRole('columnheader', { name: 'Server', exact: true }).getByRole('button').click();
  await expect(link('server-149')).toBeInViewport();
  await page.getByRole('searchbox', { name: 'Filter servers' }).fill('server-77');
  await expect(table.locator('[data-row]')).toHaveText(['server-77']);

  await page.setViewportSize({ width: 600, height: 700 });
  await page.getByRole('searchbox', { name: 'Filter servers' }).fill('');
  await expect(table.getByRole('button', { name: 'Enable server-149' })).toBeInViewport({ ratio: 1 });
  expect(
    (await link('server-149').locator('xpath=ancestor::*[self::th or self::a][1]').boundingBox())?.width,
  ).toBeGreaterThan(140);
});

test(
  'renders only visible tools of 400, and keeps one unfolded when it returns',
  { tag: '@long' },
  async ({ page }) => {
    await using core = await ServedCore.start({ config: { mode: 'search', servers: { many: servers.many } } });
    await page.setViewportSize({ width: 1280, height: 700 });
    await page.goto(core.link);
    await page.goto(core.at('servers/many/tools'));
    const tools = page.getByRole('dialog', { name: 'many' }).getByRole('listitem');
    const tool = (at: number) =>
      tools.filter({ has: page.getByRole('switch', { name: `Enable tool_${at}`, exact: true }) });
    await expect(tool(0)).toBeVisible();
    expect(await tools.count()).toBeLessThan(100);
    await expect(tool(0)).toHaveAttribute('aria-setsize', '400');

    await tool(3).locator('summary').click();
    await expect(tool(3)).toContainText('Which thing 3');
    await tool(1).hover();
    for (let turn = 0; turn < 40; turn++) await page.mouse.wheel(0, 1_000);
    await expect(tool(399)).toBeInViewport();
    await expect(tool(3)).toHaveCount(0);
    await expect(page.getByRole('dialog', { name: 'many' }).locator('details[open]')).toHaveCount(0);
    await tool(399).getByRole('switch').click();
    await expect(tool(399).getByRole('switch')).not.toBeChecked();
    await expect(tool(399)).toBeInViewport();
    await expectNoBarrier(page, 'the end of a long list of tools');
    await tool(398).hover();
    for (let turn = 0; turn < 40; turn++) await page.mouse.wheel(0, -1_000);
    await expect(tool(3)).toContainText('Which thing 3');
    await page.getByRole('searchbox', { name: 'Filter tools' }).fill('tool_39');
    await expect(tools).toHaveCount(11);
  },
);

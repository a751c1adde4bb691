/** The official example servers of MCP Apps: their views of recorded calls, and the calls that the views make. */
import { expect, type FrameLocator, type Page, test } from '@playwright/test';
import { havePackages, programOf } from '../real/real-packages.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore } from './serve-core.ts';

test.beforeAll(async () => {
  test.setTimeout(600_000);
  test.skip(!(await havePackages()), 'The example servers are not here.');
});

async function showCall(page: Page, name: string, tool: string): Promise<{ core: ServedCore; view: FrameLocator }> {
  const { command, args } = programOf(`@modelcontextprotocol/server-${name}`);
  const servers = { [name]: { command, args: [...args, '--stdio'] } };
  const core = await ServedCore.start({ config: { mode: 'proxy', servers } });
  const app = await core.connect();
  await expect.poll(() => app.call(tool), { timeout: 30_000 }).toContain('"content"');
  await page.goto(core.link);
  await page.goto(core.at('activity'));
  await page.getByRole('table', { name: 'Calls' }).getByRole('link', { name: tool }).first().click();
  await page.getByRole('tab', { name: 'App view' }).click();
  return { core, view: page.frameLocator('iframe[title$=" app view"]').frameLocator('iframe') };
}

test('basic-vanillajs shows the time of a recorded call, and requests it again from its server', async ({ page }) => {
  const { core, view } = await showCall(page, 'basic-vanillajs', 'get-time');
  await using _core = core;
  const time = view.locator('#server-time');
  await expect(time).toHaveText(/^\d{4}-\d\d-\d\dT/);
  const recorded = await time.innerText();
  await view.getByRole('button', { name: 'Get Server Time' }).click();
  const dialog = page.getByRole('dialog', { name: 'basic-vanillajs app view: run get-time?' });
  await dialog.getByRole('button', { name: 'Run get-time' }).click();
  await expect(time).not.toHaveText(recorded);
  await expect(time).toHaveText(/^\d{4}-\d\d-\d\dT/);
  await expect(page.getByText('1 call so far')).toBeVisible();
  await view.getByRole('button', { name: 'Send Message' }).click();
  await expect(page.getByRole('log', { name: 'Messages from the app view' })).toBeVisible();
  await expectNoBarrier(page, 'a real view');
});

test('budget-allocator draws the result of the recorded call', { tag: '@long' }, async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  const { core, view } = await showCall(page, 'budget-allocator', 'get-budget-data');
  await using _core = core;
  await expect(view.locator('canvas').first()).toBeVisible();
  await expect(view.getByRole('slider').first()).toBeVisible();
  await expectNoBarrier(page, 'a real view in the dark');
});

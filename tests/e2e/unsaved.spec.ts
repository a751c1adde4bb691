/** Unsaved input is not lost without confirmation, in every form and in every way of leaving it. */
import { expect, type Page } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore, test } from './serve-core.ts';

const question = (page: Page) => page.getByRole('dialog', { name: 'Discard unsaved changes?' });

async function staysAfter(page: Page, what: string, leave: () => Promise<unknown>): Promise<void> {
  await leave();
  await expect(question(page)).toContainText(`Unsaved: ${what}.`);
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await expect(question(page)).toBeHidden();
}

/** Closes the page like a tab; returns whether the browser asked first. */
async function asksWhenClosed(page: Page): Promise<boolean> {
  const asked = new Promise<boolean>((resolve) => {
    page.once('dialog', (dialog) => {
      resolve(dialog.type() === 'beforeunload');
      void dialog.dismiss();
    });
    page.once('close', () => resolve(false));
  });
  await page.close({ runBeforeUnload: true });
  return asked;
}

test.beforeEach(async ({ page, core }) => {
  await page.goto(core.link);
});

test('asks before an unsaved or invalid setting is lost', async ({ page, core }) => {
  await page.goto(core.at('settings'));
  const field = page.getByRole('spinbutton', { name: 'Spill retention' });
  await field.fill('9');
  await staysAfter(page, 'Spill retention', () => page.evaluate(() => (location.hash = '#/servers')));
  await expect(field).toHaveValue('9');
  await field.press('Enter');
  await expect.poll(() => core.read('own/config.json')).toContain('"retentionDays": 9');
  // It was saved, so nothing is asked.
  await page.getByRole('link', { name: 'Spills' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Spills');

  await page.goto(core.at('settings'));
  await field.fill('0');
  await staysAfter(page, 'Spill retention', () => page.getByRole('link', { name: 'Spills' }).click());
  await expect(page.getByText('Enter a number of at least 1')).toBeVisible();
  expect(await asksWhenClosed(page)).toBe(true);
});

test('asks before a typed server or a pasted text is lost', async ({ page, core }) => {
  for (const [tab, label, what] of [
    ['form', 'Name', 'new server'],
    ['paste', 'Paste JSON, a command line, an install link', 'pasted text'],
  ] as const) {
    await page.goto(core.at(`servers?add=${tab}`));
    await page.getByLabel(label).fill('npx x');
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('button', { name: 'Close' }).click(),
      () => page.getByRole('tab', { name: 'Import' }).click(),
    ])
      await staysAfter(page, what, leave);
    await expect(page.getByLabel(label)).toHaveValue('npx x');
    await page.keyboard.press('Escape');
    await expectNoBarrier(page, 'the question about edits');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expect(page.getByRole('dialog')).toBeHidden();
  }
});

test('asks before an import selection is lost, until it is imported', { tag: '@long' }, async ({ page }) => {
  const files = { '.cursor/mcp.json': { mcpServers: { echo: fixtureCommand('echo') } } };
  await using home = await ServedCore.start({ files });
  await page.goto(home.link);
  await page.goto(home.at('setup/servers'));
  // Unchanged from the offer, so nothing would be lost.
  await page.getByRole('tab', { name: 'Apps' }).click();
  await page.getByRole('tab', { name: 'Servers' }).click();
  const name = page.getByLabel('New name for echo');
  await name.fill('mine');
  await staysAfter(page, 'import selection', () => page.getByRole('tab', { name: 'Apps' }).click());
  await expect(name).toHaveValue('mine');
  await page.getByRole('button', { name: 'Import 1 server' }).click();
  await page.getByRole('link', { name: 'connect an app' }).click();
  await expect(page.getByRole('list', { name: 'Detected apps' })).toBeVisible();
});

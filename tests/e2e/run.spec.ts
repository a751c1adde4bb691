/** Manual runs of tools in the dashboard: with real servers that respond, send requests, and take long. */
import { expect } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore, test as plain } from './serve-core.ts';

const test = plain.extend<{ core: ServedCore }>({
  core: async ({ baseURL: _baseURL }, use) => {
    const servers = { echo: fixtureCommand('echo'), asker: fixtureCommand('asker') };
    await using core = await ServedCore.start({ config: { mode: 'search', servers } });
    await use(core);
  },
});

test('runs a tool from its server’s list after confirmation, and shows what each mode would return', async ({
  page,
  core,
}) => {
  await page.goto(core.link);
  await page.goto(core.at('servers/echo/tools'));
  await page.getByRole('link', { name: 'Run echo', exact: true }).click();
  await page.getByLabel(/^message/).fill('hello there');
  await expect(page.getByLabel('Arguments as JSON')).toHaveValue(/"message": "hello there"/);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Run echo on echo?' });
  await expect(dialog).toContainText('"message": "hello there"');
  await expectNoBarrier(page, 'the question before a run');
  await dialog.getByRole('button', { name: 'Run echo' }).click();
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('hello there');
  await expect(page.getByRole('region', { name: 'Result by mode' })).toContainText('search');
  await expectNoBarrier(page, 'what came of a run');
});

test('fills the form from JSON, and reports invalid JSON', async ({ page, core }) => {
  await page.goto(core.link);
  await page.goto(core.at('servers/echo/run/echo'));
  await page.getByLabel('Arguments as JSON').fill('{"message": "from JSON"}');
  await expect(page.getByLabel(/^message/)).toHaveValue('from JSON');
  await page.getByLabel('Arguments as JSON').fill('{"message": ');
  await expect(page.getByText('Invalid JSON')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeDisabled();
});

test('answers a server’s form in the page, and cancels a long call', async ({ page, core }) => {
  await page.goto(core.link);
  await page.goto(core.at('servers/asker/run/ask_form'));
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('button', { name: 'Run ask_form' }).click();
  const question = page.getByRole('form', { name: 'asker requests input' });
  await question.getByLabel(/^name/).fill('Ada');
  await expectNoBarrier(page, 'a question of a server');
  await question.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('Ada');

  await page.goto(core.at('servers/asker/run/wait_cancel'));
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('button', { name: 'Run wait_cancel' }).click();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Cancelled' })).toBeVisible();
});

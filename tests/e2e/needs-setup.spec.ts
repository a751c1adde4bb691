/** A server without a value that it needs: from its row to its first call. */
import { expect, type Locator, type Page, test } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { tabTo } from './keyboard.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore } from './serve-core.ts';

const needsToken = { ...fixtureCommand('echo'), env: { ECHO_TOKEN: '${secret:echo-token}' } };

function rowOf(page: Page, server: string): Locator {
  return page.getByRole('table', { name: 'Servers' }).getByRole('row').filter({ hasText: server });
}

test('a missing value is typed in the row of its server, by keyboard, and the server is ready for its first call', async ({
  page,
}) => {
  await using core = await ServedCore.start({
    config: { mode: 'proxy', servers: { greeter: needsToken, notes: fixtureCommand('capabilities') } },
  });
  const app = await core.connect();
  await page.goto(core.link);
  await page.goto(core.at('overview'));

  const attention = page.getByRole('region', { name: 'Needs attention' });
  await expect(attention).toContainText('greeter');
  await expectNoBarrier(page, 'an item that needs a value');
  await tabTo(page, attention.getByRole('button', { name: 'Set value' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'greeter' })).toContainText('echo-token');
  await page.keyboard.press('Escape');

  const row = rowOf(page, 'greeter');
  await expect(row).toContainText('echo-token');
  await expectNoBarrier(page, 'a row with an inline field');
  await tabTo(page, row.getByLabel(/echo-token/));
  await page.keyboard.type('a-secret-value');
  await page.keyboard.press('Enter');
  await expect(row).toContainText('Ready');
  await expect(row.getByLabel(/echo-token/)).toHaveCount(0);
  expect(await app.call('greeter_echo', { message: 'hello' })).toContain('hello');
  // The value is in the vault alone.
  expect(await core.read('own/config.json')).not.toContain('a-secret-value');
  await page.goto(core.at('overview'));
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(attention).toBeHidden();
});

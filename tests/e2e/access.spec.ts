/** App access in the settings: revoked after confirmation, allowed again, both shown in every dashboard immediately. */
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { ServedCore } from './serve-core.ts';

test('revokes an app at once with a reason, in every dashboard, and Allow restores its access', async ({
  page,
  context,
}) => {
  const core = await ServedCore.start({ config: { mode: 'proxy', servers: { echo: fixtureCommand('echo') } } });
  const app = await core.connect();
  expect(await app.call('echo__echo', { message: 'before' })).toContain('before');

  const other = await context.newPage();
  for (const one of [page, other]) {
    await one.goto(core.link);
    await one.goto(core.at('settings'));
    await expect(rowOf(one)).toContainText('Allowed');
    await expect(rowOf(one)).toContainText('Active now');
  }

  const revoke = page.getByRole('button', { name: 'Revoke Claude Desktop' });
  await revoke.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(revoke).toBeFocused();
  await expect(rowOf(page)).toContainText('Allowed');

  await revoke.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Revoke access for Claude Desktop?' });
  await expect(dialog).toContainText('its open sessions end');
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await dialog.getByRole('button', { name: 'Revoke access' }).click();
  for (const one of [page, other]) {
    await expect(rowOf(one)).toContainText('Revoked just now');
    await expect(rowOf(one)).not.toContainText('Active now');
  }
  expect(await app.call('echo__echo', { message: 'during' })).toContain(
    'The access of Claude Desktop to Tooltray was revoked',
  );

  await other.getByRole('button', { name: 'Allow Claude Desktop' }).click();
  await expect(rowOf(page)).toContainText('Allowed');
  expect(await app.call('echo__echo', { message: 'after' })).toContain('after');
  await expect(rowOf(page)).toContainText('Active now');
  await core.remove();
});

function rowOf(page: Page) {
  return page.getByRole('table', { name: 'App access' }).getByRole('row', { name: 'Claude Desktop' });
}

/**
 * App access in the settings: revoked after confirmation, allowed again, both shown in every dashboard immediately. A
 * disconnected app has none.
 */
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

test('ends the session of an app that the command line disconnects, until it is connected again', async () => {
  const config = { mode: 'proxy', servers: { echo: fixtureCommand('echo') } };
  await using core = await ServedCore.start({ config, files: { '.cursor/mcp.json': { mcpServers: {} } } });
  await core.ask('install', 'cursor', '--yes');
  const app = await core.connect('Cursor', ['--app', 'cursor']);
  expect(await app.call('echo__echo', { message: 'before' })).toContain('before');

  const disconnected = await core.ask('uninstall', 'cursor', '--yes', '--json');
  const { undo } = JSON.parse(disconnected) as { readonly undo: string };
  expect(await app.call('echo__echo', { message: 'during' })).not.toContain('during');
  const apps = JSON.parse(await core.ask('apps', '--json')) as { readonly access: readonly { readonly app: string }[] };
  expect(apps.access).toEqual([]);

  await core.ask('undo', undo, '--yes');
  expect(await app.call('echo__echo', { message: 'after' })).toContain('after');
});

function rowOf(page: Page) {
  return page.getByRole('table', { name: 'App access' }).getByRole('row', { name: 'Claude Desktop' });
}

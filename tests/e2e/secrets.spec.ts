/**
 * Secrets in the dashboard: those of imported and added servers are stored in the vault, and the settings show the
 * key's location and move the rest.
 */
import { expect, test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { filesHolding } from '../support/files-holding.ts';
import { ServedCore } from './serve-core.ts';

const planted = 'planted-0123456789';
const withKey = (name: string): object => ({ ...fixtureCommand('echo', name), env: { [name]: planted } });

const test = plain.extend<{ home: ServedCore }>({
  home: async ({ page }, use) => {
    await using home = await ServedCore.start({
      config: { servers: { old: withKey('OLD_KEY') } },
      files: {
        '.cursor/mcp.json': { mcpServers: { mail: withKey('MAIL_KEY'), plain: withKey('PLAIN_KEY') } },
      },
    });
    await page.goto(home.link);
    await use(home);
  },
});

test('seals secrets of imported servers by default, and names the file that keeps the plain value', async ({
  page,
  home,
}) => {
  await page.goto(home.at('setup/servers'));
  const seal = page.getByRole('checkbox', { name: /in the vault instead of the configuration file/ });
  await expect(seal).toBeChecked();
  await expect(
    page.getByText(
      'Store env MAIL_KEY of mail and env PLAIN_KEY of plain in the vault instead of the configuration file',
    ),
  ).toBeVisible();
  await page.getByRole('checkbox', { name: 'Import plain' }).uncheck();
  await expect(
    page.getByText('Store env MAIL_KEY of mail in the vault instead of the configuration file'),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Import 1 server' }).click();
  const brought = page.getByRole('region', { name: 'Import result' });
  await expect(brought).toContainText('Stored in the vault: MAIL_KEY.');
  await expect(brought).toContainText(home.path('.cursor/mcp.json'));
  await expect(brought.getByRole('listitem').filter({ hasText: 'mail' })).toContainText('Ready');
  expect(await home.read('own/config.json')).toContain('${secret:MAIL_KEY}');

  await page.getByRole('checkbox', { name: 'Import plain' }).check();
  await seal.uncheck();
  await page.getByRole('button', { name: 'Import 1 server' }).click();
  await expect(brought).toContainText('Added: plain.');
  expect(await home.read('own/config.json')).not.toContain('${secret:PLAIN_KEY}');
});

test('seals secrets of an added server by default', async ({ page, home }) => {
  await page.goto(home.at('servers?add=paste'));
  const text = JSON.stringify({
    mcpServers: { added: { ...fixtureCommand('echo'), env: { ADDED_KEY: 'planted-added-1' } } },
  });
  await page.getByRole('textbox', { name: 'Paste JSON, a command line, an install link' }).fill(text);
  await page.getByRole('button', { name: 'Detect servers' }).click();
  await expect(
    page.getByRole('checkbox', { name: 'Store env ADDED_KEY in the vault instead of the configuration file' }),
  ).toBeChecked();
  await page.getByRole('button', { name: 'Test and add' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Added.' })).toBeVisible();
  expect(await home.read('own/config.json')).toContain('${secret:ADDED_KEY}');
  expect(await filesHolding(home.path('own'), 'planted-added-1')).toEqual([]);
});

test('shows where the key is stored, seals secrets in the config, and names files that still hold them', async ({
  page,
  home,
}) => {
  await page.goto(home.at('settings'));
  const card = page.getByRole('region', { name: 'Secrets' });
  await expect(card).toContainText('1 value in the configuration file looks like a secret: old, env OLD_KEY.');
  await card.getByRole('button', { name: 'Move to vault' }).click();
  await expect(card).toContainText(/Secrets are encrypted/);
  await expect(card.locator('code').filter({ hasText: /^OLD_KEY$/ })).toBeVisible();
  await expect(card).not.toContainText('looks like a secret');
  await expect(card).toContainText(home.path('own/config.json.'));
  await expect(card).not.toContainText(planted);
  expect(await home.read('own/config.json')).toContain('${secret:OLD_KEY}');

  const secrets = card.getByRole('list', { name: 'Secrets' }).getByRole('listitem');
  await card.getByRole('textbox', { name: 'Name of a new secret' }).fill('NEW_KEY');
  await card.getByLabel('Value of the new secret').fill('planted-new-1');
  await card.getByRole('button', { name: 'Add secret' }).click();
  const added = secrets.filter({ hasText: 'NEW_KEY' });
  await expect(added).toContainText('no server uses it');
  await card.getByRole('button', { name: 'Replace NEW_KEY' }).click();
  await card.getByLabel('New value of NEW_KEY').fill('planted-new-2');
  await card.getByRole('button', { name: 'Save to vault' }).click();
  await card.getByRole('button', { name: 'Remove NEW_KEY' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove NEW_KEY' }).click();
  await expect(added).toHaveCount(0);
  await expect(secrets.filter({ hasText: 'OLD_KEY' })).toHaveCount(1);
});

/** What a model asks to change waits for a person, and happens or does not as they say. */
import { expect, test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { tabTo } from './keyboard.ts';
import { ServedCore } from './serve-core.ts';

const test = plain.extend<{ core: ServedCore }>({
  core: async ({ page }, use) => {
    await using core = await ServedCore.start({ config: { mode: 'search', servers: {} } });
    const app = await core.connect();
    for (const name of ['weather', 'shop', 'news']) {
      const { command, args } = fixtureCommand('echo');
      const odd = '--token=$(whoami)\u200b';
      await app.call('manage_servers', { action: 'add', name, command, args: [...args, odd] });
    }
    await page.goto(core.link);
    await use(core);
  },
});

test('proposals are approved and rejected from the overview and the settings, and what was approved is there at once', async ({
  page,
  core,
}) => {
  await page.goto(core.at('overview'));
  const dialog = page.getByRole('dialog', { name: 'A model asks for a change' });
  const decide = (name: string) => page.getByRole('button', { name: `Decide: Add the server "${name}".` });

  await decide('weather').focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('Claude Desktop asked with manage_servers');
  const written = dialog.getByRole('region', { name: 'What would be written' });
  await expect(written).toContainText('echo.ts');
  // What is agreed to is seen to the letter, what nobody can see included; and nothing that runs is the first button.
  await expect(written).toContainText('--token=$(whoami)⟨U+200B⟩');
  await expect(dialog.getByRole('button', { name: 'Approve' })).not.toHaveClass(/primary/);
  await tabTo(page, dialog.getByRole('button', { name: 'Later' }));
  await page.keyboard.press('Enter');
  await expect(decide('weather')).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page, dialog.getByRole('button', { name: 'Approve' }));
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('status').filter({ hasText: 'Approved: Add the server "weather".' })).toBeVisible();
  await expect(decide('weather')).toBeHidden();

  await decide('shop').click();
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Rejected: Add the server "shop".' })).toBeVisible();
  await expect(decide('shop')).toBeHidden();

  await page.goto(core.at('settings'));
  const asked = page.getByRole('list', { name: 'What waits for you' }).getByRole('listitem');
  await expect(asked).toHaveText([/news/]);
  await asked.getByRole('button', { name: 'Reject' }).click();
  await expect(page.getByText('Nothing waits now.')).toBeVisible();

  await page.goto(core.at('servers'));
  await expect(page.getByRole('table', { name: 'Servers' }).getByRole('rowheader')).toHaveText([/weather/]);
  await expect(page.getByRole('row').filter({ hasText: 'weather' })).toContainText('Ready');
  expect(Object.keys((JSON.parse(await core.read('own/config.json')) as { servers: object }).servers)).toEqual([
    'weather',
  ]);
});

/** Profiles in the settings: what each allows, and a token that is created, shown once, and revoked. */
import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore } from './serve-core.ts';

const config = {
  mode: 'proxy',
  servers: { echo: fixtureCommand('echo') },
  profiles: { work: { servers: ['echo'], except: ['echo:echo'] }, look: { readOnly: true } },
  appProfiles: { cursor: 'work' },
};

const knock = (url: string, token: string): Promise<number> =>
  fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    }),
  }).then(({ status }) => status);

test('shows profiles; creates a token that expires, opens the endpoint, and fails once revoked', async ({
  page,
  context,
}) => {
  await using core = await ServedCore.start({ config });
  await page.goto(core.link);
  await page.goto(core.at('settings'));
  const profiles = page.getByRole('table', { name: 'Profiles', exact: true });
  await expect(profiles.getByRole('row')).toHaveText([
    /Profile/,
    /work.*echo.*Not echo:echo.*Cursor/s,
    /look.*All servers.*None/s,
  ]);

  await profiles.getByRole('button', { name: 'Create token for work' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: '7 days' }).click();
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await expect(dialog).toContainText('You won’t see it again');
  const [token = '', url = ''] = await dialog.locator('dd code').allTextContents();
  expect(token).toMatch(/^tooltray_/);
  expect(await knock(url, token)).toBe(200);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.locator('body')).not.toContainText(token);

  // Also visible in another dashboard.
  const other = await context.newPage();
  await other.goto(core.link);
  await other.goto(core.at('settings'));
  const rows = (of: typeof page) => of.getByRole('table', { name: 'Profile tokens' }).getByRole('row');
  for (const one of [page, other]) await expect(rows(one)).toHaveText([/Profile/, /work.*created just now.*Active/s]);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await page.getByRole('button', { name: /^Revoke [0-9a-f]{12}$/ }).click();
  await dialog.getByRole('button', { name: 'Revoke token' }).click();
  for (const one of [page, other]) await expect(rows(one)).toHaveText([/Profile/, /work.*Revoked/s]);
  expect(await knock(url, token)).toBe(401);
});

test('creates, changes and removes a profile', async ({ page }) => {
  await using core = await ServedCore.start({ config: { mode: 'proxy', servers: {} } });
  await page.goto(core.link);
  await page.goto(core.at('settings'));
  const section = page.getByRole('region', { name: 'Profiles' });
  await expect(section).toContainText('No profiles yet.');
  await section.getByRole('button', { name: 'New profile…' }).click();
  const dialog = page.getByRole('dialog', { name: 'New profile' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('look');
  await dialog.getByRole('checkbox', { name: 'Only tools that read' }).check();
  await expectNoBarrier(page, 'a new profile');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(section.getByRole('row', { name: /^look/ })).toContainText('Only read-only tools');
  await section.getByRole('button', { name: 'Edit look' }).click();
  await page.getByRole('dialog', { name: 'Edit look' }).getByRole('button', { name: 'Remove' }).click();
  await expect(section).toContainText('No profiles yet.');
});

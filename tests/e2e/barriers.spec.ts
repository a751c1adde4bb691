/** No view, drawer or dialog has accessibility violations, in either theme. */
import { expect, type Page } from '@playwright/test';
import { test } from './lived-in-core.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore } from './serve-core.ts';

/** What must be visible before the check; `then` is done first. */
interface Place {
  readonly route: string;
  readonly shows: string;
  readonly then?: (page: Page) => Promise<void>;
}

const click = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();

const places: Readonly<Record<string, readonly Place[]>> = {
  overview: [
    { route: 'overview', shows: 'Needs attention' },
    { route: 'overview', shows: 'o200k_base', then: click('How is this calculated?') },
  ],
  inbox: [
    { route: 'inbox', shows: 'If you approve' },
    { route: 'inbox/server/broken', shows: 'Test and use it' },
    { route: 'inbox/history', shows: 'No decisions yet' },
    { route: 'inbox/gone', shows: 'No longer pending' },
  ],
  servers: [
    { route: 'servers', shows: 'does not exist' },
    { route: 'servers/broken', shows: 'Transport' },
    { route: 'servers/tracker/tools', shows: 'about' },
    { route: 'servers/tracker/log', shows: 'Copy path' },
    { route: 'servers/tracker/config', shows: 'Secrets are shown as', then: click('Edit') },
    { route: 'servers/broken/config', shows: 'Test failed', then: click('Test') },
    { route: 'servers/resting/config', shows: 'This removes the entry', then: click('Remove…') },
    { route: 'servers/tracker/activity', shows: 'All calls' },
  ],
  'adding servers': [
    { route: 'servers?add=apps', shows: 'Failed: ', then: click('Test selected') },
    { route: 'servers?add=paste', shows: 'Paste JSON, a command line, an install link' },
    { route: 'servers?add=form', shows: 'Name is required.', then: click('Test and add') },
  ],
  setup: [
    { route: 'setup/apps', shows: 'Claude Desktop' },
    { route: 'setup/apps/cursor', shows: 'Servers it can see' },
    { route: 'setup/apps/cursor/connect', shows: 'Backup:' },
    { route: 'setup/servers', shows: 'A possible fix was found for' },
    { route: 'setup/first-call', shows: 'First call received' },
    { route: 'settings', shows: '1 change pending in the Inbox' },
  ],
};

/** A check takes seconds: these views always, all of them in the long run. */
const always = ['overview', 'inbox'];

for (const [name, group] of Object.entries(places)) {
  const tag = always.includes(name) ? [] : '@long';
  test(`has no accessibility violations in ${name}`, { tag }, async ({ page, livedIn: { core } }) => {
    test.slow();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(core.link);
    for (const { route, shows, then } of group) {
      await page.goto(core.at(route));
      await then?.(page);
      await expect(page.getByText(shows).filter({ visible: true }).first()).toBeVisible();
      await expectNoBarrier(page, route);
      await page.keyboard.press('Escape');
    }
  });
}

test('has no accessibility violations in empty views', { tag: '@long' }, async ({ page }) => {
  test.slow();
  await using core = await ServedCore.start({ config: { servers: {} } });
  await page.goto(core.link);
  const empty = {
    overview: 'Welcome to Tooltray',
    inbox: 'Inbox empty',
    servers: 'No servers yet',
    activity: 'No calls yet',
    spills: 'No spilled results',
    'setup/apps': 'No supported AI app found',
    'setup/servers': 'No servers found in your apps',
    'setup/first-call': 'No app connected yet.',
  };
  for (const [route, shows] of Object.entries(empty)) {
    await page.goto(core.at(route));
    await expect(page.getByText(shows).last()).toBeVisible();
    await expectNoBarrier(page, route);
  }
});

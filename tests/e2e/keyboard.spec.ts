/** Whatever can be done in the dashboard can be done by keyboard: what each view offers, what opens and closes, a server's whole life. */
import { expect, type Page } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { tabAround, tabTo } from './keyboard.ts';
import { test } from './lived-in-core.ts';

const frame = ['Overview', 'Inbox', 'Servers', 'Activity', 'Spills', 'Setup', 'Settings', 'Pause all'];
const drawer = [...frame, 'Filter servers', 'Close', 'Summary', 'Tools', 'Log', 'Config', 'Activity'];
const adding = [...frame, 'Close', 'From your apps', 'Paste', 'By hand'];
const called = ['Close', 'Copy as JSON', 'Copy as command', 'What was said', 'Summary', 'Timing'];

/** The actions of each place, by the beginnings of their names. */
const actions: Readonly<Record<string, readonly string[]>> = {
  overview: [
    ...frame,
    'Decide',
    'Today',
    '7 days',
    '30 days',
    'All',
    'How is this counted?',
    'Tokens without',
    'See these calls',
    'Calls by outcome',
    'tracker',
    'tracker ›',
  ],
  'inbox/server/weather': [
    ...frame,
    'Waiting',
    'Decided',
    'Add the server',
    'Line by line',
    'The whole entry',
    'Reject',
    'Approve',
  ],
  servers: [
    ...[...frame, 'Filter servers', 'Add server', 'Select all servers', 'State', 'Tools', 'Calls 24 h'],
    ...['Select tracker', 'tracker', 'broken', 'Decide', 'resting', 'Switch on'],
  ],
  'servers/tracker': [...drawer, 'Use tracker', 'Restart', 'Stop', 'Copy'],
  'servers/broken': [...drawer, 'Use broken', 'Decide', 'Try again', 'Stop'],
  'servers/tracker/tools': [...drawer, 'Offer list_issues', 'list_issues'],
  'servers/tracker/log': [...drawer, 'Filter lines of the log', 'Problems', 'Pause', 'Save', 'Copy', 'Copy path'],
  'servers/tracker/config': [...drawer, 'Edit', 'Test', 'Remove …', 'Copy'],
  'servers/tracker/activity': [...drawer, 'close_issue', 'All its calls'],
  'servers?add=apps': [
    ...adding,
    'Bring notes over',
    'Name of notes here',
    'Move them',
    'Add 2 servers',
    'Test which work',
  ],
  'servers?add=paste': [...adding, 'What the server’s page says'],
  'servers?add=form': [...adding, 'Name', 'a command', 'an address', 'Command', 'Environment', 'Test and add'],
  activity: [
    ...frame,
    'Filter by',
    'Problems',
    'Spilled',
    'Blocked',
    'App',
    'Server',
    'Export',
    'tracker › close_issue',
  ],
  'activity/1': [...frame, ...called],
  spills: [...frame, 'Change', 'tracker › list_issues'],
  'setup/apps': [
    ...frame,
    'Apps',
    'First call',
    'Connect Claude Desktop',
    'Connect Cursor',
    'Look again',
    'Another app',
  ],
  'setup/apps/cursor': ['Change of the file', 'Copy path', 'Copy instead', 'Cancel', 'Connect'],
  'setup/servers': [
    ...frame,
    'decide in the Inbox',
    'Bring gone over',
    'Move them',
    'Add 2 servers',
    'Test which work',
  ],
  'setup/first-call': [...frame, 'See it in Activity'],
  settings: [
    ...frame,
    '1 change waits in the Inbox',
    'Auto',
    'Search',
    'Keep answers',
    'Delete kept',
    'Tell lists',
    'Price',
    'As the system',
    'Copy',
  ],
};

async function open(page: Page, place: string): Promise<void> {
  const [view = ''] = place.split(/[/?]/);
  await page.evaluate((hash) => (location.hash = hash), `#/${place}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(new RegExp(view, 'i'));
}

test.beforeEach(async ({ page, livedIn }) => {
  await page.goto(livedIn.core.link);
  await expect(page.getByRole('status').first()).toContainText('Proxy mode');
});

test('every action of every view is reached by Tab and arrows', async ({ page, livedIn }) => {
  test.slow();
  const inspector = {
    [`spills/${livedIn.spill}`]: [...frame, 'Close', 'Keep', 'Copy path', 'Delete', 'Tree', 'Table', 'Text'],
  };
  for (const [place, expected] of Object.entries({ ...actions, ...inspector })) {
    await test.step(place, async () => {
      await open(page, place);
      await expect(async () => {
        const { reached, missed } = await tabAround(page);
        expect(missed).toEqual([]);
        expect(expected.filter((action) => !reached.some((name) => name.startsWith(action)))).toEqual([]);
      }).toPass({ timeout: 15_000 });
    });
  }
});

/** What opens a dialog or drawer, how that is called, and its own way out. */
const openers = [
  { place: 'overview', opener: 'How is this counted?', opened: 'How is this counted?', closer: undefined },
  { place: 'servers', opener: 'tracker', opened: 'tracker', closer: 'Close' },
  { place: 'servers', opener: 'Add server', opened: 'Add a server', closer: 'Close' },
  { place: 'servers/tracker/config', opener: 'Remove …', opened: 'Remove tracker?', closer: 'Cancel' },
  { place: 'activity', opener: 'tracker › close_issue', opened: 'tracker:close_issue', closer: 'Close' },
  { place: 'spills', opener: 'tracker › list_issues', opened: 'tracker › list_issues', closer: 'Close' },
  { place: 'setup/apps', opener: 'Connect Cursor', opened: 'Connect Cursor', closer: 'Cancel' },
];

test('whatever Enter opens takes the focus, closes on Escape and by its button, and gives the focus back', async ({
  page,
}) => {
  test.slow();
  for (const { place, opener, opened, closer } of openers) {
    await test.step(`${place}: ${opener}`, async () => {
      await open(page, place);
      const named = { name: opener, exact: true };
      const control = page.getByRole('button', named).or(page.getByRole('link', named)).first();
      const pane = page.getByRole('dialog', { name: opened, exact: true });
      await control.focus();
      for (const way of ['Escape', closer]) {
        if (way === undefined) continue;
        await page.keyboard.press('Enter');
        await expect(pane).toBeVisible();
        expect(await pane.evaluate((element) => element.contains(document.activeElement))).toBe(true);
        if (way === closer) await tabTo(page, pane.getByRole('button', { name: way, exact: true }));
        await page.keyboard.press(way === closer ? 'Enter' : way);
        await expect(pane).toBeHidden();
        await expect(control).toBeFocused();
      }
    });
  }
  await test.step('activity: Export', async () => {
    await open(page, 'activity');
    const control = page.getByRole('button', { name: 'Export' });
    await control.focus();
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: 'As a table (CSV)' }));
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'As JSON', exact: true })).toBeHidden();
    await expect(control).toBeFocused();
  });
});

test('a server is added, switched off and removed by keys alone', async ({ page }) => {
  test.slow();
  await open(page, 'servers');
  await tabTo(page, page.getByRole('link', { name: 'Add server' }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('tab', { name: 'From your apps' }));
  await page.keyboard.press('ArrowLeft');
  await tabTo(page, page.getByLabel('Name', { exact: true }));
  await page.keyboard.type('typed');
  await tabTo(page, page.getByLabel('Command', { exact: true }));
  const { command, args } = fixtureCommand('echo');
  await page.keyboard.type([command, ...args].map((word) => `'${word}'`).join(' '));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('link', { name: 'Show typed' }));
  await page.keyboard.press('Enter');

  const pane = page.getByRole('dialog', { name: 'typed' });
  await expect(pane).toContainText('Ready');
  await tabTo(page, page.getByRole('switch', { name: 'Use typed' }));
  await page.keyboard.press('Space');
  await expect(page.getByRole('switch', { name: 'Use typed' })).not.toBeChecked();
  await tabTo(page, page.getByRole('tab', { name: 'Summary' }));
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await tabTo(page, pane.getByRole('button', { name: 'Remove …' }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Remove typed' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: 'typed was removed.' })).toBeVisible();
  await expect(page.getByRole('table', { name: 'Servers' })).not.toContainText('typed');
});

/** The dashboard is usable by keyboard alone: actions of each view, panels, and a server's whole lifecycle. */
import { expect, type Page } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { tabAround, tabTo } from './keyboard.ts';
import { test } from './lived-in-core.ts';

const frame = ['Overview', 'Activity', 'Spills', 'Servers', 'Apps', 'Inbox', 'Settings', 'Pause all', 'Theme: System'];
const drawer = [...frame, 'Filter servers', 'Close', 'Overview', 'Tools', 'Log', 'Config', 'Activity'];
const adding = [...frame, 'Close', 'Import', 'Paste', 'Form'];
const called = ['Close', 'Copy JSON', 'Copy command', 'Payload', 'Details', 'Timing'];

/** The actions of each place, by the beginnings of their names. */
const actions: Readonly<Record<string, readonly string[]>> = {
  overview: [
    ...frame,
    'How is this calculated?',
    'Today',
    '7 days',
    '30 days',
    'All time',
    'Tokens, direct and via Tooltray',
    'Open calls',
    'Decide',
    'All activity',
    'tracker ›',
    '3 servers',
    '1 spill',
    'Calls, errors and latency',
  ],
  'inbox/server/weather': [
    ...frame,
    'Pending',
    'History',
    'Claude Desktop wants to add',
    'Diff',
    'Full entry',
    'Reject',
    'Approve',
  ],
  servers: [
    ...[...frame, 'Filter servers', 'Add server', 'Select all servers', 'Status', 'Tools', 'Calls (24 h)'],
    ...['Select tracker', 'tracker', 'broken', 'Decide', 'resting', 'Enable'],
  ],
  'servers/tracker': [...drawer, 'Enable tracker', 'Restart', 'Stop', 'Copy'],
  'servers/broken': [...drawer, 'Enable broken', 'Decide', 'Retry', 'Stop'],
  'servers/tracker/tools': [...drawer, 'Enable list_issues', 'list_issues'],
  'servers/tracker/log': [...drawer, 'Filter log lines', 'Info', 'Pause', 'Download', 'Copy', 'Copy path'],
  'servers/tracker/config': [...drawer, 'Edit', 'Test', 'Remove…', 'Copy'],
  'servers/tracker/activity': [...drawer, 'close_issue', 'All calls'],
  'servers?add=apps': [
    ...adding,
    'Import notes',
    'New name for notes',
    'Also remove',
    'Import 2 servers',
    'Test selected',
  ],
  'servers?add=paste': [...adding, 'Paste JSON, a command line, an install link'],
  'servers?add=form': [
    ...adding,
    'Name',
    'Local command',
    'Remote URL',
    'Command',
    'Environment variables',
    'Test and add',
  ],
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
  spills: [...frame, 'Settings', 'tracker › list_issues'],
  'setup/apps': [
    ...[
      ...frame,
      'Apps',
      'First call',
      'Claude Desktop',
      'Connect Claude Desktop',
      'Connect Cursor',
      'Rescan',
      'Other app',
    ],
    ...['Connect…', 'tracker', 'Auto', 'Spill results to Claude Desktop larger than'],
  ],
  'setup/apps/cursor/connect': ['File diff', 'Copy path', 'Copy snippet', 'Cancel', 'Connect'],
  'setup/servers': [...frame, 'review in Inbox', 'Import gone', 'Also remove', 'Import 2 servers', 'Test selected'],
  'setup/first-call': [...frame, 'View in Activity'],
  settings: [
    ...frame,
    '1 change pending in the Inbox',
    'Auto',
    'Search',
    'Spill results larger than',
    'Delete spills on exit',
    'Encode lists as TOON',
    'Price per million',
    'System',
    'Copy',
  ],
};

async function open(page: Page, place: string): Promise<void> {
  const [view = ''] = place.replace('setup', 'apps').split(/[/?]/);
  await page.evaluate((hash) => (location.hash = hash), `#/${place}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(new RegExp(view, 'i'));
}

test.beforeEach(async ({ page, livedIn }) => {
  await page.goto(livedIn.core.link);
  await expect(page.getByRole('status').first()).not.toBeEmpty();
});

test('reaches every action of every view by Tab and arrow keys', async ({ page, livedIn }) => {
  test.slow();
  const inspector = {
    [`spills/${livedIn.spill}`]: [
      ...frame,
      'Close',
      'Pin',
      'Copy path',
      'Delete',
      'Tree',
      'Table',
      'Text',
      'Query',
      'Search the tree',
    ],
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

/** Buttons that open a dialog or drawer, its name, and how to close it. */
const openers = [
  { place: 'overview', opener: 'How is this calculated?', opened: 'How is this calculated?', closer: undefined },
  { place: 'servers', opener: 'tracker', opened: 'tracker', closer: 'Close' },
  { place: 'servers', opener: 'Add server', opened: 'Add a server', closer: 'Close' },
  { place: 'servers/tracker/config', opener: 'Remove…', opened: 'Remove tracker?', closer: 'Cancel' },
  { place: 'activity', opener: 'tracker › close_issue number: 7', opened: 'tracker:close_issue', closer: 'Close' },
  { place: 'spills', opener: 'tracker › list_issues count: 500', opened: 'tracker › list_issues', closer: 'Close' },
  { place: 'setup/apps', opener: 'Connect Cursor', opened: 'Connect Cursor', closer: 'Cancel' },
];

test('Enter opens and focuses a pane; Escape and its button close it and return the focus', async ({ page }) => {
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
    await tabTo(page, page.getByRole('button', { name: 'CSV' }));
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'JSON', exact: true })).toBeHidden();
    await expect(control).toBeFocused();
  });
});

test('adds, disables and removes a server by keyboard alone', async ({ page }) => {
  test.slow();
  await open(page, 'servers');
  await tabTo(page, page.getByRole('link', { name: 'Add server' }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('tab', { name: 'Import' }));
  await page.keyboard.press('ArrowLeft');
  await tabTo(page, page.getByLabel('Name', { exact: true }));
  await page.keyboard.type('typed');
  await tabTo(page, page.getByLabel('Command', { exact: true }));
  const { command, args } = fixtureCommand('echo');
  await page.keyboard.type([command, ...args].map((word) => `'${word}'`).join(' '));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('link', { name: 'Open typed' }));
  await page.keyboard.press('Enter');

  const pane = page.getByRole('dialog', { name: 'typed' });
  await expect(pane).toContainText('Ready');
  await tabTo(page, page.getByRole('switch', { name: 'Enable typed' }));
  await page.keyboard.press('Space');
  await expect(page.getByRole('switch', { name: 'Enable typed' })).not.toBeChecked();
  await tabTo(page, page.getByRole('tab', { name: 'Overview' }));
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await tabTo(page, pane.getByRole('button', { name: 'Remove…' }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Remove typed' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: 'typed was removed.' })).toBeVisible();
  await expect(page.getByRole('table', { name: 'Servers' })).not.toContainText('typed');
});

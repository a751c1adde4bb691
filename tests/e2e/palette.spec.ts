/** The palette and the shortcut list: by keyboard alone, with a real core. */
import { expect, type Page } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { tabTo } from './keyboard.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore, test as plain } from './serve-core.ts';

const test = plain.extend<{ core: ServedCore }>({
  core: async ({ baseURL: _baseURL }, use) => {
    const servers = { tracker: fixtureCommand('tracker'), asker: fixtureCommand('asker') };
    await using core = await ServedCore.start({ config: { mode: 'proxy', servers, results: { threshold: 4000 } } });
    await use(core);
  },
});

async function open(page: Page) {
  // The page handles keys as soon as it is shown.
  await expect(page.getByRole('button', { name: 'Search', exact: true })).toBeVisible();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await expect(palette).toBeVisible();
  await expect(palette.getByRole('combobox')).toBeFocused();
  return palette;
}

test('finds and runs a tool, answers its question and reads its result by keyboard alone', async ({ page, core }) => {
  await page.goto(core.link);
  const palette = await open(page);
  await page.keyboard.type('ask_f');
  const tool = palette.getByRole('group', { name: 'Run a tool' }).getByRole('option').first();
  await expect(tool).toContainText('ask_form');
  // The page's own entries may be above it.
  for (let presses = 0; presses < 20 && (await tool.getAttribute('aria-selected')) !== 'true'; presses += 1) {
    await page.keyboard.press('ArrowDown');
  }
  await expect(palette.getByRole('combobox')).toHaveAttribute(
    'aria-activedescendant',
    (await tool.getAttribute('id')) ?? '',
  );
  await page.keyboard.press('Enter');
  await expect(palette).toBeHidden();
  await expect(page).toHaveURL(/#\/servers\/asker\/run\/ask_form$/);
  await tabTo(page, page.getByRole('button', { name: 'Run', exact: true }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Run ask_form' }));
  await page.keyboard.press('Enter');
  const question = page.getByRole('form', { name: 'asker requests input' });
  await tabTo(page, question.getByLabel(/^name/));
  await page.keyboard.type('Ada');
  await tabTo(page, question.getByRole('button', { name: 'Submit' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('Ada');
});

test('opens over any view, returns the focus on Escape, and lists recent choices first', async ({ page, core }) => {
  await page.goto(core.link);
  await page.goto(core.at('servers'));
  const filter = page.getByLabel('Filter servers');
  await filter.focus();
  const palette = await open(page);
  await expect(palette.getByRole('group', { name: 'Views' }).getByRole('option').first()).toContainText('GO');
  await expectNoBarrier(page, 'the palette before anything is typed');
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
  await expect(filter).toBeFocused();

  await open(page);
  await page.keyboard.type('tracker');
  await expect(palette.getByRole('group', { name: 'Run a tool' })).toBeVisible();
  await expectNoBarrier(page, 'the palette with what was found');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'tracker' })).toContainText('Transport');
  await page.keyboard.press('Escape');
  await open(page);
  await expect(palette.getByRole('group').first()).toHaveAccessibleName('Recent');
  await expect(palette.getByRole('option').first()).toContainText('tracker');
  await page.keyboard.type('nothing is called so');
  await expect(palette).toContainText('No matches for “nothing is called so”.');
  await expectNoBarrier(page, 'the palette with nothing found');
  await page.keyboard.press('Control+k');
  await expect(palette).toBeHidden();
});

test('finds sessions and spills; runs commands, or opens the page that asks for confirmation', async ({
  page,
  core,
}) => {
  const app = await core.connect();
  await app.call('tracker_list_issues', { count: 300 });
  await page.goto(core.link);
  const palette = await open(page);
  const type = async (text: string, shows: string): Promise<void> => {
    await palette.getByRole('combobox').fill(text);
    await expect(palette.getByRole('option').first()).toContainText(shows);
  };
  await palette.getByRole('combobox').fill('claude desktop');
  await palette.getByRole('group', { name: 'Sessions' }).getByRole('option').click();
  await expect(page).toHaveURL(/#\/activity\/sessions\/[\w-]{8,}$/);
  await open(page);
  await palette.getByRole('combobox').fill('list_issues');
  const kept = palette.getByRole('group', { name: 'Spills' }).getByRole('option');
  await expect(kept).toContainText('list_issues');
  await kept.click();
  await expect(page).toHaveURL(/#\/spills\/./);
  await open(page);
  await type('stop tracker', 'Stop tracker');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^tracker stopped\./)).toBeVisible();
  await open(page);
  await type('limit claude', 'Claude Desktop: app settings…');
  await page.keyboard.press('Enter');
  const served = page.getByRole('dialog', { name: 'Claude Desktop settings' });
  await expect(served).toContainText('How tools are shown');
  await page.keyboard.press('Escape');
  await expect(served).toBeHidden();
  await open(page);
  await type('remove tracker', 'Remove tracker…');
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'Remove tracker?' });
  await expect(question).toContainText('This removes the entry');
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(page.getByRole('table', { name: 'Servers' })).toContainText('tracker');
});

test('opens the section of each listed setting', async ({ page, core }) => {
  await page.goto(core.link);
  const palette = await open(page);
  for (const [typed, title] of Object.entries({
    secrets: 'Secrets',
    toon: 'Large results',
    'config file': 'Paths and endpoints',
  })) {
    await palette.getByRole('combobox').fill(typed);
    await palette.getByRole('group', { name: 'Settings' }).getByRole('option').first().click();
    const heading = page.getByRole('heading', { name: title, exact: true });
    await expect(heading).toBeFocused();
    await expect(heading).toBeInViewport();
    await open(page);
  }
});

test('a question mark opens the shortcuts, but not in a text field', async ({ page, core }) => {
  await page.goto(core.link);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(list).toContainText('Ctrl+K');
  await expectNoBarrier(page, 'the list of keys');
  await page.keyboard.press('Escape');
  await expect(list).toBeHidden();
  await page.goto(core.at('servers'));
  await page.getByLabel('Filter servers').focus();
  await page.keyboard.type('?');
  await expect(page.getByLabel('Filter servers')).toHaveValue('?');
  await open(page);
  await page.keyboard.type('shortcuts');
  await page.keyboard.press('Enter');
  await expect(list).toBeVisible();
});

test('fits into a narrow and low window', async ({ page, core }) => {
  await page.setViewportSize({ width: 600, height: 360 });
  await page.goto(core.link);
  const palette = await open(page);
  await page.keyboard.type('tracker');
  await expect(palette.getByRole('group', { name: 'Run a tool' })).toBeAttached();
  for (let presses = 0; presses < 30; presses += 1) await page.keyboard.press('ArrowDown');
  const last = palette.getByRole('option').last();
  await expect(last).toHaveAttribute('aria-selected', 'true');
  await expect(last).toBeInViewport();
  const frame = await palette.boundingBox();
  expect((frame?.x ?? -1) >= 0 && (frame?.x ?? 0) + (frame?.width ?? 0) <= 600).toBe(true);
});

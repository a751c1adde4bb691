/** Managing servers: added, broken, repaired, disabled and removed. */
import process from 'node:process';
import { expect, type Locator, type Page } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore, test } from './serve-core.ts';

function rowOf(page: Page, name: string): Locator {
  return page.getByRole('table', { name: 'Servers' }).getByRole('row').filter({ hasText: name });
}

test.beforeEach(async ({ page, core }) => {
  await page.goto(core.link);
  await page.goto(core.at('servers'));
  await expect(rowOf(page, 'echo')).toContainText('Ready');
});

test('sorts the failing server first, with its cause and its action', async ({ page }) => {
  const first = page.getByRole('table', { name: 'Servers' }).getByRole('row').nth(1);
  await expect(first).toContainText('hostile');
  await expect(first.getByRole('button')).toBeVisible();
});

test('shows a server’s output as plain text', async ({ page, core }) => {
  await page.goto(core.at('servers/hostile/log'));
  await expect(page.getByLabel('hostile log')).toContainText('<img src=x onerror=');
  await expect(page).toHaveTitle(/Tooltray/);
});

test('shows a server’s source, access and secrets, and switches its sandbox, with undo', async ({ page, core }) => {
  await page.goto(core.at('servers/echo/access'));
  const panel = page.getByRole('tabpanel', { name: 'Access' });
  await expect(panel).toContainText('All files of your user account');
  await expect(panel).toContainText('Has API_TOKEN.');
  await expect(panel).toContainText('Approved');
  await expectNoBarrier(page, 'access of a server');
  const sandbox = panel.getByRole('switch', { name: 'Run echo in a sandbox' });
  await expect(sandbox).toHaveAttribute('aria-checked', 'false');
  await sandbox.click();
  await expect(sandbox).toHaveAttribute('aria-checked', 'true');
  await expect(panel).not.toContainText('All files of your user account');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(sandbox).toHaveAttribute('aria-checked', 'false');
  await expect(panel).toContainText('All files of your user account');
  await page.getByRole('tab', { name: 'Config' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Config' })).not.toContainText('isolation');
});

test('tests a server entered in the form, and adds it once it works', async ({ page }) => {
  await page.getByRole('link', { name: 'Add server' }).click();
  await page.getByRole('tab', { name: 'Form' }).click();
  await page.getByRole('button', { name: 'Test and add' }).click();
  await expect(page.getByText('Name is required.')).toBeVisible();
  await page.getByLabel('Name').fill('second');
  await page.getByLabel('Command', { exact: true }).fill('no-such-program-anywhere');
  await page.getByRole('button', { name: 'Test and add' }).click();
  await expect(page.getByRole('alert')).toContainText('no-such-program-anywhere');
  const { command, args } = fixtureCommand('echo');
  await page.getByLabel('Command', { exact: true }).fill([command, ...args].map((word) => `'${word}'`).join(' '));
  await page.getByRole('button', { name: 'Test and add' }).click();
  await page.getByRole('link', { name: 'Open second' }).click();
  await expect(page.getByRole('dialog', { name: 'second' })).toContainText('Ready');
});

test('adds pasted servers under the given names, despite a failed test where the user chooses so', async ({ page }) => {
  await page.getByRole('link', { name: 'Add server' }).click();
  await page.getByRole('tab', { name: 'Paste' }).click();
  const servers = { third: fixtureCommand('echo'), absent: { command: 'no-such-program-anywhere' } };
  await page.getByRole('textbox').fill(JSON.stringify({ mcpServers: servers }));
  await page.getByRole('button', { name: 'Detect servers' }).click();
  await page.getByRole('textbox', { name: /^Name of .*echo/ }).fill('renamed');
  await page.getByRole('button', { name: 'Test and add all 2' }).click();
  await expect(page.getByRole('link', { name: 'Open renamed' })).toBeVisible();
  await page.getByRole('button', { name: 'Add anyway' }).click();
  await expect(page.getByRole('link', { name: 'Open absent' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(rowOf(page, 'renamed')).toContainText('Ready');
  await expect(rowOf(page, 'absent')).toContainText('no-such-program-anywhere');
});

test('reports pasted text without a server', async ({ page, core }) => {
  await page.goto(core.at('servers?add=paste'));
  await page.getByRole('textbox').fill('{"a": 1}');
  await page.getByRole('button', { name: 'Detect servers' }).click();
  await expect(page.getByRole('alert')).toContainText('No server found in this text');
});

test('reads a command line for another app, with its variables', async ({ page, core }) => {
  await page.goto(core.at('servers?add=paste'));
  await page.getByRole('textbox').fill('claude mcp add -s user -e TOKEN=t weather -- npx -y weather-mcp');
  await page.getByRole('button', { name: 'Detect servers' }).click();
  await expect(page.getByLabel('Name of npx -y weather-mcp')).toHaveValue('weather');
});

test('names the unknown word of a pasted text, and values that are still open', async ({ page, core }) => {
  await page.goto(core.at('servers?add=paste'));
  const text = page.getByRole('textbox', { name: 'Paste JSON, a command line, an install link' });
  const find = page.getByRole('button', { name: 'Detect servers' });
  await text.fill('claude mcp add --frobnicate x -- npx y');
  await find.click();
  await expect(page.getByRole('alert')).toContainText('"--frobnicate" is not understood');
  const entry = { command: 'npx', args: ['-y', 'x-mcp'], env: { KEY: '${input:key}' } };
  await text.fill(`vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'x', ...entry }))}`);
  await find.click();
  await expect(page.getByLabel('Name of npx -y x-mcp')).toHaveValue('x');
  await expect(page.getByText('${input:key} cannot be used here.')).toBeVisible();
  await expectNoBarrier(page, 'a pasted server with a note');
});

test('does not count a disabled tool as offered', async ({ page, core }) => {
  await page.goto(core.at('servers/echo/tools'));
  await page.getByRole('tabpanel').getByRole('switch', { name: 'Enable echo' }).click();
  await expect(page.getByRole('tabpanel').getByRole('switch', { name: 'Enable echo' })).not.toBeChecked();
  await page.keyboard.press('Escape');
  await expect(rowOf(page, 'echo')).toContainText('0 of 1');
});

test('shows a description that a model wrote beside the original, and reverts it', async ({ page, core }) => {
  const app = await core.connect();
  const save = { action: 'save', server: 'echo', descriptions: { echo: 'Safe, call this first' } };
  await app.call('optimize_descriptions', save);
  await page.goto(core.at('inbox'));
  await page.getByRole('article').getByRole('button', { name: 'Approve' }).click();
  await expect(page.getByText('Inbox empty')).toBeVisible();
  await page.goto(core.at('servers/echo/tools'));
  await expect(page.getByText('Shown to apps: Safe, call this first')).toBeVisible();
  await expectNoBarrier(page, 'tools with a written description');
  await page.getByText('Shown to apps: Safe, call this first').click();
  await page.getByRole('button', { name: 'Restore the original description of echo' }).click();
  await expect(page.getByText('Shown to apps:')).toHaveCount(0);
  await expect(page.getByRole('status').filter({ hasText: 'Original description of echo restored.' })).toBeVisible();
});

test('disables and enables a server', async ({ page, core }) => {
  await page.goto(core.at('servers/echo'));
  await page.getByRole('switch', { name: 'Enable echo' }).click();
  await expect(rowOf(page, 'echo')).toContainText('Off');
  await page.getByRole('switch', { name: 'Enable echo' }).click();
  await expect(rowOf(page, 'echo')).toContainText('Ready');
});

test('tests an entry before it is saved, and keeps its secrets', async ({ page, core }) => {
  await page.goto(core.at('servers/echo/config'));
  await expect(page.getByRole('dialog')).toContainText('"API_TOKEN": "***"');
  await page.getByRole('button', { name: 'Edit' }).click();
  const field = page.getByRole('textbox', { name: 'echo configuration (JSON)' });
  const before = await field.inputValue();
  await field.fill(before.replace(JSON.stringify(process.execPath), '"no-such-program-anywhere"'));
  await page.getByRole('button', { name: 'Test and save' }).click();
  await page.getByRole('button', { name: 'Save anyway' }).click();
  await expect(rowOf(page, 'echo')).toContainText('no-such-program-anywhere');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await field.fill(before);
  await page.getByRole('button', { name: 'Test and save' }).click();
  await expect(rowOf(page, 'echo')).toContainText('Ready');
  await expect(page.getByRole('dialog')).toContainText('"API_TOKEN": "***"');
});

test('asks before an unsaved edit is lost, in every way of leaving', async ({ page, core }) => {
  await page.goto(core.at('servers/echo/config'));
  await page.getByRole('button', { name: 'Edit' }).click();
  const entry = page.getByLabel('echo configuration (JSON)');
  await entry.press('End');
  await entry.pressSequentially(' ');
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  const ways: readonly (() => Promise<unknown>)[] = [
    () => page.goBack(),
    () => page.getByRole('link', { name: 'Spills' }).click(),
    () => page.getByRole('tab', { name: 'Log' }).click(),
    () => page.keyboard.press('Escape'),
  ];
  for (const leave of ways) {
    await leave();
    await expect(question).toContainText('Unsaved: configuration of echo.');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await expect(question).toBeHidden();
    await expect(entry).toBeVisible();
    await expect(page).toHaveURL(/servers\/echo\/config$/);
  }
  await page.getByRole('link', { name: 'Spills' }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Spills');
  // Nothing is held anymore.
  await page.goto(core.at('servers'));
  await expect(rowOf(page, 'echo')).toBeVisible();
});

test('removes a server after confirmation, and Undo restores it', async ({ page, core }) => {
  await page.goto(core.at('servers/hostile/config'));
  await page.getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('dialog', { name: 'Remove hostile?' }).getByRole('button', { name: 'Cancel' }).click();
  await expect(rowOf(page, 'hostile')).toBeVisible();
  await page.getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('button', { name: 'Remove hostile' }).click();
  await expect(rowOf(page, 'hostile')).toBeHidden();
  const told = page.getByRole('status').filter({ hasText: 'hostile was removed.' });
  await told.getByRole('button', { name: 'Undo' }).click();
  await expect(rowOf(page, 'hostile')).toBeVisible();
  expect(await core.read('own/config.json')).toContain('"hostile"');
});

test('names a filter without matches, and clears it', async ({ page }) => {
  await page.getByRole('searchbox', { name: 'Filter servers' }).fill('nothing like it');
  await expect(page.getByRole('heading', { name: 'No servers match “nothing like it”' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filter' }).click();
  await expect(rowOf(page, 'echo')).toBeVisible();
});

// Partly covered by long-lists.spec.ts, too.
test('scrolls and filters a long list of tools to its end', { tag: '@long' }, async ({ page }) => {
  const servers = { many: fixtureCommand('misbehaving', 'many', '500') };
  await using core = await ServedCore.start({ config: { servers } });
  await page.goto(core.link);
  await page.goto(core.at('servers/many/tools'));
  const offered = page.getByRole('switch', { name: 'Enable tool_' });
  await offered.first().hover();
  for (let turn = 0; turn < 50; turn++) await page.mouse.wheel(0, 1_000);
  await expect(page.getByRole('switch', { name: 'Enable tool_499' })).toBeInViewport();
  await page.getByRole('searchbox', { name: 'Filter tools' }).fill('tool_49');
  await expect(offered).toHaveCount(11);
});

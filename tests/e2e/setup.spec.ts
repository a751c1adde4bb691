/** From detected apps to the first call, and the settings, with real apps' files in a separate home. */
import { type Client, Client as McpClient } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, type Locator, type Page, test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { tabTo } from './keyboard.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore } from './serve-core.ts';

const claudeFile = '.config/Claude/claude_desktop_config.json';
const cursorFile = '.cursor/mcp.json';

/** Two apps with three servers, one of which starts only with the launch of another app. */
const files = {
  [claudeFile]: {
    mcpServers: { tracker: { ...fixtureCommand('tracker'), env: { TRACKER_TOKEN: 'x1y2z3x1y2z3' } } },
  },
  [cursorFile]: { mcpServers: { echo: fixtureCommand('echo'), notes: { command: '/no/such/folder/notes-server' } } },
  '.aim/bundles/notes.json': { genericBundle: { run: fixtureCommand('capabilities') } },
};

const test = plain.extend<{ home: ServedCore }>({
  home: async ({ page }, use) => {
    await using home = await ServedCore.start({ files });
    await page.goto(home.link);
    await expect(page).toHaveURL(home.at('setup'));
    await use(home);
  },
});

function appLine(page: Page, name: string): Locator {
  return page.getByRole('list', { name: 'Detected apps' }).getByRole('listitem').filter({ hasText: name });
}

/** Starts exactly the command in the app's file, like the app. */
async function startApp(home: ServedCore, file: string, name: string): Promise<Client> {
  const { mcpServers } = JSON.parse(await home.read(file)) as Record<string, Record<string, Entry>>;
  const { command, args = [], env } = mcpServers?.['tooltray'] ?? { command: 'nothing was written' };
  const client = new McpClient({ name, version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command, args, env: { HOME: home.path(''), ...env } }));
  return client;
}

interface Entry {
  readonly command: string;
  readonly args?: string[];
  readonly env?: Record<string, string>;
}

test('connects an app with preview and undo, imports servers, repairs one, and makes the first call', async ({
  page,
  home,
}) => {
  test.slow();
  const before = await home.read(claudeFile);
  const sheet = page.getByRole('dialog');

  await test.step('finds two apps', async () => {
    await page.getByRole('link', { name: 'Choose per app instead' }).click();
    const apps = page.getByRole('list', { name: 'Detected apps' }).getByRole('listitem');
    await expect(apps).toHaveText([/Claude Desktop.*1 other server/s, /Cursor.*2 other servers/s]);
  });

  await test.step('shows the change before writing it', async () => {
    await page.getByRole('button', { name: 'Connect Claude Desktop' }).click();
    await expect(sheet.getByRole('region', { name: 'File diff' })).toContainText('"tooltray"');
    await expect(sheet).toContainText(home.path(claudeFile));
    await expect(sheet).toContainText('Backup:');
    expect(await home.read(claudeFile)).toBe(before);
  });

  await test.step('connects, and undo restores the file byte for byte', async () => {
    await sheet.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(sheet).toContainText('Quit Claude Desktop completely', { timeout: 30_000 });
    expect(await home.read(claudeFile)).toContain('"tooltray"');
    await sheet.getByRole('button', { name: 'Undo' }).click();
    await expect(sheet).toBeHidden();
    expect(await home.read(claudeFile)).toBe(before);
    await expect(appLine(page, 'Claude Desktop')).toContainText('Not connected');
  });

  await test.step('connects again', async () => {
    await page.getByRole('button', { name: 'Connect Claude Desktop' }).click();
    await sheet.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(sheet).toContainText('Claude Desktop is connected', { timeout: 30_000 });
    await sheet.getByRole('button', { name: 'Done' }).click();
    await expect(appLine(page, 'Claude Desktop')).toContainText('Connected');
  });

  await test.step('tests and imports three servers', async () => {
    await page.getByRole('tab', { name: 'Servers' }).click();
    const rowOf = (name: string): Locator =>
      page.getByRole('table', { name: 'Servers found in your apps' }).getByRole('row').filter({ hasText: name });
    await page.getByRole('button', { name: 'Test selected' }).click();
    await expect(rowOf('TRACKER_TOKEN')).toContainText(/OK, \d+ tools?/);
    await expect(rowOf('notes-server')).toContainText('Failed: ');
    await page.getByRole('button', { name: 'Import 3 servers' }).click();
    const brought = page.getByRole('list', { name: 'Imported servers' }).getByRole('listitem');
    await expect(page.getByRole('region', { name: 'Import result' })).toBeFocused();
    await expect(brought.filter({ hasText: 'tracker' })).toContainText('Ready');
    await expect(brought.filter({ hasText: 'echo' })).toContainText('Ready');
    await expect(brought.filter({ hasText: 'notes' })).toContainText('does not exist');
    await expect(page.getByRole('link', { name: 'fix notes' })).toHaveAttribute('href', '#/servers/notes');
  });

  await test.step('repairs the broken server from another source after confirmation', async () => {
    await page.getByRole('link', { name: 'review in Inbox' }).click();
    const offer = page.getByRole('article');
    await expect(offer).toContainText('Your own bundles');
    expect(await home.read('own/config.json')).toContain('/no/such/folder/notes-server');
    await offer.getByRole('button', { name: 'Test and use it' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'notes was repaired' })).toBeVisible();
    expect(await home.read('own/config.json')).not.toContain('/no/such/folder');
    await page.getByRole('link', { name: /^Servers/ }).click();
    await expect(page.getByRole('row').filter({ hasText: 'notes' })).toContainText('Ready');
    await page.getByRole('link', { name: 'Apps' }).click();
  });

  await test.step('the app’s first call, started as its file says, completes the step', async () => {
    await page.getByRole('tab', { name: 'First call' }).click();
    await expect(page.getByText('Waiting for Claude Desktop to connect.')).toBeVisible();
    const app = await startApp(home, claudeFile, 'claude-ai');
    await expect(page.getByText('connected. Waiting for the first call…')).toBeVisible();
    const { tools } = await app.listTools();
    const tool = tools.find(({ name }) => name.endsWith('echo'))?.name ?? 'nothing like it is listed';
    expect(await app.callTool({ name: tool, arguments: { message: 'hello' } })).toMatchObject({
      content: [{ type: 'text', text: 'hello' }],
    });
    await expect(page.getByRole('heading', { name: 'First call received from Claude Desktop' })).toBeVisible();
    await expect(page.getByRole('tab', { name: 'First call ✓' })).toBeVisible();
    await expect(page.getByText('Setup complete.')).toBeVisible();
    await app.close();
  });

  await test.step('disconnects, and undo restores the connection', async () => {
    const connected = await home.read(claudeFile);
    await page.getByRole('tab', { name: 'Apps' }).click();
    await page.getByRole('button', { name: 'Disconnect Claude Desktop' }).click();
    await expect(sheet.getByRole('region', { name: 'File diff' })).toContainText('removed: "tooltray"');
    await expectNoBarrier(page, 'the sheet that disconnects');
    await page.keyboard.press('Escape');
    await expect(sheet).toBeHidden();
    expect(await home.read(claudeFile)).toBe(connected);
    await page.getByRole('button', { name: 'Disconnect Claude Desktop' }).click();
    await sheet.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await expect(appLine(page, 'Claude Desktop')).toContainText('Not connected');
    expect(JSON.parse(await home.read(claudeFile))).toEqual(JSON.parse(before));
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect(appLine(page, 'Claude Desktop')).toContainText('Connected');
    expect(await home.read(claudeFile)).toBe(connected);
  });
});

test('one plan connects the apps and moves their servers, and one Undo gives every file back', async ({
  page,
  home,
}) => {
  test.slow();
  const before = [await home.read(claudeFile), await home.read(cursorFile)];
  const rowOf = (name: string): Locator =>
    page.getByRole('list', { name: 'Servers', exact: true }).getByRole('listitem').filter({ hasText: name });

  await test.step('servers are tested in the background', async () => {
    await expect(page.getByRole('heading', { name: /2 apps run 3 servers/ })).toBeVisible();
    await expect(rowOf('tracker')).toContainText('8 tools');
    await expect(rowOf('notes').getByRole('button', { name: 'Retry notes' })).toBeVisible();
    await expect(page.getByRole('status').filter({ hasText: 'Tested 3 of 3' })).toBeVisible();
  });

  await test.step('every change is shown before anything is written, without secrets', async () => {
    await page.getByText('What changes').click();
    await page.getByRole('tab', { name: 'Claude Desktop' }).click();
    const diff = page.getByRole('region', { name: 'File diff' });
    await expect(diff).toContainText('added: "tooltray"');
    await expect(diff).toContainText('TRACKER_TOKEN');
    await expect(diff).not.toContainText('x1y2z3x1y2z3');
    await expectNoBarrier(page, 'the plan');
    expect([await home.read(claudeFile), await home.read(cursorFile)]).toEqual(before);
  });

  await test.step('what is chosen is done at once', async () => {
    await tabTo(page, page.getByRole('checkbox', { name: 'Move notes' }));
    await page.keyboard.press('Space');
    await tabTo(page, page.getByRole('button', { name: 'Set up' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('region', { name: 'Import result' })).toBeFocused({ timeout: 30_000 });
    await expect(page.getByRole('heading', { name: 'Ask your assistant' })).toBeVisible();
    const serversOf = async (file: string): Promise<string[]> =>
      Object.keys((JSON.parse(await home.read(file)) as { mcpServers: object }).mcpServers);
    expect(await serversOf(claudeFile)).toEqual(['tooltray']);
    expect((await serversOf(cursorFile)).toSorted()).toEqual(['notes', 'tooltray']);
    expect(await home.read('own/config.json')).not.toContain('x1y2z3x1y2z3');
    await expectNoBarrier(page, 'the applied plan');
  });

  await test.step('an app makes its first call', async () => {
    const app = await startApp(home, claudeFile, 'claude-ai');
    const { tools } = await app.listTools();
    const tool = tools.find(({ name }) => name.endsWith('echo'))?.name ?? 'nothing like it is listed';
    await app.callTool({ name: tool, arguments: { message: 'hello' } });
    await expect(page.getByRole('heading', { name: 'First call received from Claude Desktop' })).toBeVisible();
    await app.close();
  });

  await test.step('one Undo reverts all of it', async () => {
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('button', { name: 'Set up' })).toBeVisible();
    expect([await home.read(claudeFile), await home.read(cursorFile)]).toEqual(before);
    expect(await home.read('own/config.json')).not.toContain('tracker');
  });
});

for (const { where, open } of [
  { where: 'in the setup', open: 'setup/servers' },
  { where: 'where servers are added', open: 'servers?add=apps' },
]) {
  test(
    `moves servers under their new names, and undo moves them back, ${where}`,
    { tag: open === 'setup/servers' ? [] : '@long' },
    async ({ page, home }) => {
      const before = [await home.read(claudeFile), await home.read(cursorFile)];
      await page.goto(home.at(open));
      await expect(page.getByText('Includes secrets: TRACKER_TOKEN')).toBeVisible();
      await page.getByRole('textbox', { name: 'New name for tracker' }).fill('echo');
      await expect(page.getByText('Duplicate name.')).toBeVisible();
      await page.getByRole('textbox', { name: 'New name for tracker' }).fill('issues');
      await page.getByRole('checkbox', { name: 'Import notes' }).uncheck();
      await page.getByRole('checkbox', { name: /^Also remove them/ }).check();
      await page.getByRole('button', { name: 'Move 2 servers' }).click();
      const brought = page.getByRole('list', { name: 'Imported servers' }).getByRole('listitem');
      await expect(brought.filter({ hasText: 'issues' })).toContainText('Ready');
      expect(Object.keys((JSON.parse(await home.read(claudeFile)) as { mcpServers: object }).mcpServers)).toEqual([
        'tooltray',
      ]);
      expect(await home.read(cursorFile)).toContain('notes-server');
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect(page.getByRole('button', { name: 'Move 2 servers' })).toBeVisible();
      expect([await home.read(claudeFile), await home.read(cursorFile)]).toEqual(before);
      expect(await home.read('own/config.json')).not.toContain('issues');
    },
  );
}

test('disconnects everything after a question that names the apps, and every file is as it was', async ({
  page,
  home,
}) => {
  const before = [await home.read(claudeFile), await home.read(cursorFile)];
  await page.getByRole('button', { name: 'Set up' }).click();
  await expect(page.getByRole('region', { name: 'Import result' })).toBeVisible({ timeout: 30_000 });
  await page.goto(home.at('settings/uninstall'));
  const section = page.getByRole('region', { name: 'Uninstall' });
  await section.getByRole('button', { name: 'Disconnect everything…' }).click();
  const question = page.getByRole('dialog', { name: 'Disconnect everything?' });
  await expect(question).toContainText('Claude Desktop and Cursor lose their Tooltray entry');
  await expectNoBarrier(page, 'the question before everything is disconnected');
  await question.getByRole('button', { name: 'Disconnect everything' }).click();
  await expect(section.getByRole('status')).toContainText('Restored:');
  expect([await home.read(claudeFile), await home.read(cursorFile)]).toEqual(before);
});

plain('shows an app only the servers that are ticked for it, and all again', async ({ page }) => {
  const servers = { echo: fixtureCommand('echo'), tracker: fixtureCommand('tracker') };
  await using core = await ServedCore.start({
    config: { mode: 'proxy', servers },
    files: { [cursorFile]: { mcpServers: {} } },
  });
  await page.goto(core.link);
  await page.goto(core.at('setup/apps/cursor'));
  const item = page.getByRole('article', { name: 'Cursor' });
  await item.getByRole('checkbox', { name: 'tracker' }).uncheck();
  await expect(item).toContainText('1 of 2');
  const app = await core.connect('Cursor', ['--app', 'cursor']);
  expect(await app.call('close_issue', { number: 1 })).not.toContain('Closed');
  expect(await app.call('echo', { message: 'hello' })).toContain('hello');
  await item.getByRole('button', { name: 'All', exact: true }).click();
  await expect(item).toContainText('2 of 2');
  await expect.poll(() => core.read('own/config.json')).not.toContain('appProfiles');
  await expectNoBarrier(page, 'an app');
});

test('saves a setting as soon as it changes, and removes an empty one', async ({ page, home }) => {
  await page.goto(home.at('settings'));
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Search/ })
    .click();
  await expect(page.getByRole('main').getByRole('button', { name: /^Search/ })).toHaveAttribute('aria-pressed', 'true');
  const threshold = page.getByRole('spinbutton', { name: /Spill results larger than/ });
  await threshold.fill('64');
  await threshold.press('Enter');
  await expect.poll(() => home.read('own/config.json')).toContain('64000');
  await threshold.fill('');
  await threshold.press('Enter');
  await expect.poll(() => home.read('own/config.json')).not.toContain('threshold');
});

test('keeps unsaved input while another window changes the setting', async ({ page, home, context }) => {
  const field = 'Spill results larger than';
  await page.goto(home.at('settings'));
  const typed = page.getByRole('spinbutton', { name: field });
  await typed.fill('7');
  const other = await context.newPage();
  await other.goto(home.at('settings'));
  const saved = other.getByRole('spinbutton', { name: field });
  await saved.fill('64');
  await saved.press('Enter');
  await expect.poll(() => home.read('own/config.json')).toContain('64000');
  const third = await context.newPage();
  await third.goto(home.at('settings'));
  await expect(third.getByRole('spinbutton', { name: field })).toHaveValue('64');
  await expect(typed).toHaveValue('7');
  await typed.press('Enter');
  await expect.poll(() => home.read('own/config.json')).toContain('7000');
});

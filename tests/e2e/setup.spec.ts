/** From found apps to the first call, and the settings, with a real core in a home of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';

interface Home {
  readonly link: string;
  readonly claudeFile: string;
  readonly configFile: string;
}

const cli = join(import.meta.dirname, '../../dist/cli.js');

const test = plain.extend<{ home: Home }>({
  home: async ({ page }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'tooltray-e2e-setup-'));
    const claudeFile = join(folder, '.config/Claude/claude_desktop_config.json');
    await mkdir(join(folder, '.config/Claude'), { recursive: true });
    await mkdir(join(folder, '.cursor'), { recursive: true });
    const servers = { tracker: { ...fixtureCommand('tracker'), env: { TRACKER_TOKEN: 'x1y2z3x1y2z3' } } };
    await writeFile(claudeFile, JSON.stringify({ mcpServers: servers }, undefined, 2));
    const broken = { command: join(folder, 'no-such-program') };
    await writeFile(join(folder, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { broken } }));
    const env = {
      ...process.env,
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, '.config'),
      TOOLTRAY_HOME: join(folder, 'own'),
    };
    const core = spawn(process.execPath, [cli, 'serve', '--port', '0', '--no-open'], { env });
    const link = await linkOf(core);
    await page.goto(link);
    await expect(page).toHaveURL(/#\/setup/);
    await use({ link, claudeFile, configFile: join(folder, 'own/config.json') });
    core.kill('SIGTERM');
    await once(core, 'exit');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  },
});

async function linkOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('It has no output.');
  for await (const line of createInterface({ input: stdout })) {
    const link = /http:\/\/127\.0\.0\.1:\d+\/#key=\S+/.exec(line)?.[0];
    if (link !== undefined) return link;
  }
  throw new Error('It ended before it said where it is.');
}

async function open(page: Page, { link }: Home, place: string): Promise<void> {
  await page.goto(new URL(`/#/${place}`, link).href);
}

test('the first start opens the setup, with the apps of this machine', async ({ page, home }) => {
  await expect(page).toHaveURL(new URL('/#/setup', home.link).href);
  await expect(page.getByRole('list', { name: 'Apps on this machine' })).toContainText('Claude Desktop');
});

test('an app is connected after its change was shown, and undo gives the file back to the byte', async ({
  page,
  home,
}) => {
  test.slow();
  const before = await readFile(home.claudeFile, 'utf8');
  await open(page, home, 'setup/apps');
  await page.getByRole('button', { name: 'Connect Claude Desktop' }).click();
  const sheet = page.getByRole('dialog');
  await expect(sheet.getByRole('region', { name: 'Change of the file' })).toContainText('"tooltray"');
  await expect(sheet).toContainText('A backup is made at');
  expect(await readFile(home.claudeFile, 'utf8')).toBe(before);
  await sheet.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(sheet).toContainText('Quit Claude Desktop completely', { timeout: 30_000 });
  expect(await readFile(home.claudeFile, 'utf8')).toContain('"tooltray"');
  await sheet.getByRole('button', { name: 'Undo' }).click();
  await expect(sheet).toBeHidden();
  expect(await readFile(home.claudeFile, 'utf8')).toBe(before);
});

test('servers are brought over under the names that were chosen, and told apart by how they fare', async ({
  page,
  home,
}) => {
  await open(page, home, 'setup/servers');
  await expect(page.getByText('Its secrets come along: TRACKER_TOKEN')).toBeVisible();
  await page.getByRole('textbox', { name: 'Name of tracker here' }).fill('issues');
  await page.getByRole('button', { name: 'Add 2 servers' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'issues' })).toContainText('Ready');
  await expect(page.getByText('already here as issues')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('button', { name: 'Add 2 servers' })).toBeVisible();
});

test('a setting is kept as soon as it is changed, and an empty one is taken out again', async ({ page, home }) => {
  await open(page, home, 'settings');
  await page.getByRole('button', { name: /^Search/ }).click();
  await expect(page.getByRole('button', { name: /^Search/ })).toHaveAttribute('aria-pressed', 'true');
  const threshold = page.getByRole('spinbutton', { name: /Keep answers on disk from/ });
  await threshold.fill('64');
  await threshold.press('Enter');
  await expect.poll(() => readFile(home.configFile, 'utf8')).toContain('64000');
  await threshold.fill('');
  await threshold.press('Enter');
  await expect.poll(() => readFile(home.configFile, 'utf8')).not.toContain('threshold');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no barrier is found in setup and settings in the ${colorScheme} theme`, async ({ page, home }) => {
    test.slow();
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const place of ['setup/servers', 'setup/first-call', 'settings', 'setup/apps', 'setup/apps/claude-desktop']) {
      await open(page, home, place);
      await expect(page.getByRole('heading', { level: 2 }).or(page.getByRole('listitem')).first()).toBeVisible();
      expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    }
  });
}

/** Texts of servers and apps are shown as plain text everywhere. */
import { expect, type Page, test as plain } from '@playwright/test';
import { hostileText } from '../fixtures/servers/shared/hostile-text.ts';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { ServedCore } from './serve-core.ts';

/** Prints it and crashes, before anything else. */
const crashing = {
  command: process.execPath,
  args: ['-e', `console.error(${JSON.stringify(hostileText('last words'))}); process.exit(3)`],
};
/** Its name, file, and variable, as found in another app's file. */
const offered = {
  command: `/no/such/${hostileText('offered command')}`,
  env: { [`${hostileText('offered variable')}_TOKEN`]: 'x1y2z3' },
};

interface World {
  readonly core: ServedCore;
  /** IDs of a spilled list and a spilled image. */
  readonly list: string;
  readonly picture: string;
}

const test = plain.extend<{ world: World }>({
  world: async ({ page }, use) => {
    const servers = { evil: fixtureCommand('hostile'), crashing };
    const files = { '.cursor/mcp.json': { mcpServers: { [hostileText('offered')]: offered } } };
    const config = { mode: 'proxy', servers, results: { threshold: 40_000 } };
    await using core = await ServedCore.start({ config, files });
    const app = await core.connect(hostileText('app'), []);
    await app.call('evil_speak', { [hostileText('argument name')]: hostileText('argument') });
    await app.call('evil_fail');
    await app.call('evil_refuse');
    const change = { action: 'add', name: 'asked', command: hostileText('asked command') };
    await app.call('manage_servers', change);
    const kept = async (tool: string): Promise<string> =>
      /tooltray:\/\/spill\/([a-z0-9]+)/.exec(await app.call(tool))?.[1] ?? `${tool} was not kept`;
    const world = { core, list: await kept('evil_many'), picture: await kept('evil_draw') };
    await app.call(`evil:${hostileText('tool name')}`);
    await page.goto(core.link);
    await use(world);
  },
});

/** Everything with these marks is shown verbatim, and none of it was interpreted. */
async function expectText(page: Page, ...marks: readonly string[]): Promise<void> {
  for (const mark of marks) {
    const shown = page.getByText(`<u>${mark}</u>`).or(page.getByLabel(`<u>${mark}</u>`));
    await expect(shown.filter({ visible: true }).first(), mark).toBeVisible();
  }
  await expect(page.locator('img[src="x"], u')).toHaveCount(0);
  await expect(page).toHaveTitle(/Tooltray/);
}

test('shows names, descriptions, logs, errors, arguments, results and spills as plain text', async ({
  page,
  world: { core, list, picture },
}) => {
  test.slow();
  const go = async (place: string): Promise<void> => void (await page.goto(core.at(place)));
  const tab = (name: string) => page.getByRole('tab', { name }).click();
  const call = async (tool: string): Promise<void> => {
    await go('activity');
    await page.getByRole('table', { name: 'Calls' }).getByRole('link', { name: tool }).first().click();
  };

  await test.step('overview', async () => {
    await go('overview');
    await expectText(page, 'tool name');
    await page.getByRole('button', { name: /^Decide/ }).click();
    await expectText(page, 'asked command');
  });
  await test.step('servers', async () => {
    await go('servers/crashing');
    await expectText(page, 'last words');
    await go('servers/crashing/config');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('Details', { exact: true }).click();
    await expectText(page, 'last words');
    await go('servers/evil/log');
    await expectText(page, 'log');
    await go('servers/evil/tools');
    await page.getByText('<u>tool description</u>').click();
    await expectText(page, 'tool name', 'tool description', 'property', 'property description');
    await go('servers/evil/activity');
    await expectText(page, 'tool name', 'protocol error', 'app');
    await go('servers/evil/config');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await expectText(page, 'tool name');
  });
  await test.step('activity', async () => {
    await call('speak');
    await tab('Details');
    await expectText(page, 'app');
    await tab('Payload');
    await expectText(page, 'argument name', 'argument', 'answer');
    await call('refuse');
    await expectText(page, 'protocol error');
    await call('fail');
    await tab('Payload');
    await expectText(page, 'tool error');
    await call('<u>tool name</u>');
    await expectText(page, 'tool name');
  });
  await test.step('spills', async () => {
    await go(`spills/${list}`);
    await page.getByRole('treeitem', { name: /^0:/ }).click();
    await expectText(page, 'column', 'cell');
    await tab('Table');
    await expectText(page, 'column', 'cell');
    await tab('Query');
    await page.getByRole('button', { name: 'JSONPath' }).click();
    await page.getByRole('textbox', { name: 'JSONPath' }).fill('$.rows[0]');
    await page.keyboard.press('Enter');
    await expectText(page, 'cell');
    await tab('Text');
    await page.getByRole('searchbox', { name: 'Find' }).fill('<u>cell');
    await page.keyboard.press('Enter');
    await expect(page.locator('mark').first()).toHaveText('<u>cell');
    await expectText(page, 'column');
    await go(`spills/${picture}`);
    await expect(page.getByRole('img', { name: 'evil › draw, server result' })).toBeVisible();
    await expectText(page);
  });
  await test.step('setup and settings', async () => {
    await go('setup/servers');
    await page.getByRole('button', { name: 'Test selected' }).click();
    await expect(page.getByText('Failed: ')).toBeVisible();
    await expectText(page, 'offered', 'offered command', 'offered variable');
    await page.getByRole('button', { name: 'Import 1 server' }).click();
    await expect(page.getByRole('list', { name: 'Imported servers' })).toContainText('offered');
    await expectText(page, 'offered command');
    await go('setup/first-call');
    await expectText(page, 'app');
    await go('settings');
    await expectText(page, 'app');
    await go('inbox');
    await expectText(page, 'asked command');
  });
});

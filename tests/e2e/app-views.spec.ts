/** App views of tools in the dashboard: of recorded calls and of runs, with a cooperative server. */
import { expect, type FrameLocator, type Page, test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore } from './serve-core.ts';

const test = plain.extend<{ core: ServedCore }>({
  core: async ({ baseURL: _baseURL }, use) => {
    const servers = { viewer: fixtureCommand('viewer'), echo: fixtureCommand('echo') };
    await using core = await ServedCore.start({ config: { mode: 'proxy', servers } });
    await use(core);
  },
});

/** The view's own document, in its frame in our frame. */
function viewOf(page: Page): FrameLocator {
  return page.frameLocator('iframe[title$=" app view"]').frameLocator('iframe');
}

async function openCall(page: Page, core: ServedCore, tool: string, args: object): Promise<FrameLocator> {
  const app = await core.connect();
  await app.call(`viewer_${tool}`, args);
  return openRecorded(page, core, tool);
}

async function openRecorded(page: Page, core: ServedCore, tool: string): Promise<FrameLocator> {
  // An open page has the key; the link would reload it.
  if (page.url() === 'about:blank') await page.goto(core.link);
  await page.goto(core.at('activity'));
  await page.getByRole('table', { name: 'Calls' }).getByRole('link', { name: tool }).first().click();
  await page.getByRole('tab', { name: 'App view' }).click();
  return viewOf(page);
}

test('gives a recorded call’s request, result and theme to its app view', async ({ page, core }) => {
  const bridges: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('host-bridge')) bridges.push(request.url());
  });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(core.link);
  await expect(page.getByRole('main')).toBeVisible();
  expect(bridges).toEqual([]);
  const view = await openCall(page, core, 'show', { words: 'hello' });
  await expect(view.locator('#input')).toHaveText('{"words":"hello"}');
  // Loaded by then, and not before.
  expect(bridges).toHaveLength(1);
  await expect(view.locator('#result')).toContainText('"structuredContent":{"tool":"show","words":"hello"}');
  await expect(view.locator('#result')).toContainText('"seen":"by views alone"');
  await expect(view.locator('#host')).toHaveText('{"theme":"dark","tool":"show"}');
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(view.locator('#host')).toContainText('"theme":"light"');
  await expectNoBarrier(page, 'a call’s view');
});

test('an app view calls its server’s read tools, others after consent, and none meant for models', async ({
  page,
  core,
}) => {
  const view = await openCall(page, core, 'show_old', {});
  const answer = view.locator('#answer');
  await view.getByRole('button', { name: 'Read the clock' }).click();
  await expect(answer).toContainText('read_clock was told of the view');

  await view.getByRole('button', { name: 'Write a note' }).click();
  const dialog = page.getByRole('dialog', { name: 'viewer app view: run write_note?' });
  await expect(dialog).toContainText('"words": "to be written"');
  await expectNoBarrier(page, 'a view’s question');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(answer).toContainText('The user declined the call to write_note.');
  await view.getByRole('button', { name: 'Write a note' }).click();
  await dialog.getByRole('button', { name: 'Run write_note' }).click();
  await expect(answer).toContainText('write_note was told to be written');

  await view.getByRole('button', { name: 'Call what is for models' }).click();
  await expect(answer).toContainText('cannot be called from an app view');
  await view.getByRole('button', { name: 'Call another server' }).click();
  await expect(answer).toContainText('viewer has no tool');
  await view.getByRole('button', { name: 'Read a resource' }).click();
  await expect(answer).toContainText('what note://viewer/one is');
  await expect(page.getByText('2 calls so far')).toBeVisible();

  await page.goto(core.at('activity'));
  const row = page.getByRole('table', { name: 'Calls' }).getByRole('row').filter({ hasText: 'write_note' });
  await expect(row).toContainText('You');
  await expect(row).toContainText('Requested by the user interface ui://viewer/plain');
});

test('asks before opening links, keeps messages local, limits sizes, and rejects unknown requests', async ({
  page,
  core,
}) => {
  const view = await openCall(page, core, 'show', {});
  const answer = view.locator('#answer');
  await view.getByRole('button', { name: 'Open a link' }).click();
  const dialog = page.getByRole('dialog', { name: 'viewer app view: open link?' });
  await expect(dialog.getByLabel('URL')).toHaveText('https://example.com/somewhere?a=b');
  await page.keyboard.press('Escape');
  await expect(answer).toContainText('declined to open the link');
  await view.getByRole('button', { name: 'Say something' }).click();
  await expect(page.getByRole('log', { name: 'Messages from the app view' })).toContainText('said by the view');
  await expect(answer).toContainText('not sent to a model from the dashboard');
  await view.getByRole('button', { name: 'Ask the unknown' }).click();
  await expect(answer).toContainText('Method not found');
  await view.getByRole('button', { name: 'Grow' }).click();
  const frame = page.locator('iframe[title$=" app view"]');
  await expect.poll(async () => (await frame.boundingBox())?.height).toBe(900);
  expect((await frame.boundingBox())?.width).toBeLessThan(1000);
});

test('shows an app view’s requested permissions verbatim, and runs it without them until allowed', async ({
  page,
  core,
}) => {
  const view = await openCall(page, core, 'show_online', {});
  const network = page.getByRole('region', { name: 'Network' });
  await expect(network).toContainText('http://api.views.test:9');
  await expect(network).not.toContainText('127.0.0.1');
  await page.getByText('Requests that are always denied').click();
  await expect(page.getByText("https://x.test; script-src 'self'")).toBeVisible();
  await expectNoBarrier(page, 'a view that wants the network');
  await expect(view.locator('#sandbox')).toHaveText('{"permissions":{},"csp":{}}');
  await view.getByRole('button', { name: 'Fetch', exact: true }).click();
  await expect(view.locator('#answer')).toContainText('TypeError');
  await page.getByRole('region', { name: 'Permissions' }).getByRole('button').click();
  await expect(page.locator('iframe[title$=" app view"]')).toHaveAttribute('allow', 'camera *; clipboard-write *');
  await expect(network).toBeVisible();
  await network.getByRole('button').click();
  await expect(network).toHaveCount(0);
  await expect(view.locator('#input')).toHaveText('{}');
  // It is told which of its requirements are granted.
  await expect(view.locator('#sandbox')).toContainText(
    '{"permissions":{"camera":{},"clipboardWrite":{}},"csp":{"connectDomains":[',
  );
  await expect(view.locator('#sandbox')).toContainText('"http://api.views.test:9"');
});

test('gives an app view everything allowed in two quick steps', async ({ page, core }) => {
  const view = await openCall(page, core, 'show_online', {});
  await expect(view.locator('#sandbox')).toHaveText('{"permissions":{},"csp":{}}');
  // The second as soon as the frame of the first exists, before it has its document.
  await page.getByRole('region', { name: 'App view' }).evaluate((section) => {
    const allow = (name: string): void => section.querySelector<HTMLElement>(`[aria-label="${name}"] button`)?.click();
    new MutationObserver((_changes, observer) => {
      if (section.querySelector('iframe[allow*="camera"]') === null) return;
      observer.disconnect();
      allow('Network');
    }).observe(section, { subtree: true, childList: true, attributes: true });
    allow('Permissions');
  });
  await expect(view.locator('#sandbox')).toContainText(
    '{"permissions":{"camera":{},"clipboardWrite":{}},"csp":{"connectDomains":[',
  );
});

test(
  'marks tools that have an app view, shows it for a run, and shows a stopped one again',
  { tag: '@long' },
  async ({ page, core }) => {
    await page.goto(core.link);
    await page.goto(core.at('servers/viewer/tools'));
    await expect(page.getByText('; 6 with an app view')).toBeVisible();
    await page.getByRole('link', { name: 'Run show', exact: true }).click();
    await page.getByLabel('Arguments as JSON').fill('{"words": "by hand"}');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const view = viewOf(page);
    await expect(view.locator('#input')).toHaveText('{"words":"by hand"}');
    await expect(view.locator('#result')).toContainText('show was told by hand');
    await expectNoBarrier(page, 'a run with a view');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(page.getByText('Stopped by you.')).toBeVisible();
    await expect(page.locator('iframe')).toHaveCount(0);
    await page.getByRole('button', { name: 'Reload' }).click();
    await expect(view.locator('#result')).toContainText('show was told by hand');
  },
);

test('folds a step’s app view below its payload', { tag: '@long' }, async ({ page, core }) => {
  const app = await core.connect();
  await app.call('viewer_show', { words: 'a step' });
  await page.goto(core.link);
  await page.goto(core.at('activity/sessions/all'));
  const steps = page.getByRole('table', { name: 'Steps' });
  await steps.getByRole('row').filter({ hasText: 'show' }).getByRole('link').first().click();
  const panel = page.getByRole('region', { name: 'Step', exact: true });
  await expect(page.locator('iframe')).toHaveCount(0);
  await panel.getByText('App view', { exact: true }).click();
  await expect(viewOf(page).locator('#result')).toContainText('show was told a step');
  await expectNoBarrier(page, 'a step with a view');
});

test('gives a spilled result whole to its app view, and shortened to the model', { tag: '@long' }, async ({ page }) => {
  const servers = { viewer: fixtureCommand('viewer'), echo: fixtureCommand('echo') };
  await using core = await ServedCore.start({ config: { mode: 'proxy', results: { threshold: 300 }, servers } });
  const words = `${'before it, '.repeat(200)}the middle${', behind it'.repeat(200)}`;
  const given = await (await core.connect()).call('viewer_show', { words });
  expect(given).toContain('tooltray://spill/');
  expect(given).not.toContain('the middle');
  const view = await openRecorded(page, core, 'show');
  await expect(view.locator('#input')).toContainText('the middle');
  await expect(view.locator('#result')).toContainText('the middle');
  await expectNoBarrier(page, 'the view of a kept answer');
});

/**
 * A hostile app view: it tries to leave its frame, to access the network, other servers, our RPC and key, and to block
 * the page.
 */
import { createSocket, type Socket } from 'node:dgram';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { ServedCore } from './serve-core.ts';

/** Like every desktop Chromium: a frame with its own origin has its own process. */
plain.use({ launchOptions: async ({ launchOptions }, use) => use({ ...launchOptions, args: ['--site-per-process'] }) });

interface World {
  readonly core: ServedCore;
  /** Everything that was received. */
  readonly reached: string[];
  readonly page: Page;
}

const test = plain.extend<{ world: World }>({
  world: async ({ page }, use) => {
    const reached: string[] = [];
    const elsewhere = await listen(reached);
    const { port } = elsewhere.http.address() as AddressInfo;
    const servers = { viewer: fixtureCommand('viewer', `http://127.0.0.1:${port}`), echo: fixtureCommand('echo') };
    await using core = await ServedCore.start({ config: { mode: 'proxy', servers } });
    await use({ core, reached, page });
    elsewhere.http.closeAllConnections();
    elsewhere.http.close();
    elsewhere.packets.close();
  },
});

/** The view's targets: TCP and UDP on one port. */
async function listen(reached: string[]): Promise<{ http: Server; packets: Socket }> {
  const http = createServer(({ method, url }, response) => {
    reached.push(`${method} ${url}`);
    response.setHeader('access-control-allow-origin', '*').end('reached');
  });
  http.on('connection', () => reached.push('a connection'));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const packets = createSocket('udp4');
  packets.on('message', () => reached.push('a packet'));
  const { port } = http.address() as AddressInfo;
  await new Promise<void>((resolve) => packets.bind(port, '127.0.0.1', resolve));
  return { http, packets };
}

async function attack({ core, page }: World, what: string): Promise<void> {
  const app = await core.connect();
  await app.call('viewer_attack', { attack: what });
  await page.goto(core.link);
  await page.goto(core.at('activity'));
  await page.getByRole('table', { name: 'Calls' }).getByRole('link', { name: 'attack' }).first().click();
  await page.getByRole('tab', { name: 'App view' }).click();
}

/** The page still works: another tab of the call opens, and requests to the core are answered. */
async function expectUsable(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Details' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('Returned to model');
}

/** Allowed outcomes of each attempt: nothing, or an error with this name. */
const refusals =
  /^(nothing came|SecurityError|TypeError|NotAllowedError|NetworkError|NotFoundError|Error|refused|ReferenceError|InvalidStateError)$/;

test('a hostile app view cannot leave its frame or change the page', async ({ world }) => {
  test.slow();
  const { core, page, reached } = world;
  const pages: string[] = [];
  page.context().on('page', (one) => pages.push(one.url()));
  page.on('download', (one) => pages.push(`download ${one.url()}`));
  page.on('dialog', (one) => void one.dismiss().then(() => pages.push(`dialog ${one.message()}`)));
  await attack(world, 'all');
  await page.getByText('App view log', { exact: true }).click({ timeout: 60_000 });
  const log = await page.getByLabel('App view log', { exact: true }).innerText();
  const { report } = JSON.parse(log.slice(log.indexOf('{'))) as { report: Record<string, string> };
  const {
    'another server': other,
    'another server by its id': byId,
    'for models': models,
    'a question of ours': ours,
    'a link that is a script': script,
    'words for a model': sampling,
    ...tries
  } = report;
  expect(Object.entries(tries).filter(([, what]) => !refusals.test(what))).toEqual([]);
  expect(Object.keys(tries).length).toBeGreaterThan(45);
  expect(other).toContain('viewer has no tool');
  expect(byId).toContain('viewer has no tool');
  expect(models).toContain('cannot be called from an app view');
  expect(ours).toContain('Method not found');
  expect(script).toContain('Only http and https URLs');
  expect(sampling).toContain('Method not found');
  // It then tries to navigate its own frame, which ends with the browser's error page.
  const isRefused = (): boolean => page.frames().some((frame) => frame.url().startsWith('chrome-error:'));
  await expect.poll(isRefused).toBe(true);
  expect(reached).toEqual([]);
  expect(pages).toEqual([]);
  expect(page.url()).toMatch(/#\/activity\/\d+$/);
  expect(new URL(page.url()).origin).toBe(new URL(core.link).origin);
  await expect(page).toHaveTitle(/Tooltray/);
  expect(await page.evaluate(() => JSON.stringify(Object.keys(localStorage)))).not.toContain('owned');
  await expect(page.getByText('owned')).toHaveCount(0);
  await expectUsable(page);
  await page.goto(core.at('activity'));
  await expect(page.getByRole('table', { name: 'Calls' }).getByRole('link', { name: 'read_clock' })).toHaveCount(0);
});

for (const what of ['loop', 'flood', 'flood the page', 'size'])
  // The worst of them always.
  test(
    `keeps the page usable during an attack: ${what}`,
    { tag: what === 'flood the page' ? [] : '@long' },
    async ({ world }) => {
      const { page } = world;
      await attack(world, what);
      const frame = page.locator('iframe[title$=" app view"]');
      if (what.startsWith('flood')) {
        await expect(page.getByText('It sent more than 300 messages per second.')).toBeVisible();
        await expect(frame).toHaveCount(0);
      } else if (what === 'size') {
        await expect.poll(async () => (await frame.boundingBox())?.height).toBe(900);
      } else await expect(frame).toBeVisible();
      await expectUsable(page);
      await expect(frame).toHaveCount(0);
    },
  );

test('throttles a flood of calls, and reports it', async ({ world }) => {
  const { core, page } = world;
  await attack(world, 'flood by calls');
  await expect(page.getByText('4 calls so far')).toBeVisible();
  await expectUsable(page);
  await page.goto(core.at('activity'));
  await expect(page.getByRole('table', { name: 'Calls' }).getByRole('link', { name: 'read_clock' })).toHaveCount(4);
});

test('blocks WebRTC connections', async ({ world }) => {
  const { page, reached } = world;
  // Its own process crashes.
  const gone = page.waitForEvent('crash', { timeout: 5000 }).catch(() => undefined);
  await attack(world, 'sockets');
  await gone;
  expect(reached).toEqual([]);
});

test('keeps the page’s own content security policy strict', async ({ world }) => {
  const { core, page } = world;
  const answer = await page.goto(core.link);
  expect(answer?.headers()['content-security-policy']).toBe(
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' blob:; object-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'",
  );
});

test('reaches the allowed address and no other', async ({ page }) => {
  const reached: string[] = [];
  const { http, packets } = await listen(reached);
  const { port } = http.address() as AddressInfo;
  await page.route(`http://api.views.test:${port}/**`, async (route) => {
    reached.push('the allowed one');
    await route.fulfill({ body: 'x', headers: { 'access-control-allow-origin': '*' } });
  });
  const servers = { viewer: fixtureCommand('viewer', `http://127.0.0.1:${port}`) };
  await using core = await ServedCore.start({ config: { mode: 'proxy', servers } });
  const app = await core.connect();
  await app.call('viewer_show_online', { port });
  await page.goto(core.link);
  await page.goto(core.at('activity'));
  await page.getByRole('table', { name: 'Calls' }).getByRole('link', { name: 'show_online' }).first().click();
  await page.getByRole('tab', { name: 'App view' }).click();
  const view = page.frameLocator('iframe[title$=" app view"]').frameLocator('iframe');
  await view.getByRole('button', { name: 'Fetch', exact: true }).click();
  await expect(view.locator('#answer')).toContainText('TypeError');
  expect(reached).toEqual([]);
  await page.getByRole('region', { name: 'Network' }).getByRole('button').click();
  await expect(page.getByRole('region', { name: 'Network' })).toHaveCount(0);
  await view.getByRole('button', { name: 'Fetch', exact: true }).click();
  await expect(view.locator('#answer')).toContainText('fetched 200');
  await view.getByRole('button', { name: 'Fetch elsewhere' }).click();
  await expect(view.locator('#answer')).toContainText('TypeError');
  expect(reached).toEqual(['the allowed one']);
  http.close();
  packets.close();
});

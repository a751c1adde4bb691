/** Attacks of a page, ours or another: unknown methods, other origins, navigation, windows, embedding. */
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { Desktop, root } from './open-desktop.ts';

test('exposes only the bridge to the page', async () => {
  await using desktop = await Desktop.open();
  const page = await desktop.page();
  const seen = await page.evaluate(() => ({
    bridge: Object.keys(window.tooltray ?? {}).sort(),
    isFrozen: Object.isFrozen(window.tooltray),
    rest: ['require', 'process', 'module', 'Buffer', 'ipcRenderer'].filter((name) => name in window),
  }));
  expect(seen).toEqual({ bridge: ['request', 'takeBack', 'watch'], isFrozen: true, rest: [] });
});

test('rejects unknown methods and wrong arguments with a code', async () => {
  await using desktop = await Desktop.open();
  const page = await desktop.page();
  const ask = (method: unknown, input: unknown): Promise<unknown> =>
    page.evaluate(([name, given]) => window.tooltray?.request(name as string, given), [method, input] as const);
  expect(await ask('eval', {})).toMatchObject({ error: { code: 'not_found' } });
  expect(await ask('__proto__', {})).toMatchObject({ error: { code: 'not_found' } });
  expect(await ask(7, {})).toMatchObject({ error: { code: 'bad_request' } });
  expect(await ask('setMode', { mode: { $ne: '' } })).toMatchObject({ error: { code: 'bad_request' } });
  expect(await ask('reveal', { what: '/etc/passwd' })).toMatchObject({ error: { code: 'bad_request' } });
});

test('rejects requests of another page that has the preload', async () => {
  await using desktop = await Desktop.open();
  await desktop.page();
  const preload = join(root, 'dist/preload.cjs');
  await desktop.app.evaluate(({ BrowserWindow }, file) => {
    const other = new BrowserWindow({ show: false, webPreferences: { preload: file, sandbox: true } });
    void other.loadURL('data:text/html,<title>elsewhere</title>');
  }, preload);
  // The test's own limit is the only one: a second window takes long on a busy machine.
  await expect.poll(() => desktop.app.windows().length, { timeout: 50_000 }).toBe(2);
  const stranger = desktop.app.windows()[1] as Page;
  await expect(stranger).toHaveTitle('elsewhere');
  const answer = await stranger.evaluate(() => window.tooltray?.request('state', {}));
  expect(answer).toMatchObject({ error: { code: 'not_allowed' } });
});

test('blocks the page from navigating away and opening windows', async () => {
  await using desktop = await Desktop.open();
  const page = await desktop.page();
  await expect(page.getByRole('navigation')).toBeVisible();
  await page.evaluate(() => {
    window.open('http://127.0.0.1:9/');
    location.assign('https://example.com/');
  });
  await page.waitForTimeout(300);
  await expect(page.getByRole('navigation')).toBeVisible();
  expect(await desktop.windowCount()).toBe(1);
});

test('blocks scripts, frames and requests from other origins', async () => {
  await using desktop = await Desktop.open();
  const page = await desktop.page();
  await expect(page.getByRole('navigation')).toBeVisible();
  const blocked = await page.evaluate(async () => {
    const directives = new Set<string>();
    document.addEventListener('securitypolicyviolation', (event) => directives.add(event.effectiveDirective));
    const add = (tag: string, address: string): void => {
      document.body.append(Object.assign(document.createElement(tag), { src: address }));
    };
    add('script', 'https://example.com/evil.js');
    add('iframe', 'https://example.com/');
    await fetch('https://example.com/').catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return [...directives].sort();
  });
  expect(blocked).toEqual(['connect-src', 'frame-src', 'script-src-elem']);
});

/** The window: it opens, shows the dashboard, goes and comes back while the app goes on. */
import { rmSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { BrowserWindow, Notification } from 'electron';
import { Desktop, makeHome } from './open-desktop.ts';

test('starting the app opens the dashboard, which knows its servers and its keys', async () => {
  await using desktop = await Desktop.open({ servers: { utils: { type: 'builtin', builtin: 'utils' } } });
  const page = await desktop.page();
  const answer = await page.evaluate(() => window.tooltray?.request('state', {}));
  expect(answer).toMatchObject({ value: { servers: [{ name: 'utils' }] } });
  await expect(page.getByRole('navigation')).toContainText('Servers');
  for (const key of ['g', 'v']) await page.keyboard.press(key);
  await expect(page).toHaveURL(/#\/servers$/);
});

test('a change of the state reaches the page without it asking', async () => {
  await using desktop = await Desktop.open();
  const page = await desktop.page();
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    window.tooltray?.watch(({ modes }) => {
      if (modes !== undefined) seen.push(modes.mode);
    });
  });
  await page.evaluate(() => window.tooltray?.request('setMode', { mode: 'search' }));
  await expect.poll(() => page.evaluate(() => (window as unknown as { seen: string[] }).seen.at(-1))).toBe('search');
});

test('closing the window leaves client apps connected, and the tray brings it back', async () => {
  await using desktop = await Desktop.open({ servers: { utils: { type: 'builtin', builtin: 'utils' } } });
  const client = await desktop.connect();
  const page = await desktop.page();
  await page.close();
  await expect.poll(() => desktop.windowCount()).toBe(0);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await desktop.clickTray('dashboard');
  await expect((await desktop.page()).getByRole('navigation')).toBeVisible();
});

test('started in the background it opens no window; starting it once more opens one', async () => {
  await using desktop = await Desktop.open({ words: ['--background'] });
  await expect.poll(() => desktop.trayLabels()).toContain('Open Dashboard');
  expect(await desktop.windowCount()).toBe(0);
  expect(await desktop.startAgain()).toBe(0);
  await expect((await desktop.page()).getByRole('navigation')).toBeVisible();
});

test('started once more by the system it opens no window', async () => {
  await using desktop = await Desktop.open({ words: ['--background'] });
  await expect.poll(() => desktop.trayLabels()).toContain('Open Dashboard');
  expect(await desktop.startAgain('--background')).toBe(0);
  // The words of the second start have arrived when those of a third have.
  expect(await desktop.startAgain('tooltray://settings')).toBe(0);
  const page = await desktop.page();
  await expect.poll(() => page.evaluate(() => location.hash)).toBe('#/settings');
  expect(await desktop.windowCount()).toBe(1);
});

test('answers client apps while a dialog is open', async () => {
  await using desktop = await Desktop.open({ servers: { utils: { type: 'builtin', builtin: 'utils' } } });
  const client = await desktop.connect();
  await desktop.page();
  const isStored = await desktop.app.evaluate(({ BrowserWindow, dialog }) => {
    dialog.showMessageBox = () => new Promise(() => undefined);
    const event = { isPrevented: false, preventDefault: () => void (event.isPrevented = true) };
    BrowserWindow.getAllWindows()[0]?.webContents.emit('will-prevent-unload', event);
    return !event.isPrevented;
  });
  expect(isStored).toBe(true);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
});

test('a link opens the view that it names, and nothing else', async () => {
  await using desktop = await Desktop.open();
  const page = await desktop.page();
  await expect(page.getByRole('navigation')).toBeVisible();
  await desktop.startAgain('tooltray://servers/github');
  await expect.poll(() => page.evaluate(() => location.hash)).toBe('#/servers/github');
  await desktop.startAgain('tooltray://run/rm');
  expect(await desktop.windowCount()).toBe(1);
  expect(await page.evaluate(() => location.hash)).toBe('#/servers/github');
});

test('the theme that was chosen is the window\u2019s', async () => {
  await using desktop = await Desktop.open();
  const page = await desktop.page();
  const isDark = (): Promise<boolean> => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
  await page.evaluate(() => window.tooltray?.request('setSettings', { theme: 'dark' }));
  await expect.poll(isDark).toBe(true);
  await page.evaluate(() => window.tooltray?.request('setSettings', { theme: 'light' }));
  await expect.poll(isDark).toBe(false);
});

test('the window remembers where it was, also after the app has ended', async () => {
  const home = makeHome();
  try {
    const last = { x: 40, y: 60, width: 900, height: 620 };
    {
      await using desktop = await Desktop.open({ home });
      const window = await desktop.app.browserWindow(await desktop.page());
      await window.evaluate((one: BrowserWindow, bounds) => one.setBounds(bounds), last);
    }
    await using desktop = await Desktop.open({ home });
    const window = await desktop.app.browserWindow(await desktop.page());
    expect(await window.evaluate((one: BrowserWindow) => one.getBounds())).toEqual(last);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('closing the window for the first time says that the app goes on', async () => {
  await using desktop = await Desktop.open();
  await desktop.app.evaluate(({ Notification }) => {
    const shown: string[] = [];
    Object.assign(globalThis, { shown });
    Notification.prototype.show = function show(this: Notification) {
      shown.push(this.title);
    };
  });
  const shown = (): Promise<string[]> =>
    desktop.app.evaluate(() => (globalThis as unknown as { shown: string[] }).shown);
  await (await desktop.page()).close();
  await expect.poll(shown).toEqual(['Tooltray keeps running']);
  await desktop.clickTray('dashboard');
  await (await desktop.page()).close();
  await expect.poll(() => desktop.windowCount()).toBe(0);
  expect(await shown()).toEqual(['Tooltray keeps running']);
});

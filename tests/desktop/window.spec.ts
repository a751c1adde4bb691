/** The window: it opens, shows the dashboard, and closes and reopens while the app keeps running. */
import { rmSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { BrowserWindow, Notification } from 'electron';
import { Desktop, makeHome } from './open-desktop.ts';

test('opens the dashboard at startup, with its servers and keyboard shortcuts', async () => {
  await using desktop = await Desktop.open({ servers: { utils: { type: 'builtin', builtin: 'utils' } } });
  const page = await desktop.page();
  const answer = await page.evaluate(() => window.tooltray?.request('state', {}));
  expect(answer).toMatchObject({ value: { servers: [{ name: 'utils' }] } });
  await expect(page.getByRole('navigation')).toContainText('Servers');
  for (const key of ['g', 'v']) await page.keyboard.press(key);
  await expect(page).toHaveURL(/#\/servers$/);
});

test('pushes a state change to the page', async () => {
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

test('closing the window keeps client apps connected, and the tray opens it again', async () => {
  await using desktop = await Desktop.open({ servers: { utils: { type: 'builtin', builtin: 'utils' } } });
  const client = await desktop.connect();
  const page = await desktop.page();
  await page.close();
  await expect.poll(() => desktop.windowCount()).toBe(0);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await desktop.clickTray('dashboard');
  await expect((await desktop.page()).getByRole('navigation')).toBeVisible();
});

test('opens no window for a background start, and one for the next start', async () => {
  await using desktop = await Desktop.open({ words: ['--background'] });
  await expect.poll(() => desktop.trayLabels()).toContain('Open Dashboard');
  expect(await desktop.windowCount()).toBe(0);
  expect(await desktop.startAgain()).toBe(0);
  await expect((await desktop.page()).getByRole('navigation')).toBeVisible();
});

test('opens no window for a second start by the system', async () => {
  await using desktop = await Desktop.open({ words: ['--background'] });
  await expect.poll(() => desktop.trayLabels()).toContain('Open Dashboard');
  expect(await desktop.startAgain('--background')).toBe(0);
  // The arguments of the second start have arrived when those of a third have.
  expect(await desktop.startAgain('tooltray://settings')).toBe(0);
  const page = await desktop.page();
  await expect.poll(() => page.evaluate(() => location.hash)).toBe('#/settings');
  expect(await desktop.windowCount()).toBe(1);
});

test('serves client apps while a dialog is open', async () => {
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

test('a link opens the view that it names, and ignores unknown ones', async () => {
  await using desktop = await Desktop.open();
  const page = await desktop.page();
  await expect(page.getByRole('navigation')).toBeVisible();
  await desktop.startAgain('tooltray://servers/github');
  await expect.poll(() => page.evaluate(() => location.hash)).toBe('#/servers/github');
  await desktop.startAgain('tooltray://run/rm');
  expect(await desktop.windowCount()).toBe(1);
  expect(await page.evaluate(() => location.hash)).toBe('#/servers/github');
});

test('applies the chosen theme to the window', async () => {
  await using desktop = await Desktop.open();
  const page = await desktop.page();
  const isDark = (): Promise<boolean> => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
  await page.evaluate(() => window.tooltray?.request('setSettings', { theme: 'dark' }));
  await expect.poll(isDark).toBe(true);
  await page.evaluate(() => window.tooltray?.request('setSettings', { theme: 'light' }));
  await expect.poll(isDark).toBe(false);
});

test('restores the window’s position, also after a restart of the app', async () => {
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

test('notifies that the app keeps running when the window is first closed', async () => {
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
  await expect.poll(shown).toEqual(['Tooltray is still running']);
  await desktop.clickTray('dashboard');
  await (await desktop.page()).close();
  await expect.poll(() => desktop.windowCount()).toBe(0);
  expect(await shown()).toEqual(['Tooltray is still running']);
});

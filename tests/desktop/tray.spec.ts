/** The tray: its texts, and what its rows do to connected client apps. */
import { expect, test } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { Desktop } from './open-desktop.ts';

test('shows the number of servers, the problems and the modes', async () => {
  await using desktop = await Desktop.open({
    servers: { utils: { type: 'builtin', builtin: 'utils' }, lost: { command: '/nowhere/to/be/found' } },
  });
  await expect
    .poll(async () => (await desktop.trayLabels()).slice(0, 2).join(' | '), { timeout: 30_000 })
    .toMatch(/^2 servers \| Fix: lost — /);
  const labels = await desktop.trayLabels();
  expect(labels).toEqual(expect.arrayContaining(['Open Dashboard', 'Mode', 'Pause all', 'Settings…', 'Quit Tooltray']));
  expect(labels.filter((label) => /^(Auto|Proxy|Search|Code) — /.test(label))).toHaveLength(4);
});

test('a mode chosen in the tray changes the tool list of a connected client app', async () => {
  await using desktop = await Desktop.open({ servers: { echo: fixtureCommand('echo') } });
  let changes = 0;
  const client = await desktop.connect(() => changes++);
  const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
  await expect.poll(names).toEqual(['echo']);
  await expect.poll(() => desktop.trayLabels()).toContain('Mode');
  await desktop.clickTray('mode-search');
  await expect.poll(() => changes).toBeGreaterThan(0);
  await expect.poll(names).toEqual(expect.arrayContaining(['search_tools', 'call_tool']));
  await expect.poll(() => desktop.isChosen('mode-search')).toBe(true);
});

test('refuses calls during a pause', async () => {
  await using desktop = await Desktop.open({ servers: { echo: fixtureCommand('echo') } });
  const client = await desktop.connect();
  const call = async (): Promise<boolean> => {
    const [tool] = (await client.listTools()).tools;
    const { isError = false } = await client.callTool({ name: tool?.name ?? '', arguments: { text: 'hello' } });
    return isError;
  };
  await expect.poll(call).toBe(false);
  await expect.poll(() => desktop.trayLabels()).toContain('Pause all');
  await desktop.clickTray('pause');
  await expect.poll(call).toBe(true);
  await expect.poll(() => desktop.trayLabels()).toContain('Resume');
  await desktop.clickTray('pause');
  await expect.poll(call).toBe(false);
});

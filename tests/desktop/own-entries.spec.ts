/** Entries in client apps: kept at each start of the app, and repaired in their files if their program is gone. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Desktop, ended, envOf, makeHome } from './open-desktop.ts';

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
}

test('repairs at startup an entry whose launch path no longer exists', async () => {
  test.skip(process.platform === 'win32', 'a batch file cannot be started without a shell');
  const home = makeHome({ utils: { type: 'builtin', builtin: 'utils' } });
  const person = join(home, 'person');
  const file = join(person, '.cursor/mcp.json');
  const launcher = join(home, 'data/bin/tooltray');
  const gone = {
    command: join(home, 'gone/Tooltray'),
    args: ['stdio', '--app', 'cursor'],
    env: { TOOLTRAY_HOME: home },
  };
  for (const folder of [join(person, '.cursor'), join(home, 'data/bin')]) mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify({ mcpServers: { tooltray: gone } }));
  // As left by the app at its previous path.
  writeFileSync(launcher, `#!/bin/sh\nprogram='${join(home, 'gone/Tooltray')}'\n`);
  const entry = (): Entry =>
    (JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: { tooltray: Entry } }).mcpServers.tooltray;
  try {
    await using desktop = await Desktop.open({ home, env: { HOME: person } });
    await desktop.page();
    await expect.poll(entry).toEqual({ ...gone, command: launcher });
    const { command, args, env } = entry();
    const client = new Client({ name: 'own-entries', version: '1.0.0' });
    // It must connect to the running app, not start another one.
    await client.connect(new StdioClientTransport({ command, args: [...args], env: { ...envOf(home), ...env } }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('connects an app from the dashboard with a tested launch', async () => {
  const home = makeHome();
  const person = join(home, 'person');
  const file = join(person, '.cursor/mcp.json');
  mkdirSync(join(person, '.cursor'), { recursive: true });
  writeFileSync(file, '{}');
  try {
    await using desktop = await Desktop.open({ home, env: { HOME: person } });
    const page = await desktop.page();
    const ask = (method: string, input: unknown): Promise<unknown> =>
      page.evaluate(([name, given]) => window.tooltray?.request(name, given), [method, input] as const);
    const preview = (await ask('previewInstall', { app: 'cursor' })) as { value: { revision: string } };
    const { revision } = preview.value;
    const outcome = (await ask('installApp', { app: 'cursor', revision })) as { value: { sentence: string } };
    expect(outcome.value.sentence).toMatch(/^Cursor is connected\./);
    expect(readFileSync(file, 'utf8')).toContain('tooltray');
    // Disconnecting everything restores the file, and quits the app.
    const gone = ended(desktop.app.process());
    expect(await ask('disconnectAll', {})).toMatchObject({ value: { files: [file], problems: [] } });
    expect(readFileSync(file, 'utf8')).toBe('{}');
    await gone;
    expect(existsSync(join(home, 'data/secrets/vault.json'))).toBe(false);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('one click in the tray installs into Claude Desktop, and leaves its other settings as they are', async () => {
  const home = makeHome();
  const person = join(home, 'person');
  const places = {
    linux: '.config/Claude',
    darwin: 'Library/Application Support/Claude',
    win32: 'AppData/Roaming/Claude',
  };
  const folder = join(person, places[process.platform as keyof typeof places]);
  const file = join(folder, 'claude_desktop_config.json');
  mkdirSync(folder, { recursive: true });
  const before = { theme: 'dark', mcpServers: { own: { command: 'own' } } };
  writeFileSync(file, `${JSON.stringify(before, undefined, 2)}\n`);
  const env = { HOME: person, APPDATA: join(person, 'AppData/Roaming'), XDG_CONFIG_HOME: join(person, '.config') };
  try {
    await using desktop = await Desktop.open({ home, env });
    await expect.poll(() => desktop.trayLabels()).toContain('Install into Claude Desktop');
    await desktop.clickTray('install');
    const servers = (): string[] =>
      Object.keys((JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: object }).mcpServers);
    await expect.poll(servers, { timeout: 30_000 }).toEqual(['own', 'tooltray']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject(before);
    await expect.poll(() => desktop.trayLabels()).not.toContain('Install into Claude Desktop');
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** Finds servers in the config files of apps, and respects the rules of each app when it is connected. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { knownApp, type Machine } from '../../../src-main/core/client-apps/app-files.ts';
import { ChangeJournal } from '../../../src-main/core/client-apps/change-journal.ts';
import { findApps } from '../../../src-main/core/client-apps/find-apps.ts';
import { findImportOffers } from '../../../src-main/core/client-apps/import-offers.ts';
import { foundImportFiles } from '../../../src-main/core/client-apps/import-places.ts';
import { installEntry, planInstall, uninstallEntries } from '../../../src-main/core/client-apps/install.ts';
import { strictWarning } from '../../../src-main/core/client-apps/formats/strict-json.ts';

let home = '';

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tooltray-places-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<string> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

async function found() {
  const machine: Machine = { home, env: {}, platform: 'linux' };
  const apps = await findApps(machine, new Set());
  const there = await Promise.all(
    apps.map(async (app) => ({ app, text: await readFile(app.file).catch(() => undefined) })),
  );
  const places = there.flatMap(({ app, text }) => (text === undefined ? [] : [app]));
  const files = await foundImportFiles(machine, new Set(places.map(({ file }) => file)));
  return findImportOffers(places, [], machine, [], files);
}

const servers = (key: string): string => JSON.stringify({ [key]: { s: { command: 'own' } } });

test.each([
  ['.config/VSCodium/User/mcp.json', servers('servers')],
  ['.config/Code/User/profiles/-7f3a/mcp.json', servers('servers')],
  ['.config/Code/User/settings.json', JSON.stringify({ mcp: { servers: { s: { command: 'own' } } } })],
  ['.vscode-server/data/User/mcp.json', servers('servers')],
  ['.var/app/com.visualstudio.code/config/Code/User/mcp.json', servers('servers')],
  ['snap/code/current/.config/Code/User/mcp.json', servers('servers')],
  ['.config/Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json', servers('mcpServers')],
  ['.config/Code/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json', servers('mcpServers')],
  ['.config/kilo/kilo.json', servers('mcp')],
  ['.qwen/settings.json', servers('mcpServers')],
  ['.config/crush/crush.json', servers('mcp')],
  ['.continue/config.yaml', 'mcpServers:\n  - name: s\n    command: own\n'],
  ['.continue/mcpServers/s.yaml', 'mcpServers:\n  - name: s\n    command: own\n'],
  ['.aws/amazonq/mcp.json', servers('mcpServers')],
  ['.aws/amazonq/cli-agents/mine.json', servers('mcpServers')],
  ['.factory/mcp.json', servers('mcpServers')],
  ['.config/1mcp/mcp.json', servers('mcpServers')],
  ['.config/mcphub/servers.json', "{ servers: { s: { command: 'own' } } }"],
  ['.augment/settings.json', servers('mcpServers')],
  ['.warp/mcp.json', servers('mcpServers')],
  ['.local/share/code-server/User/mcp.json', servers('servers')],
  ['.config/Trae/User/mcp.json', servers('servers')],
  [
    '.config/Antigravity/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json',
    servers('mcpServers'),
  ],
  ['snap/code-insiders/current/.config/Code - Insiders/User/mcp.json', servers('servers')],
  ['.var/app/dev.zed.Zed/config/zed/settings.json', servers('context_servers')],
  ['.continue/assistants/mine.yaml', 'mcpServers:\n  - name: s\n    command: own\n'],
  ['.local/share/crush/crush.json', servers('mcp')],
  ['.kiro/powers/installed/x/mcp.json', servers('mcpServers')],
  ['.qwen/extensions/x/qwen-extension.json', servers('mcpServers')],
  ['.vibe/config.toml', '[[mcp_servers]]\nname = "s"\ntransport = "stdio"\ncommand = "own"\n'],
  ['.openhands/config.toml', '[mcp]\nstdio_servers = [{ name = "s", command = "own" }]\n'],
  ['.codeium/mcp_config.json', servers('mcpServers')],
  ['.config/anythingllm-desktop/storage/plugins/anythingllm_mcp_servers.json', servers('mcpServers')],
])('offers servers in %s', async (path, text) => {
  await put(path, text);
  const { offers, skipped } = await found();
  expect(offers.map(({ name, entry, places, sources }) => [name, entry, places.length + sources.length])).toEqual([
    ['s', { command: 'own' }, 1],
  ]);
  expect(skipped).toEqual([]);
});

test('names an unreadable file with its app, line and cause', async () => {
  await put('.cursor/mcp.json', '{\n  "mcpServers": {\n    "a": { "command": "x" }\n    "b": {}\n  }\n}');
  await put('.continue/config.yaml', 'mcpServers: [\n');
  const { offers, skipped } = await found();
  expect(offers).toEqual([]);
  expect(skipped[0]).toMatch(/^Cursor's ~\/\.cursor\/mcp\.json was not read: line 4, a comma is missing\./);
  expect(skipped[1]).toMatch(/^Continue's ~\/\.continue\/config\.yaml was not read: line \d, /);
});

test.each([
  ['{\n  "mcpServers": {}\n  "a": 1\n}', /line 3, a comma is missing/],
  ['{ "mcpServers": {}, "mcpServers": {} }', /twice/],
])('names the file that cannot be changed, and the cause: %j', async (text, cause) => {
  const file = await put('.cursor/mcp.json', text);
  const place = { app: knownApp('cursor'), file };
  const launch = { command: '/opt/tooltray', args: ['stdio'] };
  const journal = new ChangeJournal(join(home, 'journal'));
  for (const change of [() => planInstall(place, launch, journal), () => installEntry(place, launch, { journal })])
    await expect(change()).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(new RegExp(`^${file}.*${cause.source}`)) as string,
    });
});

test.each(['\uFEFF{}', '{ // mine\n}', '{ "a": 1, }'])(
  'warns about a file that an app with plain JSON cannot read: %j',
  async (text) => {
    const file = await put('claude_desktop_config.json', text);
    expect(await strictWarning({ app: knownApp('claude-desktop'), file })).toContain('plain JSON');
    expect(await strictWarning({ app: knownApp('vscode'), file })).toBeUndefined();
    await writeFile(file, '{}');
    expect(await strictWarning({ app: knownApp('claude-desktop'), file })).toBeUndefined();
  },
);

test('names all that an app with plain JSON cannot read', async () => {
  const file = await put('claude_desktop_config.json', '\uFEFF{ // mine\n}');
  const warning = await strictWarning({ app: knownApp('claude-desktop'), file });
  expect(warning).toMatch(/byte order mark.*comments/);
});

test('adds and removes its name in the allowed servers of Gemini with the entry', async () => {
  const file = await put('settings.json', '{\n  // mine\n  "mcp": { "allowed": ["a"] }\n}\n');
  const place = { app: knownApp('gemini-cli'), file };
  const journal = new ChangeJournal(join(home, 'journal'));
  await installEntry(place, { command: '/opt/x', args: ['stdio'] }, { journal });
  expect(await readFile(file, 'utf8')).toContain('"allowed": ["a", "tooltray"]');
  await uninstallEntries(place, journal);
  expect(await readFile(file, 'utf8')).toContain('"mcp": { "allowed": ["a"] }');
});

/** Repairs Tooltray entries in client apps with a launcher that no longer exists. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { knownApp } from '../../../src-main/core/client-apps/app-files.ts';
import type { AppConfigFile } from '../../../src-main/core/client-apps/update-app-file.ts';
import { ChangeJournal } from '../../../src-main/core/client-apps/change-journal.ts';
import { tooltrayLaunches, repairEntries } from '../../../src-main/core/client-apps/tooltray-launch.ts';
import type { StdioLaunch } from '../../../src-main/core/client-apps/known-app.ts';

let home = '';

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tooltray-own-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

const wanted = (app: string): StdioLaunch => ({ command: process.execPath, args: ['stdio', '--app', app] });

async function entry(app: string, path: string, text: string): Promise<AppConfigFile> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return { app: knownApp(app), file };
}

const repair = (places: readonly AppConfigFile[], problems: string[] = []) =>
  repairEntries(places, wanted, new ChangeJournal(join(home, 'journal')), ({ file }) => problems.push(file));

test('replaces a moved launcher and keeps the other fields of the entry', async () => {
  const gone = { command: '/gone/tooltray', args: ['stdio', '--app', 'cursor'], disabled: true };
  const place = await entry('cursor', 'a.json', `// mine\n${JSON.stringify({ mcpServers: { tooltray: gone } })}\n`);
  const codex = await entry(
    'codex',
    'b.toml',
    '[mcp_servers.tooltray]\ncommand = "/gone/tooltray" # ours\nargs = ["stdio"]\n',
  );
  const changes = await repair([place, codex]);
  expect(changes.map(({ app, action }) => [app, action])).toEqual([
    ['cursor', 'repair'],
    ['codex', 'repair'],
  ]);
  const text = await readFile(place.file, 'utf8');
  expect(text.startsWith('// mine\n')).toBe(true);
  expect(JSON.parse(text.slice('// mine\n'.length))).toEqual({
    mcpServers: { tooltray: { ...wanted('cursor'), disabled: true } },
  });
  expect(await readFile(codex.file, 'utf8')).toContain(JSON.stringify(process.execPath));
});

test.each<[string, object]>([
  ['an entry that works', { command: process.execPath, args: ['elsewhere', 'stdio'] }],
  ['an entry of another instance', { command: '/gone/tooltray', args: ['stdio'], env: { TOOLTRAY_HOME: '/other' } }],
  ['an entry by address', { url: 'http://127.0.0.1:8690/mcp/app/cursor' }],
])('leaves %s unchanged', async (_, ours) => {
  const before = JSON.stringify({ mcpServers: { tooltray: ours } });
  const place = await entry('cursor', 'a.json', before);
  expect([await repair([place]), await readFile(place.file, 'utf8')]).toEqual([[], before]);
});

test('repairs the other files if one cannot be parsed', async () => {
  const broken = await entry('cursor', 'a.json', '{ "mcpServers": {');
  const good = await entry('cursor', 'b.json', '{"mcpServers":{"tooltray":{"command":"/gone/tooltray","args":[]}}}');
  expect((await repair([broken, good])).map(({ file }) => file)).toEqual([good.file]);
});

test('uses the launcher of the installed app if it exists', async () => {
  const own = { dataDir: home, platform: 'linux', command: ['/n/node', '/d/cli.js'], home: undefined } as const;
  expect(tooltrayLaunches(own, 'cursor')).toEqual([
    { command: '/n/node', args: ['/d/cli.js', 'stdio', '--app', 'cursor'] },
  ]);
  await entry('cursor', 'bin/tooltray', '');
  expect(tooltrayLaunches(own, 'cursor').map(({ command }) => command)).toEqual([
    join(home, 'bin/tooltray'),
    '/n/node',
  ]);
  const [first] = tooltrayLaunches({ ...own, home: '/private' }, 'cursor');
  expect(first.env).toEqual({ TOOLTRAY_HOME: '/private' });
});

/** Finds launches to offer for a server that does not start. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { maskedChange } from '../../../src-main/core/trust/launch-change.ts';
import {
  type HealCandidate,
  findHealCandidates,
  healSources,
} from '../../../src-main/core/client-apps/heal-candidates.ts';

let home = '';

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tooltray-heal-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

const there = new Set(['good', 'npx', 'uvx', 'node', 'python3']);

async function put(path: string, content: unknown): Promise<void> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
}

function offers(
  written: Record<string, unknown>,
  server = 'x',
  variables: Record<string, string> = {},
): Promise<readonly HealCandidate[]> {
  const find = async (command: string, env: Readonly<Record<string, string>>): Promise<string | undefined> =>
    there.has(command) && env['PATH'] === undefined ? `/bin/${command}` : undefined;
  return findHealCandidates(server, written, { machine: { env: variables, platform: 'linux', home }, find });
}

const bundle = (executable: string, ...args: string[]) => ({ genericBundle: { run: { executable, args } } });
const servers = (entry: Record<string, unknown>, name = 'x') => ({ mcpServers: { [name]: entry } });
const broken = { command: 'gone-from-here' };

const places: readonly [source: string, path: string, content: unknown][] = [
  ['mcp-registry', '.config/smithy-mcp/bundles/x.json', bundle('good', 'registry')],
  ['user-bundles', '.aim/bundles/x.json', bundle('good', 'user')],
  ['shared-config', '.config/mcp/config.json', servers({ command: 'good', args: ['xdg'] })],
  ['claude-desktop', '.config/Claude/claude_desktop_config.json', servers({ command: 'good', args: ['claude'] })],
  ['cursor', '.cursor/mcp.json', servers({ command: 'good', args: ['cursor'] })],
];

test.each(places)('finds a launch in %s', async (source, path, content) => {
  await put(path, content);
  expect((await offers(broken)).map((offer) => [offer.source.id, offer.file])).toEqual([[source, join(home, path)]]);
});

test('lists the five places in the order of ToolMux, and other apps after them', async () => {
  for (const [, path, content] of [...places].reverse()) await put(path, content);
  await put('.codex/config.toml', '[mcp_servers.x]\ncommand = "good"\nargs = ["codex"]\n');
  const found = await offers(broken);
  expect(found.map(({ source }) => source.id)).toEqual([...places.map(([source]) => source), 'codex']);
});

test.each([
  ['half a file', '{"mcpServers": {"x": {"command": "good"'],
  ['a list', '[]'],
  ['a bundle without a run', '{"genericBundle": {}}'],
  ['nothing', ''],
  ['an entry that is a text', '{"mcpServers": {"x": "good"}}'],
])('ignores %s', async (_, text) => {
  await put('.config/smithy-mcp/bundles/x.json', text);
  await put('.config/mcp/config.json', text);
  await put('.cursor/mcp.json', servers({ command: 'good' }));
  expect((await offers(broken)).map(({ source }) => source.id)).toEqual(['cursor']);
});

test('takes over variables and folder, and keeps the other fields of the entry', async () => {
  await put(
    '.cursor/mcp.json',
    servers({ command: 'good', args: ['a'], env: { KEY: 'theirs', NEW: '1' }, cwd: '/srv' }),
  );
  const written = { command: 'gone', args: ['old'], env: { KEY: 'old', OWN: '2' }, description: 'Mine', lazy: true };
  expect((await offers(written))[0]?.entry).toEqual({
    command: 'good',
    args: ['a'],
    env: { KEY: 'theirs', OWN: '2', NEW: '1' },
    cwd: '/srv',
    description: 'Mine',
    lazy: true,
  });
});

test('takes over variables and folder of a bundle', async () => {
  const run = { executable: 'good', args: ['a'], env: { KEY: 'theirs' }, cwd: '/srv' };
  await put('.aim/bundles/x.json', { genericBundle: { run } });
  expect((await offers(broken))[0]?.entry).toEqual({
    command: 'good',
    args: ['a'],
    env: { KEY: 'theirs' },
    cwd: '/srv',
  });
});

test('looks in the ToolMux places below ~/.config even if configs are elsewhere', async () => {
  await put('.config/smithy-mcp/bundles/x.json', bundle('good', 'registry'));
  await put('.config/mcp/config.json', servers({ command: 'good', args: ['shared'] }));
  await put('elsewhere/mcp/config.json', servers({ command: 'good', args: ['here'] }));
  const found = await offers(broken, 'x', { XDG_CONFIG_HOME: join(home, 'elsewhere') });
  expect(found.map(({ endpoint }) => endpoint)).toEqual(['good registry', 'good here', 'good shared']);
});

test('offers an address as a server over HTTP, not as a command', async () => {
  await put('.cursor/mcp.json', servers({ url: 'https://example.com/mcp', headers: { 'X-Key': 'k' } }));
  const written = { command: 'gone', args: ['old'], env: { A: 'b' }, cwd: '/srv' };
  expect((await offers(written))[0]?.entry).toEqual({ url: 'https://example.com/mcp', headers: { 'X-Key': 'k' } });
});

test('finds a launch of the same package under another name', async () => {
  await put('.cursor/mcp.json', servers({ command: 'npx', args: ['-y', '@acme/files@2.1.0', '/home'] }, 'documents'));
  const found = await offers({ command: '/opt/node20/bin/npx-gone', args: ['@acme/files', '/home'] });
  expect(found).toEqual([]);
  const byPackage = await offers({ command: '/opt/gone/npx', args: ['@acme/files@1.0.0', '/home'] });
  expect(byPackage.map(({ source, endpoint }) => [source.id, endpoint])).toEqual([
    ['own-command', 'npx @acme/files@1.0.0 /home'],
    ['cursor', 'npx -y @acme/files@2.1.0 /home'],
  ]);
});

test('offers no equal or unavailable launch, and not Tooltray itself', async () => {
  await put('.cursor/mcp.json', servers(broken));
  await put('.config/mcp/config.json', servers({ command: 'also-gone' }));
  await put('.aim/bundles/x.json', bundle('npx', 'tooltray', 'stdio', '--app', 'cursor'));
  expect(await offers(broken)).toEqual([]);
});

test('offers the same command with variables that are missing here', async () => {
  await put('.cursor/mcp.json', servers({ command: 'good', env: { API_KEY: 'k' } }));
  expect((await offers({ command: 'good' })).map(({ entry }) => entry)).toEqual([
    { command: 'good', env: { API_KEY: 'k' } },
  ]);
});

test('shows the package that a runner runs, even after a secret option, and hidden characters', async () => {
  const entry = { command: 'npx', args: ['--token', 'evil-package', 'a\u200b'], env: { API_TOKEN: '$(curl evil)' } };
  await put('.cursor/mcp.json', servers(entry));
  expect((await offers(broken))[0]?.endpoint).toBe('npx --token evil-package a⟨U+200B⟩ with env {"API_TOKEN":"***"}');
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['a moved node', { command: '/old/bin/node', args: ['s.js'] }, { command: 'node', args: ['s.js'] }],
  ['a script of Windows', { command: 'npx.cmd', args: ['p'] }, { command: 'npx', args: ['p'] }],
  ['a shell of Windows', { command: 'cmd', args: ['/c', 'npx', 'p'] }, { command: 'npx', args: ['p'] }],
  [
    'a path of Windows',
    { command: 'C:\\Program Files\\nodejs\\npx.cmd', args: ['p'] },
    { command: 'npx', args: ['p'] },
  ],
  ['python under its other name', { command: 'python', args: ['s.py'] }, { command: 'python3', args: ['s.py'] }],
])('finds %s', async (_, written, entry) => {
  const [offer] = await offers(written);
  expect([offer?.source.id, offer?.entry]).toEqual(['own-command', entry]);
});

test('removes a PATH that hides the command, and keeps the other variables', async () => {
  const env = { PATH: '/old/node/bin', KEY: '1' };
  expect((await offers({ command: 'npx', args: ['p'], env }))[0]?.entry).toEqual({
    command: 'npx',
    args: ['p'],
    env: { KEY: '1' },
  });
  expect((await offers({ command: '/old/node/bin/npx', env: { PATH: '/old/node/bin' } }))[0]?.entry).toEqual({
    command: 'npx',
  });
});

test('does not take a missing relative path for a command of that name', async () => {
  expect(await offers({ command: './tools/node' })).toEqual([]);
});

test('uses the Windows places on Windows and the macOS places on macOS', () => {
  const env = { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming', LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local' };
  const windows = healSources({ env, platform: 'win32', home: 'C:\\Users\\ada' }).map(({ path }) => path);
  expect(windows).toEqual(
    expect.arrayContaining([
      'C:\\Users\\ada\\.config\\smithy-mcp\\bundles',
      'C:\\Users\\ada\\AppData\\Roaming\\smithy-mcp\\bundles',
      'C:\\Users\\ada\\.aim\\bundles',
      'C:\\Users\\ada\\AppData\\Roaming\\mcp\\config.json',
      'C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
      'C:\\Users\\ada\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json',
      'C:\\Users\\ada\\.cursor\\mcp.json',
    ]),
  );
  const mac = healSources({ env: {}, platform: 'darwin', home: '/Users/ada' });
  expect(mac.find(({ id }) => id === 'claude-desktop')?.path).toBe(
    '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
  );
});

/** Like `offers`, with a vault and an environment. */
async function offersWith(
  values: Record<string, string>,
  written: Record<string, unknown>,
  server = 'x',
): Promise<readonly HealCandidate[]> {
  return findHealCandidates(server, written, {
    machine: { env: {}, platform: 'linux', home },
    find: async (command) => (there.has(command) ? `/bin/${command}` : undefined),
    readValue: async (source, name) => values[`${source} ${name}`],
  });
}

const token = 'ghp_R4nd0mTokenOfTwentyChars99';

test.each<[string, Record<string, unknown>, Record<string, unknown>, Record<string, unknown>]>([
  ['a variable', { env: { T: '${secret:X}' } }, { env: { T: token } }, { env: { T: '${secret:X}' } }],
  ['a variable of another value', { env: { T: '${secret:X}' } }, { env: { T: 'o' } }, { env: { T: '${secret:X}' } }],
  ['a variable of the login', { env: { T: '${env:E}' } }, { env: { T: token } }, { env: { T: '${env:E}' } }],
  [
    'another variable of that value',
    { env: { T: '${secret:X}' } },
    { env: { OTHER: token } },
    { env: { T: '${secret:X}', OTHER: '${secret:X}' } },
  ],
  ['an argument', { args: ['--token', '${secret:X}'] }, { args: ['a', token] }, { args: ['a', '${secret:X}'] }],
  [
    'an option of another value',
    { args: ['--token', '${secret:X}'] },
    { args: ['a', '--token', 'other'] },
    { args: ['a', '--token', '${secret:X}'] },
  ],
  [
    'a part of an argument',
    { args: ['--token=${secret:X}'] },
    { args: [`--header=Bearer ${token}`] },
    { args: ['--header=Bearer ${secret:X}'] },
  ],
])('keeps the reference: %s', async (_, written, found, expected) => {
  await put('.cursor/mcp.json', servers({ command: 'good', ...found }));
  const values = { 'secret X': token, 'env E': token };
  expect((await offersWith(values, { command: 'gone', ...written }))[0]?.entry).toEqual({
    command: 'good',
    ...expected,
  });
});

test('keeps the references in a header and in an address', async () => {
  await put(
    '.cursor/mcp.json',
    servers({ url: `https://example.com/mcp?k=${token}`, headers: { authorization: `Bearer ${token}` } }),
  );
  const own = { url: 'https://example.com/old', headers: { Authorization: 'Bearer ${secret:X}' } };
  expect((await offersWith({ 'secret X': token }, own))[0]?.entry).toEqual({
    url: 'https://example.com/mcp?k=${secret:X}',
    headers: { Authorization: 'Bearer ${secret:X}' },
  });
});

test('offers nothing if only the notation of a value differs', async () => {
  await put('.cursor/mcp.json', servers({ command: 'good', args: ['--token', token], env: { T: token } }));
  const own = { command: 'good', args: ['--token', '${secret:X}'], env: { T: '${env:E}' } };
  expect(await offersWith({ 'secret X': token, 'env E': token }, own)).toEqual([]);
});

test('masks secrets of an offer', async () => {
  await put(
    '.cursor/mcp.json',
    servers({
      command: 'good',
      args: ['--key', 'k3yOfManyLetters42', 's3cretOfManyLetters42'],
      env: { API_TOKEN: 's3cretOfManyLetters42', PLAIN: 'yes' },
    }),
  );
  const [offer] = await offersWith({}, broken);
  expect(offer?.endpoint).toBe('good --key *** *** with env {"API_TOKEN":"***","PLAIN":"yes"}');
});

const files = { command: 'npx-gone', args: ['-y', '@acme/files@1.0.0', '/home/ada/docs'] };

test.each<[string, Record<string, unknown>, string]>([
  ['another folder', { command: 'npx', args: ['@acme/files', '/home/ada/docs', '/srv/all'] }, '/srv/all'],
  ['a folder above', { command: 'npx', args: ['@acme/files', '/home/ada'] }, '/home/ada'],
  ['a folder behind a flag', { command: 'npx', args: ['@acme/files', '--root=/srv/x.d'] }, '/srv/x.d'],
  ['a way up', { command: 'npx', args: ['@acme/files', '/home/ada/docs/../..'] }, '/home/ada/docs/../..'],
  ['a folder in a variable', { command: 'npx', args: ['@acme/files'], env: { ROOTS: '/home/ada/docs:/srv' } }, '/srv'],
  ['a working folder', { command: 'npx', args: ['@acme/files'], cwd: '/srv' }, '/srv'],
  ['a mount', { command: 'good', args: ['run', '-v', '/:/host', 'image'] }, '/'],
  ['a host', { command: 'npx', args: ['@acme/files', '--allow-host', 'evil.example'] }, 'evil.example'],
  ['an address', { url: 'https://evil.example/mcp' }, 'evil.example'],
  [
    'packages from elsewhere',
    { command: 'npx', args: ['--registry=https://evil.example', '@acme/files'] },
    'evil.example',
  ],
  ['another package', { command: 'npx', args: ['@evil/files'] }, '@evil/files'],
])('names access beyond the current launch: %s', async (_, found, named) => {
  await put('.cursor/mcp.json', servers(found));
  const own = { ...files, command: found['command'] === 'npx' ? '/opt/gone/npx' : files.command };
  const offer = (await offersWith({}, own)).find(({ source }) => source.id === 'cursor');
  expect(offer?.reach.join(' ')).toContain(named);
});

test('names no access if there is none more, and the name of another server with the launch', async () => {
  const own = { ...files, command: '/opt/gone/npx' };
  const less = { command: 'npx', args: ['@acme/files@2.0.0', '/home/ada/docs/a'] };
  await put('.cursor/mcp.json', servers(less));
  await put('.config/mcp/config.json', servers({ ...less, args: [...less.args, '--v'] }, 'all-files'));
  const found = (await offersWith({}, own)).filter(({ source }) => source.id !== 'own-command');
  expect(found.map(({ source, reach }) => [source.id, reach.length])).toEqual([
    ['cursor', 0],
    ['shared-config', 1],
  ]);
});

test('masks both sides of a change and marks a secret with another value', () => {
  const before = { command: 'a', env: { API_TOKEN: 'first-value-1', SAME_TOKEN: 'same-value-1', PLAIN: 'x' } };
  const entry = { command: 'a', env: { API_TOKEN: 'second-value-2', SAME_TOKEN: 'same-value-1', PLAIN: 'y' } };
  expect(maskedChange(before, entry)).toEqual({
    before: { command: 'a', env: { API_TOKEN: '***', SAME_TOKEN: '***', PLAIN: 'x' } },
    entry: { command: 'a', env: { API_TOKEN: '*** (different value)', SAME_TOKEN: '***', PLAIN: 'y' } },
  });
});

/** Lists the importable servers of installed apps, and imports, moves, restores them, with secrets in the vault. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { configFormatFor, knownApp } from '../../../src-main/core/client-apps/app-files.ts';
import type { AppConfigFile } from '../../../src-main/core/client-apps/update-app-file.ts';
import { ChangeJournal } from '../../../src-main/core/client-apps/change-journal.ts';
import {
  findImportOffers as findOffers,
  type ExistingServer,
} from '../../../src-main/core/client-apps/import-offers.ts';
import { ImportHistory } from '../../../src-main/core/client-apps/import-history.ts';
import {
  type ImportDeps,
  importServers,
  type ImportOptions,
  undoImport,
} from '../../../src-main/core/client-apps/import-servers.ts';
import { ConfigStore } from '../../../src-main/core/config/config-store.ts';
import { SystemKeychain } from '../../../src-main/core/secrets/keychain.ts';
import { SecretService } from '../../../src-main/core/secrets/secret-service.ts';
import { filesHolding } from '../../support/files-holding.ts';
import { plainVault } from '../../support/plain-vault.ts';

const importOffers = async (...given: Parameters<typeof findOffers>) => (await findOffers(...given)).offers;

const stay: ImportOptions = { move: false, seal: false };
const away: ImportOptions = { move: true, seal: false };
let home = '';
let config = new Map<string, unknown>();

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tooltray-import-'));
  config = new Map();
});

afterEach(() => rm(home, { recursive: true, force: true }));

async function put(app: string, path: string, text: string): Promise<AppConfigFile> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return { app: knownApp(app), file };
}

const cursor = (servers: object): Promise<AppConfigFile> =>
  put('cursor', '.cursor/mcp.json', `// mine\n${JSON.stringify({ mcpServers: servers }, null, 2)}\n`);

/** A SecretService with its own config, so that missing secrets of its servers do not count. */
async function desk(): Promise<SecretService> {
  const file = join(home, 'config.json');
  await writeFile(file, '{}');
  const store = await ConfigStore.open(file);
  // Nothing listens on its bus.
  const keychain = new SystemKeychain({ DBUS_SESSION_BUS_ADDRESS: '' });
  return new SecretService({
    vault: plainVault(home),
    config: store,
    folders: [join(home, 'journal')],
    keychain,
  });
}

function deps(): ImportDeps {
  return {
    journal: new ChangeJournal(join(home, 'journal')),
    records: new ImportHistory(join(home, 'imports')),
    names: () => Promise.resolve([...config.keys()]),
    add: async (servers) => servers.forEach(({ name, entry }) => config.set(name, entry)),
    remove: async (names) => names.filter((name) => config.delete(name)),
    secrets: {
      sealEntry: async (...given) => (await desk()).sealEntry(...given),
      importKeyring: async (...given) => (await desk()).importKeyring(...given),
      copies: async (...given) => (await desk()).copies(...given),
    },
    grant: () => Promise.resolve(),
    connect: (text, { app }) =>
      configFormatFor(app).set(text, [...app.container, 'tooltray'], { command: '/opt/tooltray' }),
  };
}

const here = (...servers: ExistingServer[]): readonly ExistingServer[] => servers;

test('offers a server of two apps once under any name, and two accounts of a service twice', async () => {
  const places = [
    await cursor({
      files: { command: 'npx', args: ['-y', '@acme/files'] },
      work: { command: 'npx', args: ['@acme/mail'], env: { USER: 'work' } },
      home: { command: 'npx', args: ['@acme/mail'], env: { USER: 'home' } },
    }),
    await put('codex', '.codex/config.toml', '[mcp_servers.docs]\ncommand = "npx.cmd"\nargs = ["@acme/files"]\n'),
  ];
  const offers = await importOffers(places, [], { home, env: {}, platform: 'linux' });
  expect(offers.map(({ name, places: from }) => [name, from.map(({ app }) => app.id)])).toEqual([
    ['files', ['cursor', 'codex']],
    ['work', ['cursor']],
    ['home', ['cursor']],
  ]);
  expect(new Set(offers.map(({ id }) => id)).size).toBe(3);
});

test('marks servers that exist by their launch, and does not offer the Tooltray entry', async () => {
  const place = await cursor({
    a: { command: 'npx', args: ['-y', 'pkg'] },
    b: { url: 'https://example.com/mcp/' },
    tooltray: { command: 'tooltray', args: ['stdio'] },
  });
  const known = here(
    { name: 'mine', entry: { command: '/usr/bin/npx', args: ['pkg'] } },
    { name: 'net', entry: { url: 'https://example.com/mcp' } },
  );
  expect(
    (await importOffers([place], known, { home, env: {}, platform: 'linux' })).map(({ name, already }) => [
      name,
      already,
    ]),
  ).toEqual([
    ['a', 'mine'],
    ['b', 'net'],
  ]);
});

test.each<[string, string, string, object]>([
  [
    'codex',
    '.codex/config.toml',
    '[mcp_servers.s]\ncommand = "c"\n[mcp_servers.s.env]\nA = "1"\n',
    { command: 'c', env: { A: '1' } },
  ],
  [
    'codex',
    '.codex/config.toml',
    '[mcp_servers.s]\nurl = "https://h/mcp"\nbearer_token_env_var = "TOKEN"\n',
    { url: 'https://h/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } },
  ],
  [
    'opencode',
    '.config/opencode/opencode.json',
    '{"mcp":{"s":{"type":"local","command":["c","a"],"environment":{"A":"{env:B}"},"enabled":false}}}',
    { command: 'c', args: ['a'], env: { A: '${env:B}' }, enabled: false },
  ],
  [
    'goose',
    '.config/goose/config.yaml',
    'extensions:\n  s:\n    type: stdio\n    cmd: c\n    args: [a]\n    envs: {A: b}\n    enabled: true\n',
    { command: 'c', args: ['a'], env: { A: 'b' } },
  ],
  [
    'windsurf',
    '.codeium/windsurf/mcp_config.json',
    '{"mcpServers":{"s":{"serverUrl":"https://h/mcp"}}}',
    { url: 'https://h/mcp' },
  ],
  [
    'vscode',
    '.config/Code/User/mcp.json',
    '{"servers":{"s":{"type":"sse","url":"https://h/sse","headers":{"K":"${input:k}"}}}}',
    { url: 'https://h/sse', type: 'sse', headers: { K: '${input:k}' } },
  ],
  [
    'claude-code',
    '.claude.json',
    '{"mcpServers":{"s":{"type":"stdio","command":"c","env":{"K":"${KEY:-none}"}}}}',
    { command: 'c', env: { K: '${env:KEY:-none}' } },
  ],
  [
    'zed',
    '.config/zed/settings.json',
    '{"context_servers":{"s":{"source":"custom","command":"c","args":["a"],},},}',
    { command: 'c', args: ['a'] },
  ],
  ['amp', '.config/amp/settings.json', '{"amp.mcpServers":{"s":{"command":"c"}}}', { command: 'c' }],
  [
    'cline',
    'x.json',
    '{"mcpServers":{"s":{"command":"c","disabled":true,"autoApprove":[]}}}',
    { command: 'c', enabled: false },
  ],
  [
    'cline',
    'x.json',
    '{"mcpServers":{"s":{"base_url":"http://localhost:9000","transport":"http"}}}',
    { url: 'http://localhost:9000/mcp' },
  ],
  [
    'cline',
    'x.json',
    '{"mcpServers":{"s":{"source":"https://x","command":"npx -y \\"a b\\""}}}',
    { command: 'npx', args: ['-y', 'a b'] },
  ],
  [
    'cline',
    'x.json',
    '{"mcpServers":{"s":{"source":"x","uri":"https://h/sse","transport":{"headers":{"K":"v"}}}}}',
    { url: 'https://h/sse', type: 'sse', headers: { K: 'v' } },
  ],
  ['cline', 'x.json', '{"mcpServers":{"s":{"command":"c","quarantined":true}}}', { command: 'c', quarantined: true }],
])('converts an entry of %s (%s)', async (app, path, text, entry) => {
  const offers = await importOffers([await put(app, path, text)], [], { home, env: {}, platform: 'linux' });
  expect(offers.map((offer) => [offer.name, offer.entry])).toEqual([['s', entry]]);
});

test('names settings with secrets without their values', async () => {
  const place = await cursor({
    s: {
      command: 'npx',
      args: ['p', '--api-key', 'abcdef0123456789', '--token=ghp_0123456789abcdefghijklmnopqrstuvwxyz'],
      env: {
        GITHUB_TOKEN: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz',
        NODE_ENV: 'production',
        REF: '${env:SECRET_KEY}',
      },
    },
  });
  const [offer] = await importOffers([place], [], { home, env: {}, platform: 'linux' });
  expect(offer?.secrets).toEqual(['GITHUB_TOKEN', '--api-key', '--token']);
});

test('numbers taken names and rejects a chosen name that is taken', async () => {
  const offers = await importOffers([await cursor({ a: { command: 'one' }, b: { command: 'two' } })], [], {
    home,
    env: {},
    platform: 'linux',
  });
  config.set('a', {});
  const [a, b] = offers;
  if (a === undefined || b === undefined) throw new Error('two were written');
  await expect(importServers([{ offer: b, name: 'a' }], stay, deps())).rejects.toMatchObject({
    code: 'config_conflict',
  });
  const outcome = await importServers(
    [
      { offer: a, name: 'a' },
      { offer: b, name: 'beta' },
    ],
    stay,
    deps(),
  );
  expect([outcome.added, outcome.sentence]).toEqual([['a-2', 'beta'], 'Added: a-2, beta.']);
});

test('moves the chosen servers out of the app, and one undo restores the exact file', async () => {
  const place = await cursor({ a: { command: 'one' }, b: { command: 'two' } });
  const before = await readFile(place.file, 'utf8');
  const [a] = await importOffers([place], [], { home, env: {}, platform: 'linux' });
  if (a === undefined) throw new Error('it was written');
  const { undo, sentence } = await importServers([{ offer: a, name: 'a' }], away, deps());
  expect(sentence).toBe(`Added: a. Replaced by Tooltray in ${place.file}.`);
  const after = await readFile(place.file, 'utf8');
  expect(after).toContain('// mine');
  expect(Object.keys(configFormatFor(place.app).read(after)['mcpServers'] as object)).toEqual(['b', 'tooltray']);

  expect(await undoImport(undo ?? '', deps())).toBe(`Removed: a. ${place.file} was restored.`);
  expect([await readFile(place.file, 'utf8'), [...config.keys()]]).toEqual([before, []]);
});

test('rejects the undo of an import if the app has written its file since', async () => {
  const place = await cursor({ a: { command: 'one' } });
  const [a] = await importOffers([place], [], { home, env: {}, platform: 'linux' });
  if (a === undefined) throw new Error('it was written');
  const { undo } = await importServers([{ offer: a, name: 'a' }], away, deps());
  const changed = `${await readFile(place.file, 'utf8')}\n`;
  await writeFile(place.file, changed);
  await expect(undoImport(undo ?? '', deps())).rejects.toMatchObject({ code: 'config_conflict' });
  expect([await readFile(place.file, 'utf8'), [...config.keys()]]).toEqual([changed, ['a']]);
});

test('keeps the entries of an app file that cannot be edited and imports the servers', async () => {
  const place = await cursor({ a: { command: 'one' } });
  const [a] = await importOffers([place], [], { home, env: {}, platform: 'linux' });
  if (a === undefined) throw new Error('it was written');
  await writeFile(place.file, '{ "mcpServers": {');
  const outcome = await importServers([{ offer: a, name: 'a' }], away, deps());
  expect([outcome.added, await readFile(place.file, 'utf8')]).toEqual([['a'], '{ "mcpServers": {']);
  expect(outcome.sentence).toContain(`${place.file} was not changed:`);
});

test('seals values before it writes, names plaintext copies, and keeps the values at undo', async () => {
  const entry = { command: 'one', env: { API_KEY: 'planted-in-app-1', MODE: 'fast' } };
  const place = await cursor({ a: entry });
  const [a] = await importOffers([place], [], { home, env: {}, platform: 'linux' });
  if (a === undefined) throw new Error('it was written');
  expect(a.sealable).toEqual([{ server: 'a', where: 'env API_KEY', name: 'API_KEY' }]);
  const parts = deps();
  const vault = plainVault(home);
  const kept: unknown[] = [];
  const add: ImportDeps['add'] = async (servers) => {
    kept.push(await vault.read('secret/API_KEY'));
    await parts.add(servers);
  };
  const outcome = await importServers([{ offer: a, name: 'a' }], { move: true, seal: true }, { ...parts, add });
  expect(kept).toEqual(['planted-in-app-1']);
  expect(config.get('a')).toEqual({ command: 'one', env: { API_KEY: '${secret:API_KEY}', MODE: 'fast' } });
  expect(outcome.sealed).toEqual([{ server: 'a', where: 'env API_KEY', name: 'API_KEY' }]);
  expect(outcome.copies.length).toBeGreaterThan(0);
  expect(await filesHolding(home, 'planted-in-app-1')).toEqual(outcome.copies);
  expect(JSON.stringify(outcome)).not.toContain('planted');
  expect(await undoImport(outcome.undo ?? '', parts)).toContain('Secrets that stay in the vault: API_KEY.');
  expect(await vault.read('secret/API_KEY')).toBe('planted-in-app-1');
});

test('names the file of an app that keeps its server as a plaintext copy', async () => {
  const place = await cursor({ a: { command: 'one', args: ['--api-key', 'planted-in-app-2'] } });
  const [a] = await importOffers([place], [], { home, env: {}, platform: 'linux' });
  if (a === undefined) throw new Error('it was written');
  const outcome = await importServers([{ offer: a, name: 'a' }], { move: false, seal: true }, deps());
  expect(outcome.copies).toEqual([place.file]);
  // A server whose secret was moved to the vault is the same; one with another account is not.
  const here = [{ name: 'a', entry: config.get('a') as JsonObject }];
  const other = await cursor({
    a: { command: 'one', args: ['--api-key', 'planted-in-app-2'] },
    b: { command: 'one', args: ['--api-key', 'planted-in-app-3'] },
  });
  const offers = await importOffers([other], here, { home, env: {}, platform: 'linux' });
  expect(offers.map(({ name, already }) => [name, already])).toEqual([
    ['a', 'a'],
    ['b', undefined],
  ]);
});

test('imports nothing if the vault is locked', async () => {
  const place = await cursor({ a: { command: 'one', env: { API_KEY: 'planted-in-app-4' } } });
  const [a] = await importOffers([place], [], { home, env: {}, platform: 'linux' });
  if (a === undefined) throw new Error('it was written');
  await plainVault(home).write('secret/OTHER', 'other-value');
  const [key] = (await readdir(join(home, 'secrets'))).filter((name) => name !== 'vault.json');
  await rm(join(home, 'secrets', key ?? ''));
  const done = importServers([{ offer: a, name: 'a' }], { move: true, seal: true }, deps());
  await expect(done).rejects.toMatchObject({ code: 'secret_locked' });
  expect([config.size, await readFile(place.file, 'utf8')]).toEqual([0, expect.stringContaining('planted-in-app-4')]);
});

test('reports keyring values that are unavailable, and does not read those in the vault', async () => {
  const place = await cursor({ a: { command: 'one', env: { A: '${keyring:A_KEY}', B: 'x ${keyring:HERE}' } } });
  await plainVault(home).write('secret/HERE', 'is here');
  const [a] = await importOffers([place], [], { home, env: {}, platform: 'linux' });
  if (a === undefined) throw new Error('it was written');
  expect(a.sealable.map(({ name, inKeychain }) => [name, inKeychain])).toEqual([
    ['A_KEY', true],
    ['HERE', true],
  ]);
  const outcome = await importServers([{ offer: a, name: 'a' }], { move: false, seal: true }, deps());
  expect(outcome.sentence).toMatch(/^Added: a\. A_KEY .+ \(.+\): tooltray secret set A_KEY$/);
  expect([outcome.sealed, outcome.copies]).toEqual([[], []]);
  expect(config.get('a')).toEqual(a.entry);
});

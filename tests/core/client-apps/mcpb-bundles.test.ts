/** Reads and unpacks MCP bundles (.mcpb) and builds server entries from them. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bundle, bundleEntry, readBundle, unpackBundle } from '../../../src-main/core/client-apps/mcpb-bundles.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-bundle-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const machine = { home: '/home/ada', platform: 'linux' } as const;

const manifest = {
  manifest_version: '0.3',
  name: 'files',
  version: '1.0.0',
  description: 'Reads files',
  author: { name: 'Ada' },
  server: {
    type: 'node',
    entry_point: 'server/index.js',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}/server/index.js', '${user_config.folders}', '--limit=${user_config.limit}'],
      env: { API_KEY: '${user_config.key}', CACHE: '${HOME}/.cache', NOTE: '${user_config.note}' },
      platform_overrides: { win32: { command: 'node.exe' } },
    },
  },
  user_config: {
    folders: { type: 'directory', title: 'Folders', multiple: true, default: ['${HOME}/Documents'] },
    limit: { type: 'number', title: 'Limit', default: 5 },
    key: { type: 'string', title: 'API key', required: true, sensitive: true },
    note: { type: 'string', title: 'Note' },
  },
};

async function bundleOf(files: Record<string, string>): Promise<Bundle> {
  const file = join(folder, 'b.mcpb');
  await writeFile(
    file,
    zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)]))),
  );
  return readBundle(file);
}

const whole = { 'manifest.json': JSON.stringify(manifest), 'server/index.js': 'console.log(1)' };

test('fills placeholders with the folder, defaults and chosen values', async () => {
  const bundle = await bundleOf(whole);
  expect(bundleEntry(bundle.manifest, '/b', { key: ['k'], folders: ['/a', '/c'] }, machine)).toEqual({
    command: 'node',
    args: ['/b/server/index.js', '/a', '/c', '--limit=5'],
    env: { API_KEY: 'k', CACHE: '/home/ada/.cache' },
    description: 'Reads files',
  });
  const onWindows = bundleEntry(bundle.manifest, '/b', { key: ['k'] }, { ...machine, platform: 'win32' });
  expect([onWindows['command'], onWindows['args']]).toEqual([
    'node.exe',
    ['/b/server/index.js', '/home/ada/Documents', '--limit=5'],
  ]);
});

test('rejects missing required and unknown settings', async () => {
  const { manifest: read } = await bundleOf(whole);
  expect(() => bundleEntry(read, '/b', {}, machine)).toThrow('files requires these settings: key (API key).');
  expect(() => bundleEntry(read, '/b', { key: ['k'], kay: ['k'] }, machine)).toThrow('no setting named "kay"');
});

test('starts the entry point of a manifest without a launch', async () => {
  const { mcp_config: _left, ...server } = manifest.server;
  const { manifest: read } = await bundleOf({
    'manifest.json': JSON.stringify({ ...manifest, server, user_config: {} }),
  });
  expect(bundleEntry(read, '/b', {}, machine)).toMatchObject({ command: 'node', args: ['/b/server/index.js'] });
});

test('unpacks all files with private permissions and replaces an older copy', async () => {
  const bundle = await bundleOf(whole);
  const place = await unpackBundle(bundle, folder);
  await writeFile(join(place, 'old'), '');
  expect(await unpackBundle(bundle, folder)).toBe(join(folder, 'files-1.0.0'));
  expect((await readdir(place)).sort()).toEqual(['manifest.json', 'server']);
  expect(await readFile(join(place, 'server/index.js'), 'utf8')).toBe('console.log(1)');
  expect((await stat(join(place, 'server/index.js'))).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test.each([
  ['a path that leads out', { ...whole, '../evil.js': '' }, 'outside of the bundle'],
  ['an absolute path', { ...whole, '/etc/evil': '' }, 'outside of the bundle'],
  ['a path of Windows that leads out', { ...whole, '..\\evil.js': '' }, 'outside of the bundle'],
  ['no manifest', { 'server/index.js': '' }, 'no manifest.json'],
  ['a manifest that is not JSON', { 'manifest.json': '{' }, 'not valid JSON'],
  ['a manifest without a server', { 'manifest.json': '{"name":"a","version":"1"}' }, 'server'],
])('rejects %s', async (_, files, why) => {
  await expect(bundleOf(files)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(why) as string,
  });
});

test('rejects a file that is not a zip', async () => {
  const file = join(folder, 'x.mcpb');
  await writeFile(file, 'hello');
  await expect(readBundle(file)).rejects.toMatchObject({ code: 'config_invalid' });
  await expect(readBundle(join(folder, 'none.mcpb'))).rejects.toMatchObject({ code: 'not_found' });
});

test.each(['../key', 'server/../../key', '/etc/hostname', '..\\key', 'C:\\key'])(
  'rejects a bundle with the entry point %s outside of it',
  async (entry_point) => {
    const server = { ...manifest.server, type: 'binary', entry_point };
    const reading = bundleOf({ ...whole, 'manifest.json': JSON.stringify({ ...manifest, server }) });
    await expect(reading).rejects.toMatchObject({ code: 'config_invalid' });
  },
);

test.skipIf(process.platform === 'win32')('makes the entry point executable, and nothing that leads out', async () => {
  const key = join(folder, 'key');
  await writeFile(key, 'secret', { mode: 0o600 });
  const server = { ...manifest.server, type: 'binary', entry_point: 'server/index.js' };
  const bundle = await bundleOf({ ...whole, 'manifest.json': JSON.stringify({ ...manifest, server }) });
  const unpacked = await unpackBundle(bundle, join(folder, 'bundles'));
  expect((await stat(join(unpacked, 'server/index.js'))).mode & 0o777).toBe(0o755);
  // The manifest's schema accepts it.
  const leading = { ...bundle, manifest: { ...bundle.manifest, entryPoint: '../../key' } };
  await unpackBundle(leading, join(folder, 'bundles'));
  expect((await stat(key)).mode & 0o777).toBe(0o600);
});

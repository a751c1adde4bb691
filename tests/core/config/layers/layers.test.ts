/** Group and user files: allowed settings, rejected ones with their place, and the resulting config of one user. */
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigStore } from '../../../../src-main/core/config/config-store.ts';
import { applyLayers } from '../../../../src-main/core/config/layers/apply-layers.ts';
import { LayerFiles } from '../../../../src-main/core/config/layers/layer-files.ts';

type Files = Readonly<Record<string, unknown>>;

const servers = { github: { command: 'x' }, files: { command: 'y' }, old: { command: 'z', enabled: false } };

async function folderOf(files: Files): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tooltray-layers-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await write(folder, { 'organization.jsonc': { servers }, ...files });
  return folder;
}

async function write(folder: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content, null, 1));
  }
}

async function open(folder: string): Promise<ConfigStore> {
  const layers = new LayerFiles(folder);
  const store = await ConfigStore.open(layers.organisation, {}, undefined, undefined, layers);
  onTestFinished(() => store.stop());
  return store;
}

/** `file:line:column path reason`, relative to the folder. */
function said(store: ConfigStore, folder: string): string[] {
  return store.problems.map(
    ({ file, line, column, path, reason }) => `${file.slice(folder.length + 1)}:${line}:${column} ${path}: ${reason}`,
  );
}

const ana = { name: 'ana', groups: ['ops', 'engineering'] };

test('applies settings of the organisation, then of groups by name, then of the user', async () => {
  const folder = await folderOf({
    'organization.jsonc': {
      servers,
      mode: 'search',
      appModes: { cursor: 'proxy' },
      results: { threshold: 1, toon: true },
    },
    'groups/engineering.jsonc': { mode: 'meta', appModes: { zed: 'code' }, results: { thresholds: { github: 5 } } },
    'groups/ops.jsonc': { mode: 'gateway', profile: { noDestructive: true } },
    'users/ana.jsonc': {
      '//': 'comments of one kind,',
      appModes: { cursor: 'code' },
      servers: { files: false, github: { enabled: true } },
      hiddenTools: ['github:delete'],
      favoriteTools: ['github:search'],
      results: { threshold: 0 },
    },
    'users/ben.jsonc': '// and of the other\n{ "mode": "direct", }'.replace('direct', 'proxy'),
  });
  const store = await open(folder);
  expect(said(store, folder)).toEqual(['users/ana.jsonc:2:2 ["//"]: Unknown key "//".']);
  const { config, profiles, favorites } = applyLayers(store.current, ana);
  expect(config).toMatchObject({ mode: 'gateway', appModes: { cursor: 'code', zed: 'code' } });
  expect(config.results).toMatchObject({ threshold: 0, thresholds: { github: 5 }, toon: true });
  expect(profiles).toEqual([{ noDestructive: true }, { servers: ['github', 'old'] }, { except: ['github:delete'] }]);
  expect(favorites).toEqual(['github:search']);
  expect(applyLayers(store.current, { name: 'ben', groups: [] }).config.mode).toBe('proxy');
  expect(applyLayers(store.current, { name: 'somebody', groups: ['none'] }).config).toBe(store.current);
});

test('leaves out and reports what a layer may not set, and uses the rest of its file', async () => {
  const folder = await folderOf({
    'users/ana.jsonc': {
      mode: 'meta',
      policy: { agentChanges: 'allow' },
      code: { enabled: true },
      results: { clean: false, toon: true, retentionDays: 1 },
      servers: { evil: { command: 'sh' }, old: true, gihub: false },
    },
  });
  const store = await open(folder);
  expect(said(store, folder)).toEqual([
    'users/ana.jsonc:3:2 policy: "policy" can only be set by the organization.',
    'users/ana.jsonc:6:2 code: The organization does not allow a user to set "code".',
    'users/ana.jsonc:10:3 results.clean: The organization does not allow a user to set "results.clean".',
    'users/ana.jsonc:12:3 results.retentionDays: "results.retentionDays" can only be set by the organization.',
    'users/ana.jsonc:16:4 servers.evil.command: Servers can be added and changed only in organization.jsonc.',
    'users/ana.jsonc:18:3 servers.old: The organization has disabled this server.',
    'users/ana.jsonc:19:3 servers.gihub: Unknown server.',
  ]);
  expect(store.problems.map(({ isRefused = false }) => isRefused)).toEqual([...Array<boolean>(6).fill(true), false]);
  const { config } = applyLayers(store.current, ana);
  expect([config.mode, config.results.toon, config.code]).toEqual(['meta', true, store.current.code]);
  expect(store.current.servers.map(({ name }) => name)).toEqual(['github', 'files', 'old']);
});

test('lets the organisation define separately what groups and users may override', async () => {
  const folder = await folderOf({
    'organization.jsonc': { servers, overridable: { users: [], groups: ['code', 'mode'] } },
    'groups/ops.jsonc': { code: { enabled: false }, mode: 'meta', ui: 'off' },
    'users/ana.jsonc': { mode: 'code', hiddenTools: ['x'] },
  });
  const store = await open(folder);
  expect(store.problems.map(({ path, isRefused }) => [path, isRefused])).toEqual([
    ['ui', true],
    ['mode', true],
  ]);
  const { config, profiles } = applyLayers(store.current, ana);
  expect([config.mode, config.code.enabled, profiles]).toEqual(['meta', false, [{ except: ['x'] }]]);
});

test('blocks all servers for an invalid group file and ignores an invalid user file', async () => {
  const broken = { 'groups/ops.jsonc': '{ "profile": { "servers": "github" } }', 'users/ana.jsonc': '{ "mode": ' };
  const folder = await folderOf({ ...broken, 'groups/engineering.jsonc': { mode: 'meta' } });
  const store = await open(folder);
  expect(said(store, folder)).toEqual([
    'groups/ops.jsonc:1:27 profile.servers: A list is expected here. Until it is corrected, users of this group have no access.',
    'users/ana.jsonc:1:11 : A value is missing here. Until it is corrected, the file is ignored.',
  ]);
  expect(applyLayers(store.current, ana).profiles).toEqual([{ servers: [] }]);
  expect(applyLayers(store.current, { name: 'ana', groups: ['engineering'] })).toMatchObject({
    profiles: [],
    config: { mode: 'meta' },
  });
  const good = { 'groups/ops.jsonc': { profile: { servers: ['github'] } }, 'users/ana.jsonc': { mode: 'code' } };
  await write(folder, good);
  await store.reload();
  const version = store.version;
  await write(folder, broken);
  await store.reload();
  // The last valid version stays in use, so the version in use is unchanged.
  expect(said(store, folder).every((line) => line.endsWith('The last valid version stays in use.'))).toBe(true);
  expect(applyLayers(store.current, ana)).toMatchObject({
    profiles: [{ servers: ['github'] }],
    config: { mode: 'code' },
  });
  expect(store.version).toBe(version);
  // A new process uses something else, and reports it.
  expect((await open(folder)).version).not.toBe(version);
});

test('computes the version from the content, not the location', async () => {
  const files = { 'groups/a.jsonc': { mode: 'meta' }, 'users/b.jsonc': {} };
  const [one, two, other] = await Promise.all([
    folderOf(files).then(open),
    folderOf(files).then(open),
    folderOf({ ...files, 'users/c.jsonc': {} }).then(open),
  ]);
  expect(two.version).toBe(one.version);
  expect(other.version).not.toBe(one.version);
});

test.skipIf(process.platform === 'win32')('reads a checkout again each time its link is swapped', async () => {
  const folder = await folderOf({});
  const link = join(folder, 'current');
  const swap = async (name: string, files: Files): Promise<void> => {
    await write(join(folder, name), { 'organization.jsonc': { servers: {} }, ...files });
    await symlink(name, `${link}.next`);
    await rename(`${link}.next`, link);
  };
  await swap('first', { 'users/ana.jsonc': { mode: 'meta' } });
  const store = await open(link);
  await store.start();
  for (const [name, mode] of Object.entries({ second: 'code', third: 'search', fourth: 'gateway' })) {
    await swap(name, { 'users/ana.jsonc': { mode } });
    await expect.poll(() => applyLayers(store.current, ana).config.mode).toBe(mode);
  }
  // Changes inside the linked folder count as well: added, changed, and removed files.
  await write(link, { 'users/ana.jsonc': { mode: 'proxy' }, 'groups/ops.jsonc': { slowCallSeconds: 7 } });
  await expect.poll(() => applyLayers(store.current, ana).config).toMatchObject({ mode: 'proxy', slowCallSeconds: 7 });
  await rm(join(link, 'users/ana.jsonc'));
  await expect.poll(() => applyLayers(store.current, ana).config.mode).toBe('auto');
});

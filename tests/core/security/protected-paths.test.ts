/** Tooltray's own files stay protected inside a folder that the user has allowed. */
import { link, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SpillFinder } from '../../../src-main/core/spills/spill-finder.ts';
import type { ProtectedPaths } from '../../../src-main/core/security/protected-paths.ts';
import { connectUtils } from '../servers/builtin/connect-utils.ts';
import { startCore } from '../../support/start-core.ts';
import { localUser } from '../../../src-main/core/security/principal.ts';

let root = '';
let own: ProtectedPaths = { folders: [], files: [] };

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'tooltray-own-')));
  await mkdir(join(root, 'home', 'data', 'sign-ins'), { recursive: true });
  await mkdir(join(root, 'notes'));
  await writeFile(join(root, 'notes', 'mine.txt'), 'needle');
  for (const file of ['data/token', 'data/sign-ins/a.json', 'config.json', 'config.json.bak']) {
    await writeFile(join(root, 'home', file), 'needle');
  }
  own = {
    folders: [join(root, 'home', 'data'), join(root, 'home', 'later')],
    files: [join(root, 'home', 'config.json')],
  };
});

afterEach(() => rm(root, { recursive: true, force: true }));

const refused = /^ERROR .*is one of Tooltray's own files, which tools cannot access\./;

test.each([
  'home/data/token',
  'home/config.json',
  'home/config.json.bak',
  'home/config.json.lock',
  'notes/../home/data/sign-ins/a.json',
  'notes/folder/token',
  'notes/file',
  'notes/hard',
  'home/later/new.json',
])('neither reads, writes, appends to nor lists %s', async (path) => {
  await symlink(join(root, 'home', 'data'), join(root, 'notes', 'folder'));
  await symlink(join(root, 'home', 'config.json'), join(root, 'notes', 'file'));
  await link(join(root, 'home', 'data', 'token'), join(root, 'notes', 'hard'));
  await using utils = await connectUtils({ folders: [root], own });
  const absent = path.endsWith('.lock') || path.endsWith('new.json');
  expect(await utils.text('read_file', { path })).toMatch(absent ? /^ERROR / : refused);
  expect(await utils.text('write_file', { path, content: 'x', mode: 'append' })).toMatch(refused);
  expect(await utils.text('search_files', { path, query: 'needle' })).not.toContain('1: needle');
  // Replacing a hard link leaves the original file unchanged.
  await utils.text('write_file', { path, content: 'x', mode: 'overwrite' });
  for (const file of ['data/token', 'data/sign-ins/a.json', 'config.json', 'config.json.bak']) {
    expect(await readFile(join(root, 'home', file), 'utf8')).toBe('needle');
  }
});

test('skips them in searches and listings of folders around them', async () => {
  await using utils = await connectUtils({ folders: [root], own });
  const found = await utils.text('search_files', { query: 'needle' });
  expect(found).toContain('notes/mine.txt');
  expect(found).not.toMatch(/token|config|sign-ins/);
  const listed = await utils.text('list_files', { depth: 5 });
  expect(listed).toContain('notes/mine.txt');
  expect(listed).not.toMatch(/token|config|sign-ins|data/);
  expect(await utils.text('list_files', { path: 'home/data' })).toMatch(refused);
});

test('allows nothing in an allowed folder that belongs to Tooltray', async () => {
  await using utils = await connectUtils({ folders: [join(root, 'home', 'data')], own });
  expect(await utils.text('read_file', { path: 'token' })).toMatch(refused);
  expect(await utils.text('list_files', {})).not.toContain('token');
});

test('allows nothing through results.folders either', async () => {
  const spills = join(root, 'home', 'data', 'spills');
  await mkdir(spills);
  const finder = new SpillFinder(spills, { byId: () => undefined, byName: () => undefined }, own);
  for (const path of ['home/data/token', 'home/config.json']) {
    await expect(finder.open(join(root, path), [root], localUser)).rejects.toMatchObject({ code: 'not_allowed' });
  }
  await using opened = await finder.open(join(root, 'notes', 'mine.txt'), [root], localUser);
  expect(opened.bytes).toBe(6);
});

test("protects a core's token and config from its own utils server", async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tooltray-own-core-')));
  const utils = { type: 'builtin', builtin: 'utils', folders: [home] };
  try {
    await using core = await startCore({ servers: { utils } }, { home });
    const client = await core.open({}, { mode: 'proxy' });
    for (const path of [core.host.paths.tokenFile, core.configFile]) {
      expect(
        await client.callTool('utils_read_file', { path }).catch(() => client.callTool('read_file', { path })),
      ).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("Tooltray's own files") as string }],
      });
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

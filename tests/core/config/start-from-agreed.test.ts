/** A core that starts with an unreadable config file uses the last accepted config. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigApproval } from '../../../src-main/core/config/config-approval.ts';
import { ConfigStore } from '../../../src-main/core/config/config-store.ts';
import { acceptanceKey } from '../../../src-main/core/secrets/acceptance-key.ts';
import { plainVault } from '../../support/plain-vault.ts';

let folder = '';
let file = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-agreed-'));
  file = join(folder, 'config.json');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function open(text: string | Uint8Array): Promise<ConfigStore> {
  await writeFile(file, text);
  return ConfigStore.open(
    file,
    {},
    undefined,
    new ConfigApproval(join(folder, 'accepted.json'), false, acceptanceKey(plainVault(folder))),
  );
}

const good =
  '{ "mode": "search", "port": 7, "policy": { "agentChanges": "refuse" }, "servers": { "a": { "command": "x" }, "b": { "url": "https://h/mcp", "enabled": false } } }';

test.each([
  ['a typo', good.replace('"servers"', 'servers"')],
  ['a file of another product', '{ "mcp": { "x": { "command": ["evil"] } } }'],
  ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0x7b])],
  ['nothing', ''],
])('starts from the accepted config if the file holds %s, and reports it', async (_what, broken) => {
  const before = (await open(good)).current;
  const store = await open(broken);
  expect(store.current).toEqual(before);
  expect(store.problems).toMatchObject([{ severity: 'error', path: '' }]);
  expect(store.pendingEdits).toEqual([]);
});

test('starts without servers if no config was ever accepted', async () => {
  const store = await open('{');
  expect(store.current.servers).toEqual([]);
});

test('reads the file again once it is valid', async () => {
  await open(good);
  const store = await open('{');
  await writeFile(file, good.replace('"command": "x"', '"command": "x", "enabled": false'));
  await store.reload();
  expect([store.current.servers[0]?.enabled, store.problems]).toEqual([false, []]);
});

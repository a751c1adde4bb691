import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kitFolders, readEntryNotes, readKits } from '../../../src-main/core/config/kits.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-kits-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('kits are read by file, named by themselves or after it, and what is no kit is named with its reason', async () => {
  const files = {
    'b.json': '{"servers":{"x":{"command":"x"}},"keywords":["k",1],"author":""}',
    'a.json': '\uFEFF{"name":"first","servers":{},"links":{"home":"h"}}',
    'broken.json': '{',
    'entry.json': '{"servers":{"x":{"command":"x"},"y":"no entry"}}',
    'list.json': '[]',
    'none.json': '{"name":"no servers"}',
    'notes.txt': '{"servers":{}}',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const nothing = { description: undefined, author: undefined, version: undefined };
  const { kits, broken } = await readKits([folder]);
  expect(kits).toEqual([
    { ...nothing, name: 'first', path: join(folder, 'a.json'), keywords: [], links: { home: 'h' }, servers: {} },
    {
      ...nothing,
      name: 'b',
      path: join(folder, 'b.json'),
      keywords: ['k'],
      links: {},
      servers: { x: { command: 'x' } },
    },
  ]);
  expect(broken.map(({ name, reason }) => [name, reason])).toEqual([
    ['broken', 'Line 1: An object is not closed.'],
    ['entry', 'Its server "y" is no object.'],
    ['list', 'Line 1: The file holds array where an object is expected.'],
    ['none', 'It has no object "servers".'],
  ]);
});

test('kits lie beside the config, in the folders of MAGG_PATH, where one is and at home; of one name the first counts', async () => {
  const env = { HOME: join(folder, 'home'), MAGG_PATH: [join(folder, 'm1'), '~/m2'].join(delimiter) };
  const folders = kitFolders(join(folder, 'c', 'config.json'), env, join(folder, 'here'));
  expect(folders).toEqual(['c', 'm1', 'home/m2', 'here/.magg', 'home/.magg'].map((one) => join(folder, one, 'kit.d')));
  for (const [index, one] of folders.entries()) {
    await mkdir(one, { recursive: true });
    await writeFile(join(one, 'same.json'), `{"description":"${index}","servers":{}}`);
    await writeFile(join(one, `own${index}.json`), '{"servers":{}}');
  }
  const { kits } = await readKits(folders);
  expect(kits.map(({ name, description = '' }) => name + description)).toEqual([
    'own0',
    'same0',
    'own1',
    'own2',
    'own3',
    'own4',
  ]);
});

test('a folder that is not there has no kits', async () => {
  expect(await readKits([join(folder, 'nope')])).toEqual({ kits: [], broken: [] });
});

test('notes are read from every container, comments and lists included', () => {
  const text = `{ // a comment
    "servers": { "a": { "source": "s", "notes": "n", "kits": ["k", 1] }, "b": "odd" },
    "mcpServers": [{ "name": "c", "description": "d" }],
  }`;
  expect([...readEntryNotes(text)]).toEqual([
    ['a', { source: 's', notes: 'n', kits: ['k'] }],
    ['b', { source: undefined, notes: undefined, kits: [] }],
    ['c', { source: undefined, notes: 'd', kits: [] }],
  ]);
  expect(readEntryNotes('{').size).toBe(0);
});

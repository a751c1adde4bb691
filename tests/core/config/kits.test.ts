import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEntryNotes } from '../../../src-main/core/config/entry-notes.ts';
import { readKits } from '../../../src-main/core/config/kits.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-kits-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('kits are read by file, named by themselves or after it, and what is no kit is left out', async () => {
  const files = {
    'b.json': '{"servers":{"x":{"command":"x"},"y":"no entry"},"keywords":["k",1],"author":""}',
    'a.json': '\uFEFF{"name":"first","servers":{},"links":{"home":"h"}}',
    'broken.json': '{',
    'list.json': '[]',
    'none.json': '{"name":"no servers"}',
    'notes.txt': '{"servers":{}}',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const nothing = { description: undefined, author: undefined, version: undefined };
  expect(await readKits(folder)).toEqual([
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
});

test('a folder that is not there has no kits', async () => {
  expect(await readKits(join(folder, 'nope'))).toEqual([]);
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

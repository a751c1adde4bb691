/** The listing cache on disk. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseJson } from '../../../src-main/core/base/json.ts';
import { type CachedListing, ListingCache } from '../../../src-main/core/servers/listing-cache.ts';
import { emptyListing } from '../../../src-main/core/servers/listing.ts';

const entry: CachedListing = {
  hash: 'a1',
  at: 1234,
  handshake: {
    era: 'legacy',
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 's' },
    instructions: 'Use it.',
    raw: { vendor: true },
  },
  listing: {
    ...emptyListing,
    tools: [parseJson('{"name":"a","max":12345678901234567890}') as Record<string, unknown>],
  },
  asks: ['roots/list'],
};

function cacheIn(): { cache: ListingCache; folder: string } {
  const folder = join(mkdtempSync(join(tmpdir(), 'listing-cache-')), 'listings');
  onTestFinished(() => rmSync(join(folder, '..'), { recursive: true }));
  return { cache: new ListingCache(folder), folder };
}

test('reads back what it wrote, including big integers, in files that only the owner can read', async () => {
  const { cache, folder } = cacheIn();
  await cache.write(entry);
  expect(JSON.stringify(await cache.read('a1'))).toBe(JSON.stringify({ version: 1, ...entry }));
  const modes = [folder, join(folder, 'a1.json')].map((path) => statSync(path).mode & 0o777);
  if (process.platform !== 'win32') expect(modes).toEqual([0o700, 0o600]);
});

test('returns no listing for another entry, even if its file contains one', async () => {
  const { cache, folder } = cacheIn();
  await cache.write(entry);
  writeFileSync(join(folder, 'b2.json'), JSON.stringify({ version: 1, ...entry }));
  expect([await cache.read('b2'), await cache.read('c3')]).toEqual([undefined, undefined]);
});

test.each([
  ['cut off', '{"version":1,"hash":"a1","li'],
  ['empty', ''],
  ['of another format', JSON.stringify({ ...entry, version: 2 })],
  ['no object', '[1]'],
  ['without a listing', JSON.stringify({ ...entry, version: 1, listing: undefined })],
  ['with lists that are none', JSON.stringify({ ...entry, version: 1, listing: { tools: 'x' } })],
  ['without a handshake', JSON.stringify({ ...entry, version: 1, handshake: null })],
  ['with questions that are no list', JSON.stringify({ ...entry, version: 1, asks: 5 })],
])('ignores a file that is %s', async (_what, text) => {
  const { cache, folder } = cacheIn();
  await cache.write(entry);
  writeFileSync(join(folder, 'a1.json'), text);
  expect(await cache.read('a1')).toBeUndefined();
});

test('leaves one complete file after concurrent writes', async () => {
  const { cache, folder } = cacheIn();
  await Promise.all(Array.from({ length: 20 }, (_, at) => cache.write({ ...entry, at })));
  expect([readdirSync(folder), (await cache.read('a1'))?.hash]).toEqual([['a1.json'], 'a1']);
});

/** Reads lists with pages that repeat or do not end, errors and invalid entries. */
import { expect, test } from 'vitest';
import { type JsonObject, parseJson } from '../../../src-main/core/base/json.ts';
import { type SendRequest, emptyListing, fetchListing, type Listing } from '../../../src-main/core/servers/listing.ts';
import { RpcError } from '../../../src-main/core/wire/message.ts';

const all = { tools: {}, resources: {}, prompts: {} };
const tool = (name: string): { name: string } => ({ name });

/** Responds to tools/list by page; every other list is empty. */
function toolPages(page: (cursor: string | undefined) => Record<string, unknown>): SendRequest {
  return async (method, params) => {
    if (method === 'tools/list') return page(params['cursor'] as string | undefined);
    return { resources: [], resourceTemplates: [], prompts: [] };
  };
}

test('reads all pages of all four lists and keeps unknown members', async () => {
  const entries = {
    tools: [parseJson('{"name":"a","vendor":12345678901234567890,"_meta":{"x":null}}')],
    resources: [{ uri: 'x://1', size: 1 }],
    resourceTemplates: [{ uriTemplate: 'x://{id}' }],
    prompts: [{ name: 'p', arguments: [] }],
  };
  const second = { tools: [tool('b')], resources: [], resourceTemplates: [], prompts: [] };
  const { listing, problems } = await fetchListing(
    async (_method, { cursor }) => (cursor === undefined ? { ...entries, nextCursor: '2' } : second),
    all,
  );
  expect(problems).toEqual([]);
  expect(JSON.stringify(listing)).toBe(JSON.stringify({ ...entries, tools: [...entries.tools, tool('b')] }));
});

test('requests only the declared lists, and tools in any case', async () => {
  const asked: string[] = [];
  const ask: SendRequest = async (method) => {
    asked.push(method);
    return { tools: [], prompts: [] };
  };
  await fetchListing(ask, { prompts: {}, logging: {} });
  await fetchListing(ask, {});
  expect(asked).toEqual(['tools/list', 'prompts/list', 'tools/list']);
});

test('ends a list at a repeated cursor and reports it', async () => {
  const { listing, problems } = await fetchListing(
    toolPages(() => ({ tools: [tool('a')], nextCursor: 'again' })),
    all,
  );
  expect([listing.tools.length, problems]).toEqual([
    2,
    ['tools/list repeats the cursor "again"; the list was truncated after 2 entries.'],
  ]);
});

test('stops an endless list after 1,000 pages', async () => {
  const { listing, problems } = await fetchListing(
    toolPages((cursor) => ({ tools: [tool('a')], nextCursor: String(Number(cursor ?? 0) + 1) })),
    all,
  );
  expect([listing.tools.length, problems]).toEqual([
    1000,
    ['tools/list does not end; the list was truncated after 1000 entries.'],
  ]);
});

test('stops a list after 10,000 entries', async () => {
  const page = Array.from({ length: 30_000 }, () => tool('a'));
  const { listing, problems } = await fetchListing(
    toolPages((cursor) => ({ tools: page, nextCursor: String(Number(cursor ?? 0) + 1) })),
    all,
  );
  expect([listing.tools.length, problems]).toEqual([10_000, [expect.stringContaining('10000')]]);
});

test.each<[string, JsonObject]>([
  ['with a definition of a megabyte', { ...tool('big'), description: 'x'.repeat(1_000_000) }],
  ['with a name of a megabyte', tool('x'.repeat(1_000_000))],
])('leaves out an entry %s and reports it', async (_what, entry) => {
  const { listing, problems } = await fetchListing(
    toolPages(() => ({ tools: [tool('a'), entry, tool('c')] })),
    all,
  );
  expect(listing.tools.map(({ name }) => name)).toEqual(['a', 'c']);
  expect(problems).toHaveLength(1);
  expect(String(problems).length).toBeLessThan(300);
});

test('ends a list at a page of more than 4 MB', async () => {
  const pages = toolPages((cursor) =>
    cursor === undefined
      ? { tools: [tool('a')], nextCursor: '1' }
      : { tools: Array.from({ length: 50 }, (_, i) => ({ ...tool(`b${i}`), description: 'x'.repeat(100_000) })) },
  );
  const { listing, problems } = await fetchListing(pages, all);
  expect([listing.tools.map(({ name }) => name), problems.length]).toEqual([['a'], 1]);
});

test('returns unchanged entries as the same objects, even if two have the same name', async () => {
  const pages = toolPages(() => ({ tools: [tool('a'), { ...tool('a'), title: 'A' }, tool('b')] }));
  const read = async (before: Listing | undefined): Promise<Listing> =>
    (await fetchListing(pages, all, before)).listing;
  const before = await read(undefined);
  const listing = await read(before);
  expect(listing.tools.map((entry, at) => entry === before.tools[at])).toEqual([true, true, true]);
});

test('leaves out entries without a name, reports them and keeps the others', async () => {
  const { listing, problems } = await fetchListing(
    toolPages(() => ({ tools: [tool('a'), { title: 'x' }, null, 7, { name: 5 }, ['b'], tool('c')] })),
    all,
  );
  expect(listing.tools).toEqual([tool('a'), tool('c')]);
  expect(new Set(problems)).toEqual(new Set(['tools/list has an entry without name; it was skipped.']));
});

test('accepts names such as constructor and __proto__', async () => {
  const names = ['constructor', '__proto__', 'toString', 'a b.c 🙂', 'x'.repeat(200)];
  const { listing } = await fetchListing(
    toolPages(() => ({ tools: names.map(tool) })),
    all,
  );
  expect(listing.tools.map((one) => one['name'])).toEqual(names);
});

test('reports a rejected list and reads the others', async () => {
  const { listing, problems } = await fetchListing(async (method) => {
    if (method === 'tools/list') throw new RpcError(-32603, 'The list is lost.');
    return { resources: [{ uri: 'x://1' }], resourceTemplates: [], prompts: [] };
  }, all);
  expect([listing.tools, listing.resources.length]).toEqual([[], 1]);
  expect(problems).toEqual(['tools/list failed: The list is lost.']);
});

test('keeps the previous list if reading it again fails', async () => {
  const before = { ...emptyListing, tools: [{ name: 'kept' }] };
  const fail = (): Promise<never> => Promise.reject(new RpcError(-32000, 'not now'));
  const { listing, problems } = await fetchListing(fail, { tools: {} }, before);
  expect([listing.tools, problems]).toEqual([[{ name: 'kept' }], ['tools/list failed: not now']]);
});

test('accepts resources without resource templates', async () => {
  const { problems } = await fetchListing(
    async (method) => {
      if (method === 'resources/templates/list') throw new RpcError(-32601, 'Method not found');
      return { resources: [] };
    },
    { resources: {} },
  );
  expect(problems).toEqual([]);
});

test.each([[{ tools: 'none' }], [{}], [{ tools: null }]])('reports a response without a list: %o', async (answer) => {
  const { listing, problems } = await fetchListing(
    toolPages(() => answer),
    all,
  );
  expect([listing.tools, problems]).toEqual([[], ['tools/list returned no list.']]);
});

test('rejects if the connection breaks', async () => {
  await expect(fetchListing(() => Promise.reject(new Error('broken')), all)).rejects.toThrow('broken');
});

/** Spills queried as data: query, schema, table and pages of rows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SpillQueryResult } from '../../../../src-main/core/spills/spill-queries.ts';
import { type AskOptions, Reading } from './reading.ts';

let reading: Reading;
beforeAll(async () => void (reading = await Reading.start()));
afterAll(() => reading[Symbol.asyncDispose]());

const shop = JSON.stringify({
  total: 3,
  items: [
    { id: 1, name: 'nut', price: 0.5, owner: { login: 'ann' }, tags: ['a'] },
    { id: 2, name: 'bolt\tbig', price: 12, owner: { login: 'bob' }, tags: [] },
    { id: 12345678901234567890n, name: 'wheel', price: 120, owner: null, extra: true },
  ].map((item) => ({ ...item, id: String(item.id) })),
}).replaceAll(/"id":"(\d+)"/g, '"id":$1');

describe('query', () => {
  const query = (content: string, path: string, options?: AskOptions, limit?: number): Promise<SpillQueryResult> =>
    reading.askOf(content, { op: 'query', query: path, limit }, options);

  test.each([
    ['$.items[*].name', '"nut"\n"bolt\\tbig"\n"wheel"'],
    ['items[0].owner', '{"login":"ann"}'],
    ['.total', '3'],
    ['$.items[?@.price > 10].price', '12\n120'],
    ['$..login', '"ann"\n"bob"'],
    ['$.items[?search(@.name, "^b")].id', '2'],
    ['$.items[-1].id', '12345678901234567890'],
    ['$..[?@ == 12]', '12'],
    ['$.none', '(no matches)'],
  ])('returns one value a line for %s', async (path, expected) => {
    const { text, fields } = await query(shop, path);
    expect(text.replace(/\n\(\d+ match(?:es)?\)$/, '')).toBe(expected);
    expect(
      text.endsWith(
        `(${fields['matchCount'] === 0 ? 'no' : String(fields['matchCount'])} match${fields['matchCount'] === 1 ? '' : 'es'})`,
      ),
    ).toBe(true);
  });

  test.each(['count($.items[*])', '$.items.length()', '$.items[*].price.sum()', '$.items.size()'])(
    'suggests SQL for %s, which counts',
    async (path) => {
      await expect(query(shop, path)).rejects.toMatchObject({
        code: 'bad_request',
        fix: expect.stringContaining("op='sql'") as string,
      });
    },
  );

  test('counts all matches, and returns as many as requested', async () => {
    const { text, fields } = await query(shop, '$.items[*].price', {}, 2);
    expect(text).toBe('0.5\n12\n[LIMITED to first 2 of 3 matches]');
    expect(fields).toEqual({ query: '$.items[*].price', matchCount: 3, returnedMatches: 2, limited: true });
  });

  test('returns whole values up to maxBytes, and names the next one', async () => {
    const { text, truncated } = await query(shop, '$.items[*].name', { maxBytes: 20 });
    expect([truncated, text]).toEqual([
      true,
      '"nut"\n"bolt\\tbig"\n[TRUNCATED at 20 bytes; the next value is $.items[2].name]',
    ]);
  });

  test('returns the beginning of a single value that is too long', async () => {
    const { text } = await query(JSON.stringify({ a: 'é'.repeat(100) }), '$.a', { maxBytes: 20 });
    expect(text).toBe(
      `"${'é'.repeat(9)}\n[TRUNCATED at 20 bytes of 202: $.a is long. op='schema' with path shows what is inside]`,
    );
  });

  test('reads TOON', async () => {
    const toon = 'rows[2]{id,ok}:\n  1,true\n  2,false';
    expect((await query(toon, '$.rows[?@.ok == true].id', { kind: 'toon' })).text).toBe('1\n(1 match)');
  });

  test.each([
    ['$.items[', 'bad_request', 'is not a valid JSONPath'],
    ['$.items[?nope(@)]', 'bad_request', 'is not a valid JSONPath'],
    ['$.items[?constructor("x")]', 'bad_request', 'is not a valid JSONPath'],
    ['$[?process.exit(1)]', 'bad_request', 'is not a valid JSONPath'],
    ['$[(@.length-1)]', 'bad_request', 'is not a valid JSONPath'],
  ])('rejects %s: %s', async (path, code, fragment) => {
    await expect(query(shop, path)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(fragment) as string,
    });
  });

  test('suggests grep for a result that is not JSON', async () => {
    await expect(query('Dear reader', '$', { kind: 'text' })).rejects.toMatchObject({
      code: 'unsupported',
      fix: expect.stringContaining("op='grep'") as string,
    });
  });

  test('selects own members only', async () => {
    const { text } = await query('{"__proto__":{"a":1},"b":[]}', '$..["constructor","length","a"]');
    expect(text).toBe('1\n(1 match)');
  });

  test('keeps an unpaired surrogate', async () => {
    expect((await query('{"a":"\\ud800"}', '$.a')).text).toBe('"\\ud800"\n(1 match)');
  });

  test('reads and returns ten thousand levels', async () => {
    const deep = `${'['.repeat(10_000)}7${']'.repeat(10_000)}`;
    const { text, fields } = await query(deep, '$', { maxBytes: 30_000 });
    expect([text, fields['matchCount']]).toEqual([`${deep}\n(1 match)`, 1]);
  });
});

describe('schema', () => {
  const schema = async (value: unknown, path?: string): Promise<string> =>
    (await reading.askOf(JSON.stringify(value), { op: 'schema', path })).text;

  test('returns keys with types, lengths and ranges, similar objects once', async () => {
    const items = Array.from({ length: 500 }, (_, i) => ({
      id: i + 1,
      name: `item ${i}`,
      state: i % 2 === 0 ? 'open' : 'closed',
      ...(i > 400 && { late: null }),
      tags: i % 3 === 0 ? ['x'] : [],
    }));
    expect(await schema({ items, page: { next: 1.5 } })).toBe(
      [
        'object of 2 members',
        '  items: array of 500 objects of 5 members',
        '    id: number 1…500',
        '    name: string',
        '    state: "open" | "closed"',
        '    tags: array of 0…1 strings ("x")',
        '    late?: null',
        '  page: object of 1 member',
        '    next: number 1.5',
      ].join('\n'),
    );
  });

  test('starts at a path', async () => {
    expect(await schema({ a: { b: [1, 2, 'x'.repeat(50)] } }, '$.a.b')).toBe('array of 3 values (number 1…2 | string)');
    expect((await schema({ a: [{ b: 1 }, { b: 5 }] }, '$.a[?@.b > 0]')).split('\n')[0]).toContain('2 values');
    await expect(schema({ a: 1 }, '$.none')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('shortens a list of very many keys', async () => {
    const text = await schema(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key ${i}`, i])));
    expect(text.split('\n').length).toBe(102);
    expect(text).toMatch(/^object of 5 000 members\n {2}key 0: number 0\n[^]*\n {2}and 4 900 more$/);
  });

  test.each([
    [[], 'empty array'],
    ['text', 'string'],
    [null, 'null'],
    [{}, 'object'],
  ])('describes %j as %s', async (value, expected) => {
    expect(await schema(value)).toBe(expected);
  });

  test('stays short for ten thousand levels', async () => {
    const { text } = await reading.askOf(`${'['.repeat(10_000)}${']'.repeat(10_000)}`, { op: 'schema' });
    expect(text.length).toBeLessThan(200);
  });
});

describe('table', () => {
  const table = (more: object = {}, content = shop, options?: AskOptions): Promise<SpillQueryResult> =>
    reading.askOf(content, { op: 'table', fromRow: 1, rows: 50, ...more }, options);

  test('shows the scalars of the longest list, one row a line', async () => {
    const { text, fields } = await table();
    expect(text).toBe(
      [
        'id\tname\tprice\towner\textra',
        '1\tnut\t0.5\t{"login":"ann"}\t',
        '2\tbolt\\tbig\t12\t{"login":"bob"}\t',
        '12345678901234567890\twheel\t120\tnull\ttrue',
        '(3 rows)',
      ].join('\n'),
    );
    const columns = ['id', 'name', 'price', 'owner', 'extra'];
    expect(fields).toEqual({ path: '$.items', columns, fromRow: 1, rows: 3, totalRows: 3 });
  });

  test.each([
    [{ columns: ['owner.login', 'tags[0]', 'none'] }, 'owner.login\ttags[0]\tnone\nann\ta\t\nbob\t\t\n\t\t'],
    [{ columns: ['id'], fromRow: 2, rows: 1 }, 'id\n2'],
    [{ columns: ['id'], fromRow: 9 }, 'id'],
    [{ path: '$.items[0].tags' }, 'value\na'],
    [{ path: 'items', columns: ['id'], rows: 1 }, 'id\n1'],
  ])('shows for %j: %j', async (wish, expected) => {
    const { text } = await table(wish);
    expect(text.slice(0, text.lastIndexOf('\n'))).toBe(expected);
  });

  test.each([
    ['$.items[?@.price > 10]', [2, 3]],
    ['$.items[?@.price > 100]', [3]],
    ['$.items[0,2]', [1, 3]],
  ])('shows the rows that %s selects', async (path, rows) => {
    const { text, fields } = await table({ path, columns: ['name'] });
    const names = ['nut', 'bolt\\tbig', 'wheel'];
    expect(text.split('\n').slice(1, -1)).toEqual(rows.map((row) => names[row - 1]));
    expect(fields).toMatchObject({ totalRows: rows.length, rows: rows.length });
  });

  test('reports the number of rows, and where to go on', async () => {
    const { text, fields } = await table({ columns: ['id'], rows: 2 });
    expect(text.split('\n').at(-1)).toContain('fromRow=3');
    expect(fields).toMatchObject({ rows: 2, totalRows: 3 });
  });

  test('prefers a key with dots over a path', async () => {
    expect((await table({ columns: ['a.b'] }, '[{"a.b":1,"a":{"b":2}}]')).text).toBe('a.b\n1\n(1 row)');
  });

  test('ends with a whole row when truncated, and reports where to go on', async () => {
    const rows = JSON.stringify(Array.from({ length: 100 }, (_, i) => ({ id: i })));
    const { text, truncated, fields } = await table({}, rows, { maxBytes: 20 });
    expect([text.split('\n').at(-1), truncated, fields['rows']]).toEqual([
      '[TRUNCATED at 20 bytes; continue with fromRow=10, or name fewer columns]',
      true,
      9,
    ]);
    expect((await table({ fromRow: 10, rows: 2 }, rows)).text).toMatch(/^id\n9\n10\n/);
  });

  test.each([
    ['{"a":1}', {}, 'bad_request'],
    [shop, { path: '$.total' }, 'bad_request'],
    [shop, { path: '$.none' }, 'not_found'],
  ])('rejects %s with %j', async (content, wish, code) => {
    await expect(table(wish, content)).rejects.toMatchObject({ code });
  });
});

/** A JSONPath in a file that is gone through byte by byte selects what it selects in the parsed file. */
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDocument } from '../../../../src-main/core/spills/read-worker/document.ts';
import { queryDocument, queryFile } from '../../../../src-main/core/spills/read-worker/query.ts';
import type { ReadTarget } from '../../../../src-main/core/spills/read-worker/reader-messages.ts';
import { Reading } from './reading.ts';

const made = {
  'a "name" with ] and \\': ['}', '\\"', '[', 'é😀'],
  items: Array.from({ length: 40 }, (_, id) => ({
    id,
    name: `item ${id}, "quoted" {`,
    tags: ['a', 'b,c', ...(id % 7 === 0 ? ['seven'] : [])],
    inside: { id: -id, deep: { name: `deep ${id}` } },
  })),
  big: 'BIG',
  empty: [],
  none: {},
  literals: [true, false, null, 1.5e300, ''],
};
const text = JSON.stringify(made, undefined, 2).replace('"BIG"', '9007199254740993');

let reading: Reading;
let stop: () => Promise<void>;
let target: ReadTarget;
beforeAll(async () => {
  reading = await Reading.start();
  const file = join(reading.folder, 'kept.json');
  await writeFile(file, text);
  const handle = await open(file);
  stop = async () => {
    await handle.close();
    await reading[Symbol.asyncDispose]();
  };
  target = { fd: handle.fd, file, kind: 'json', bytes: Buffer.byteLength(text) };
});
afterAll(() => stop());

const paths = [
  ...['$', '$.big', 'big', '$.items[3]', '$.items[0:5].name', '$.items[-1].id', '$.items[-3:].id', '$.items[5:1]'],
  ...['$.items[-41]', '$.items[-41:2].id', '$.items[::9].id', '$.items[100:]', '$.items[*].inside.deep.name', '$.*'],
  ...['$["a \\"name\\" with ] and \\\\"][2]', "$['items'][2]['tags'][*]", '$.empty[*]', '$.none.*', '$.literals[*]'],
  ...['$.missing', '$.items.name', '$.big[0]', '$.items[?@.id == 7].name', '$.items[?@.id > 35].tags[-1]'],
  ...['$.items[?count(@.tags) == 3].id', '$..deep.name', '$.items..name', '$.items[*].tags[?@ == "b,c"]'],
  ...['$.items[?match(@.name, "item 1[0-9], .*")].id', '$.items[1, 3].id', '$.items[?@.id == $.literals[3]]'],
];

describe.each([
  ['borders of windows and batches anywhere', { windowBytes: 7, batchBytes: 300 }],
  ['all at once', { windowBytes: 1_000_000, batchBytes: 1_000_000 }],
])('with %s', (_name, limits) => {
  test.each(paths)('%s', (query) => {
    const whole = queryDocument(readDocument(target), query, undefined, 8000);
    expect(queryFile(target, { query }, 8000, limits)).toEqual(whole);
  });
});

test('a value that is too long is begun, and the next one named', () => {
  const { text: some, truncated } = queryFile(target, { query: '$.items[*]' }, 1000);
  expect([some.split('\n').length > 2, some.endsWith(']'), truncated]).toEqual([true, true, true]);
  expect(queryFile(target, { query: '$' }, 100).text).toMatch(/\[TRUNCATED at 100 bytes of \d+: \$ is long/);
});

test('what is no JSONPath is said to be none', () => {
  expect(() => queryFile(target, { query: '$.items[?' }, 1000)).toThrow('is no JSONPath');
});

test('a file that breaks off says so', async () => {
  const file = join(reading.folder, 'broken.json');
  await writeFile(file, text.slice(0, 900));
  await using handle = await open(file);
  const broken = { fd: handle.fd, file, kind: 'json', bytes: 900 } as const;
  expect(() => queryFile(broken, { query: '$.big' }, 1000)).toThrow('breaks off at byte 900');
});

/** Reading files that do not fit in memory. (1 GB: `npm run bench -- results`.) */
import { open } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SpillQuery } from '../../../../src-main/core/spills/spill-queries.ts';
import { Reading } from './reading.ts';

/** 210 MB: numbered lines of 100 bytes. */
const lineCount = 2_100_000;
const longestGrowth = 200_000_000;

let reading: Reading;
let file: string;
beforeAll(async () => {
  reading = await Reading.start();
  file = await reading.write('', 'big');
  await using handle = await open(file, 'w');
  const linesAtOnce = 100_000;
  for (let first = 1; first <= lineCount; first += linesAtOnce) {
    const lines = Array.from({ length: linesAtOnce }, (_, i) => `line ${first + i} `.padEnd(99, '.'));
    await handle.write(`${lines.join('\n')}\n`);
  }
}, 60_000);
afterAll(() => reading[Symbol.asyncDispose]());

const line = (number: number): string => `line ${number} `.padEnd(99, '.');

describe('a file of 210 MB', () => {
  test.each<[SpillQuery, string]>([
    [{ op: 'head', lines: 1 }, line(1)],
    [{ op: 'tail', lines: 2 }, `${line(lineCount)}\n`],
    [{ op: 'slice', fromLine: 2_099_999, toLine: 2_099_999 }, line(2_099_999)],
    [{ op: 'slice', fromLine: 1_500_000, toLine: 1_500_001 }, `${line(1_500_000)}\n${line(1_500_001)}`],
    [{ op: 'read', maxBytes: 99 }, line(1)],
    [{ op: 'grep', pattern: '^line 1718281 ', context: 0 }, `1718281: ${line(1_718_281)}`],
  ])('is queried with %j without being loaded into memory', { timeout: 60_000 }, async (question, expected) => {
    const before = process.memoryUsage().rss;
    const { text, fields } = await reading.ask(file, question, { kind: 'text' });
    expect(text.replace(/\n\[TRUNCATED.*$/, '')).toBe(expected);
    expect(fields['totalLines']).toBe(lineCount + 1);
    expect(process.memoryUsage().rss - before).toBeLessThan(longestGrowth);
  });

  test('counts every match of a pattern that all lines have', { timeout: 60_000 }, async () => {
    const { fields } = await reading.ask(file, { op: 'grep', pattern: 'LINE', context: 2 }, { kind: 'text' });
    expect(fields).toMatchObject({ matchCount: lineCount });
  });

  test.each<[SpillQuery]>([
    [{ op: 'schema' }],
    [{ op: 'query', query: '$' }],
    [{ op: 'table', fromRow: 1, rows: 1 }],
    [{ op: 'sql', query: 'SELECT 1' }],
  ])('is rejected for %j with an alternative', async (question) => {
    await expect(reading.ask(file, question)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('64 MB') as string,
      fix: expect.stringContaining("op='grep'") as string,
    });
  });

  test("is a table of lines for SQL without using the core's memory", { timeout: 120_000 }, async () => {
    const before = process.memoryUsage().rss;
    const query = "SELECT count(*), max(line) FROM rows WHERE text LIKE 'line 20%'";
    const { text } = await reading.ask(file, { op: 'sql', query }, { kind: 'text' });
    expect(text.split('\n')[1]).toBe('111111\t2099999');
    expect(process.memoryUsage().rss - before).toBeLessThan(longestGrowth);
  });
});

describe('a large JSON result', () => {
  test('is queried without blocking the core or using its memory', { timeout: 60_000 }, async () => {
    const row = (id: number): string => JSON.stringify({ id, name: `row ${id}`, tags: ['a', 'b'], on: id % 2 === 0 });
    const rows = Array.from({ length: 200_000 }, (_, i) => row(i)).join(',\n');
    const json = await reading.write(`{"rows":[\n${rows}\n]}`, 'json');
    const before = process.memoryUsage().rss;
    const { text } = await reading.ask(json, { op: 'query', query: '$.rows[199999].name' });
    const shape = await reading.ask(json, { op: 'schema' });
    expect(text.split('\n')[0]).toBe('"row 199999"');
    expect(shape.text).toContain('id: number');
    expect(process.memoryUsage().rss - before).toBeLessThan(longestGrowth);
  });

  // JSON.parse checks no limit: when the heap is full, V8 ends its process.
  test('that exceeds the memory limit ends neither the core nor the next query', { timeout: 60_000 }, async () => {
    await using small = await Reading.start({ dataMemory: 64 * 1024 * 1024 });
    const dense = await small.write(`[${'{},'.repeat(5_000_000)}1]`);
    await expect(small.ask(dense, { op: 'query', query: '$[?@.a]' })).rejects.toMatchObject({
      code: 'unsupported',
      message: 'The file is too large to load as data.',
    });
    expect((await small.ask(dense, { op: 'grep', pattern: '1', context: 0 })).fields['matchCount']).toBe(1);
  });
});

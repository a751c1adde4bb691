/** stat, head, tail, slice, read and grep: what they return of a file, and where they truncate it. */
import { appendFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src-main/core/base/json.ts';
import type { SpillQuery } from '../../../../src-main/core/spills/spill-queries.ts';
import { Reading } from './reading.ts';

let reading: Reading;
beforeAll(async () => void (reading = await Reading.start()));
afterAll(() => reading[Symbol.asyncDispose]());

const ten = Array.from({ length: 10 }, (_, i) => `line ${i + 1}`).join('\n');

describe('lines', () => {
  test.each<[string, SpillQuery, string, JsonObject]>([
    [ten, { op: 'head', lines: 3 }, 'line 1\nline 2\nline 3', { lines: 3, totalLines: 10 }],
    [ten, { op: 'head', lines: 50 }, ten, { lines: 50, totalLines: 10 }],
    [ten, { op: 'tail', lines: 2 }, 'line 9\nline 10', { lines: 2, totalLines: 10 }],
    [ten, { op: 'tail', lines: 50 }, ten, { lines: 50, totalLines: 10 }],
    [`${ten}\n`, { op: 'tail', lines: 2 }, 'line 10\n', { lines: 2, totalLines: 11 }],
    [
      ten,
      { op: 'slice', fromLine: 5, toLine: 7 },
      'line 5\nline 6\nline 7',
      { fromLine: 5, toLine: 7, totalLines: 10 },
    ],
    [
      ten,
      { op: 'slice', fromLine: 9, toLine: undefined },
      'line 9\nline 10',
      { fromLine: 9, toLine: 10, totalLines: 10 },
    ],
    [ten, { op: 'slice', fromLine: 10, toLine: 99 }, 'line 10', { fromLine: 10, toLine: 10, totalLines: 10 }],
    [
      ten,
      { op: 'slice', fromLine: 12, toLine: 99 },
      '(the file ends with line 10)',
      { fromLine: 10, toLine: 10, totalLines: 10 },
    ],
    ['a\n\nb', { op: 'slice', fromLine: 2, toLine: 2 }, '', { fromLine: 2, toLine: 2, totalLines: 3 }],
    [ten, { op: 'read', maxBytes: undefined }, ten, { totalLines: 10, byteSize: 70 }],
    ['', { op: 'head', lines: 1 }, '', { lines: 1, totalLines: 1 }],
  ])('of %j: %j returns %j', async (content, question, text, fields) => {
    expect(await reading.askOf(content, question)).toEqual({ text, fields, truncated: false });
  });

  test.each([
    ['', 0, 1],
    ['é\n', 3, 2],
    ['a\nb', 3, 2],
  ])('stat of %j reports %i bytes in UTF-8 and %i lines', async (content, byteSize, lineCount) => {
    const file = await reading.write(content);
    const { text, fields } = await reading.ask(file, { op: 'stat' });
    expect(text).toBe(
      `File: ${file}\nSize: ${byteSize} bytes (~${Math.ceil(byteSize / 4)} tokens)\nLines: ${lineCount}`,
    );
    expect(fields).toEqual({ byteSize, lineCount, estimatedTokens: Math.ceil(byteSize / 4) });
  });

  test('are found in a file of several megabytes', async () => {
    const many = Array.from({ length: 400_000 }, (_, i) => `line ${i + 1}`).join('\n');
    const file = await reading.write(many);
    for (const line of [1, 2, 100_000, 250_001, 399_999, 400_000]) {
      const { text } = await reading.ask(file, { op: 'slice', fromLine: line, toLine: line });
      expect(text).toBe(`line ${line}`);
    }
  });

  test('of a changed file are read again', async () => {
    const file = await reading.write('a\nb');
    await reading.ask(file, { op: 'stat' });
    await reading.write('a\nb\nc');
    expect((await reading.ask(file, { op: 'stat' })).fields['lineCount']).toBe(3);
  });
});

describe('truncation', () => {
  test('cuts between characters, and names where to go on', async () => {
    const file = await reading.write('é'.repeat(100));
    const first = await reading.ask(file, { op: 'read', maxBytes: 21 });
    expect(first.text).toBe(
      `${'é'.repeat(10)}\n[TRUNCATED at 21 bytes of 200. Continue with op='read', fromByte=20; the file has 200 bytes]`,
    );
    expect(first).toMatchObject({ truncated: true, fields: { byteSize: 200, totalLines: 1 } });
    const rest = await reading.ask(file, { op: 'read', maxBytes: 1000, fromByte: 20 });
    expect(rest).toMatchObject({ text: 'é'.repeat(90), truncated: false });
  });

  test.each<[SpillQuery]>([
    [{ op: 'head', lines: 10 }],
    [{ op: 'slice', fromLine: 2, toLine: 9 }],
    [{ op: 'tail', lines: 9 }],
    [{ op: 'grep', pattern: 'line', context: 0 }],
    [{ op: 'read', maxBytes: undefined }],
  ])('adds a note at maxBytes: %j', async (question) => {
    const { text, truncated } = await reading.askOf(ten, question, { maxBytes: 30 });
    expect([truncated, text]).toEqual([true, expect.stringContaining('[TRUNCATED at 30 bytes')]);
    expect(text.replace(/\n?\[TRUNCATED.*\]\n?/, '').length).toBeLessThanOrEqual(30);
  });

  test.each(['head', 'tail'] as const)('suggests grep for %s in a file of one line', async (op) => {
    const { text } = await reading.askOf('x'.repeat(100), { op, lines: 5 }, { maxBytes: 30 });
    expect(text).toContain(" It is a single line: op='grep' shows what surrounds a match.");
  });

  test('of a tail removes its beginning', async () => {
    const { text } = await reading.askOf(ten, { op: 'tail', lines: 9 }, { maxBytes: 14 });
    expect(text).toMatch(/^\[TRUNCATED .* fromByte=7\]\nline 9\nline 10$/);
  });

  test('of one line of 300 MB costs neither time nor memory', async () => {
    // Starts the thread before its memory is measured.
    await reading.askOf('small\n', { op: 'grep', pattern: 'SMALL', context: 0 }, { kind: 'text' });
    const file = await reading.write('');
    const piece = Buffer.alloc(10_000_000, 'x');
    for (let at = 0; at < 30; at++) await appendFile(file, piece);
    await appendFile(file, 'needle');
    const before = process.memoryUsage().rss;
    for (const question of [
      { op: 'head', lines: 1 },
      { op: 'tail', lines: 1 },
      { op: 'slice', fromLine: 1, toLine: 1 },
      { op: 'read', maxBytes: undefined },
    ] as const) {
      const { text, truncated } = await reading.ask(file, question, { kind: 'text' });
      expect([truncated, text.length < 17_000]).toEqual([true, true]);
    }
    const found = await reading.ask(file, { op: 'grep', pattern: 'NEEDLE', context: 1 }, { kind: 'text' });
    expect(found.fields).toMatchObject({ matchCount: 1, totalLines: 1 });
    expect(found.text).toMatch(/^1: …x{994}needle \[a part of the line: more with op='read', fromByte=299999006\]$/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });
});

describe('grep', () => {
  const items = Array.from({ length: 20 }, (_, i) => `item ${i + 1}`).join('\n');
  const grep = (
    content: string,
    pattern: string,
    context = 0,
    limit?: number,
  ): Promise<{ text: string; fields: JsonObject }> => reading.askOf(content, { op: 'grep', pattern, context, limit });

  test('matches a regular expression, ignoring case, and returns line numbers', async () => {
    const { text, fields } = await grep(items, 'ITEM 1[05]');
    expect(text).toBe('10: item 10\n---\n15: item 15');
    expect(fields).toEqual({ pattern: 'ITEM 1[05]', matchCount: 2, returnedMatches: 2, totalLines: 20 });
  });

  test.each([
    ['item 1[05]', 1, '9: item 9\n10: item 10\n11: item 11\n---\n14: item 14\n15: item 15\n16: item 16'],
    ['item (3|5)', 1, '2: item 2\n3: item 3\n4: item 4\n5: item 5\n6: item 6'],
    ['item (1|20)$', 1, '1: item 1\n2: item 2\n---\n19: item 19\n20: item 20'],
    [
      'item 2$',
      1_000_000,
      items
        .split('\n')
        .map((line, i) => `${i + 1}: ${line}`)
        .join('\n'),
    ],
  ])('shows for %j %i lines of context', async (pattern, context, expected) => {
    expect((await grep(items, pattern, context)).text).toBe(expected);
  });

  test.each([
    ['a[b', 'a[b(c\nab', '1: a[b(c'],
    ['(', 'f(x)\nf', '1: f(x)'],
    ['end$', 'the end\r\nends\r\n', '1: the end\r'],
    ['zzz', 'a\nb', '(no matches)'],
    ['^$', 'a\n', '2: '],
  ])('%j in %j finds %j', async (pattern, content, expected) => {
    expect((await grep(content, pattern)).text).toBe(expected);
  });

  test('counts all matches, and shows as many as requested', async () => {
    const { text, fields } = await grep(Array.from({ length: 30 }, () => 'match').join('\n'), 'match', 0, 5);
    expect(fields).toMatchObject({ matchCount: 30, returnedMatches: 5, limited: true });
    expect(text).toBe('1: match\n2: match\n3: match\n4: match\n5: match\n[LIMITED to first 5 of 30 matches]');
  });

  test('shows the part of a long line around the match', async () => {
    const { text } = await grep(`${'x'.repeat(5000)}needle${'y'.repeat(5000)}`, 'needle');
    expect(text).toMatch(/^1: …x{200}needley+… \[characters 4801 to 5800 of 10006\]$/);
  });

  test('finds matches across chunk boundaries', async () => {
    const content = `${'x'.repeat(65_533)}needle${'y'.repeat(70_000)}\n${'x'.repeat(4 * 1024 * 1024 - 3)}needle${'x'.repeat(5_000_000)}`;
    expect((await grep(content, 'needle')).fields).toMatchObject({ matchCount: 2, returnedMatches: 2 });
  });
});

describe('bytes that are not text', () => {
  test('are shown as replacement characters if invalid in UTF-8', async () => {
    const content = Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xe2, 0x82]);
    expect((await reading.askOf(content, { op: 'head', lines: 5 })).text).toBe('a\ufffdb\n\ufffd');
    expect((await reading.askOf(content, { op: 'grep', pattern: 'b', context: 0 })).text).toBe('1: a\ufffdb');
  });

  test('of a picture are described by stat, and other operations name resources/read', async () => {
    const content = Buffer.from([0x89, 0x50]);
    const { text, fields } = await reading.askOf(content, { op: 'stat' }, { kind: 'image' });
    expect([text, fields]).toEqual([expect.stringMatching(/Size: 2 bytes\nKind: image, not text$/), { byteSize: 2 }]);
    await expect(reading.askOf(content, { op: 'head', lines: 1 }, { kind: 'image' })).rejects.toMatchObject({
      code: 'unsupported',
      fix: expect.stringContaining('resources/read') as string,
    });
  });
});

describe('grep in JSON', () => {
  const rows = [
    { id: 7, name: 'Ada', place: { city: 'London', tags: [{ k: 'north' }] } },
    { id: 8, name: 'Bo', text: 'x'.repeat(3000), notes: [{ by: 'Ada', on: 1.5 }] },
    { id: 9, name: 'Ada', also: 'Ada' },
  ];
  const grep = (value: unknown, pattern: string, limit?: number): Promise<{ text: string; fields: JsonObject }> =>
    reading.askOf(JSON.stringify(value, null, 2), { op: 'grep', pattern, context: 0, limit, elements: true });

  test('returns a whole list element once, however deep and often it matches', async () => {
    const { text, fields } = await grep({ total: 3, rows }, 'london|"Ada"');
    expect(text.split('\n')).toEqual([
      `4-15: ${JSON.stringify(rows[0])}`,
      `21-24: {"by":"Ada","on":1.5} [in an element of lines 16 to 26, too long to show: op='slice']`,
      `27-31: ${JSON.stringify(rows[2])}`,
    ]);
    expect(fields).toEqual({ pattern: 'london|"Ada"', matchCount: 5, returnedMatches: 5, totalLines: 33 });
  });

  test('returns the line if the element is too long, and says so', async () => {
    const { text } = await grep(rows, '"Bo"');
    expect(text).toMatch(/^\d+: "name": "Bo", \[in an element of lines \d+ to \d+, too long to show: op='slice'\]$/);
  });

  test('returns the line outside of lists', async () => {
    expect((await grep({ total: 3, rows }, 'total')).text).toBe('2:   "total": 3,');
  });

  test('counts the matches beyond a limit', async () => {
    const { text, fields } = await grep(rows, '"name"', 1);
    expect(text).toBe(`2-13: ${JSON.stringify(rows[0])}\n[LIMITED to first 1 of 3 matches]`);
    expect(fields).toMatchObject({ matchCount: 3, returnedMatches: 1, limited: true });
  });

  test('returns lines if context is requested', async () => {
    const asked = { op: 'grep', pattern: '"id": 9', context: 1, elements: true } as const;
    const { text } = await reading.askOf(JSON.stringify(rows, null, 2), asked);
    expect(text).toMatch(/^\d+: {3}\{\n\d+: {5}"id": 9,\n\d+: {5}"name": "Ada",$/);
  });
});

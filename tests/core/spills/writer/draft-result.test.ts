/** How a result is divided into parts, whatever its content blocks are. */
import { describe, expect, test } from 'vitest';
import { draftResult } from '../../../../src-main/core/spills/writer/draft-result.ts';
import type { DraftedPart } from '../../../../src-main/core/spills/spill-writer-messages.ts';

interface Told {
  readonly parts: readonly (readonly [kind: string, mimeType: string, extension: string, content: string])[];
  readonly inline: unknown;
  readonly rest: unknown;
}

interface Read extends Told {
  readonly drafted: readonly DraftedPart[];
}

function read(result: unknown, textKind: 'text' | 'toon' = 'text'): Read {
  const draft = draftResult(Buffer.from(typeof result === 'string' ? result : JSON.stringify(result)), textKind);
  const { inline, rest } = JSON.parse(draft.remains) as { inline: unknown; rest: unknown };
  const parts = draft.parts.map((part) => {
    return [part.kind, part.mimeType, part.extension, Buffer.from(part.content ?? []).toString('utf8')] as const;
  });
  return { parts, inline, rest, drafted: draft.parts };
}

function told(result: unknown): Told {
  const { parts, inline, rest } = read(result);
  return { parts, inline, rest };
}

const long = 'a line of a long text\n'.repeat(100);
const data = { items: [{ id: 1, name: 'é' }], total: 1 };
const laidOut = JSON.stringify(data, null, 2);
const text = (content: string): object => ({ type: 'text', text: content });
const json = (content: string) => ['json', 'application/json', 'json', content] as const;
const plain = (content: string) => ['text', 'text/plain', 'txt', content] as const;
const lines = (content: string) => ['text', 'application/x-ndjson', 'txt', content] as const;
const link = { type: 'resource_link', uri: 'file:///x', name: 'x' };

const cases: readonly (readonly [name: string, result: unknown, expected: Partial<Told>])[] = [
  ['keeps a text unchanged', { content: [text(long)] }, { parts: [plain(long)], inline: [], rest: {} }],
  ['stores a single short text as a part', { content: [text('short')] }, { parts: [plain('short')], inline: [] }],
  ['indents a text that is JSON', { content: [text(JSON.stringify(data))] }, { parts: [json(laidOut)] }],
  ['keeps a text that begins like JSON as text', { content: [text('[INFO] up\n')] }, { parts: [plain('[INFO] up\n')] }],
  ['keeps lines of JSON as lines', { content: [text('{"a":1}\n{"a":2}\n')] }, { parts: [lines('{"a":1}\n{"a":2}\n')] }],
  ['keeps a number as text', { content: [text('12')] }, { parts: [plain('12')] }],
  ['detects JSON after white space', { content: [text(' \n{"a":1} \n')] }, { parts: [json('{\n  "a": 1\n}')] }],
  [
    'stores structured content as the main part',
    { content: [text(long)], structuredContent: data },
    { parts: [json(laidOut), plain(long)] },
  ],
  [
    'drops a text equal to the structured content, whatever its layout and escapes',
    { content: [text(JSON.stringify(data, null, 4).replace('é', '\\u00e9'))], structuredContent: data },
    { parts: [json(laidOut)], inline: [] },
  ],
  [
    'keeps a text that differs from the structured content',
    { content: [text('{"items":[],"total":0}')], structuredContent: data },
    { parts: [json(laidOut)], inline: [text('{"items":[],"total":0}')] },
  ],
  [
    'stores a text that is repeated in a wrapper once, as text',
    { content: [text(long)], structuredContent: { result: long } },
    { parts: [plain(long)], inline: [] },
  ],
  [
    'stores JSON that is repeated in a wrapper once',
    { content: [text('[1]')], structuredContent: { result: '[1]' } },
    { parts: [json('[\n  1\n]')], inline: [] },
  ],
  [
    'recognizes a wrapper of any name',
    { content: [text('[1]')], structuredContent: { content: '[1]' } },
    { parts: [json('[\n  1\n]')], inline: [] },
  ],
  [
    'keeps a wrapper of another text',
    { content: [text(long)], structuredContent: { result: `${long}.` } },
    { parts: [json(JSON.stringify({ result: `${long}.` }, null, 2)), plain(long)] },
  ],
  [
    'keeps a wrapper with more members',
    { content: [text('a')], structuredContent: { result: 'a', more: 1 } },
    { parts: [json('{\n  "result": "a",\n  "more": 1\n}')], inline: [text('a')] },
  ],
  [
    'accepts structured content before content',
    `{"structuredContent":${JSON.stringify(data)},"content":[]}`,
    { parts: [json(laidOut)] },
  ],
  [
    'keeps a short text beside a long one inline',
    { content: [text('see below'), text(long)] },
    { parts: [plain(long)], inline: [text('see below')] },
  ],
  [
    'stores two long texts as two parts',
    { content: [text(long), text(`${long}b`)] },
    { parts: [plain(long), plain(`${long}b`)] },
  ],
  [
    'decodes an image',
    { content: [{ type: 'image', data: Buffer.from('PNG bytes').toString('base64'), mimeType: 'image/png' }] },
    { parts: [['image', 'image/png', 'png', 'PNG bytes']], inline: [] },
  ],
  [
    'does not depend on the order of members',
    '{"content":[{"mimeType":"audio/wav","data":"c291bmQ=","type":"audio"}]}',
    { parts: [['audio', 'audio/wav', 'wav', 'sound']] },
  ],
  [
    'decodes base64 with escaped slashes, line breaks, URL letters and no padding',
    '{"content":[{"type":"image","mimeType":"x/y","data":"\\/v8\\n-_-Q\\r\\nQQQ"}]}',
    { parts: [['image', 'x/y', 'bin', Buffer.from('/v8-_-QQQQ', 'base64').toString('utf8')]] },
  ],
  [
    'keeps an image with invalid base64 inline',
    { content: [{ type: 'image', data: 'no base64!', mimeType: 'image/png' }, text(long)] },
    { parts: [plain(long)], inline: [{ type: 'image', data: 'no base64!', mimeType: 'image/png' }] },
  ],
  [
    'stores a long image with invalid base64 as text',
    { content: [{ type: 'image', data: `!${long}`, mimeType: 'image/png' }] },
    { parts: [plain(`!${long}`)], inline: [] },
  ],
  [
    'keeps the type of an embedded text',
    {
      content: [
        { type: 'resource', resource: { uri: 'file:///a.md', mimeType: 'text/markdown; charset=utf-8', text: long } },
      ],
    },
    { parts: [['text', 'text/markdown', 'md', long]] },
  ],
  [
    'decodes an embedded blob',
    {
      content: [
        {
          type: 'resource',
          resource: { blob: Buffer.from('%PDF').toString('base64'), mimeType: 'application/pdf', uri: 'x:y' },
        },
      ],
    },
    { parts: [['binary', 'application/pdf', 'pdf', '%PDF']] },
  ],
  [
    'gives an executable type no executable extension',
    { content: [{ type: 'resource', resource: { uri: 'x:y', blob: 'TVo=', mimeType: 'application/x-msdownload' } }] },
    { parts: [['binary', 'application/x-msdownload', 'bin', 'MZ']] },
  ],
  [
    'keeps links and unknown blocks inline',
    { content: [link, text(long), { type: 'new', data: 'abcd', n: 1 }] },
    { parts: [plain(long)], inline: [link, { type: 'new', data: 'abcd', n: 1 }] },
  ],
  [
    'keeps isError and _meta beside the content',
    { isError: true, content: [text(long)], _meta: { a: [1] } },
    { parts: [plain(long)], rest: { isError: true, _meta: { a: [1] } } },
  ],
  [
    'stores a long unknown member as a part',
    { content: [], toolResult: { text: long + long } },
    { parts: [json(JSON.stringify({ text: long + long }, null, 2))], rest: {} },
  ],
  [
    'stores a result of links alone as JSON',
    { content: [link] },
    { parts: [json(JSON.stringify({ content: [link] }, null, 2))] },
  ],
  ['stores an empty result as JSON', { content: [] }, { parts: [json('{\n  "content": []\n}')] }],
  [
    'uses the last of two members with the same name',
    `{"content":[{"type":"text","text":"old"}],"isError":true,"content":[{"type":"text","text":"a","text":"new"}],"isError":false}`,
    { parts: [plain('new')], rest: { isError: false } },
  ],
  [
    'replaces an unpaired surrogate in a text',
    '{"content":[{"type":"text","text":"a\\ud800b\\udc00\\ud83d\\ude00"}]}',
    { parts: [plain('a\ufffdb\ufffd😀')] },
  ],
  [
    'keeps an unpaired surrogate in structured content as an escape',
    '{"content":[],"structuredContent":{"a":"\\ud800"}}',
    { parts: [json('{\n  "a": "\\ud800"\n}')] },
  ],
  [
    'stores a result that is not JSON as text',
    '{"content":[{"type":"text","text":"a"}',
    { parts: [plain('{"content":[{"type":"text","text":"a"}')] },
  ],
  ['stores blocks that are not objects as text', '{"content":["a"]}', { parts: [plain('{"content":["a"]}')] }],
  ['stores very deep brackets', `{"content":[],"structuredContent":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, {}],
];

test.each(cases)('%s', (_name, result, expected) => {
  expect(told(result)).toMatchObject(expected);
});

test('keeps the spelling of numbers everywhere', () => {
  const { parts, drafted } = read(
    '{"content":[{"type":"text","text":"{\\"n\\":1.0}"},{"type":"new","n":1.0}],"structuredContent":{"n":12345678901234567890},"_meta":{"n":1e2}}',
  );
  expect(parts.map(([, , , content]) => content)).toEqual(['{\n  "n": 12345678901234567890\n}']);
  expect(drafted).toHaveLength(1);
});

test('keeps a text that turns out not to be JSON as text', () => {
  const log = `[${'1,'.repeat(100_000)}oops`;
  expect(told({ content: [text(log)] }).parts).toEqual([plain(log)]);
});

test('gathers many texts in one file, in their order', () => {
  const texts = Array.from({ length: 3000 }, (_, at) => `{"id":${at},"name":"number ${at}"}`);
  const { parts, inline, drafted } = read({ content: texts.map(text) });
  expect({ parts, inline }).toEqual({ parts: [lines(texts.join('\n'))], inline: [] });
  expect(drafted[0]?.summary).toMatchObject({
    shape: ['3000 concatenated texts'],
    tables: ['rows(id, name), 3 000 rows'],
  });
});

test('gathers many long texts', () => {
  const texts = Array.from({ length: 50 }, (_, at) => `${at} ${long}`);
  expect(told({ content: texts.map(text) }).parts).toEqual([plain(texts.join('\n'))]);
});

test('does not keep a thousand links inline', () => {
  const links = Array.from({ length: 1000 }, (_, at) => ({ ...link, name: `number ${at}` }));
  const { parts, inline } = read({ content: links });
  const kept = [
    ...(inline as object[]),
    ...(parts[0]?.[3].split('\n').map((line) => JSON.parse(line) as object) ?? []),
  ];
  expect(kept).toEqual(links);
  expect(JSON.stringify(inline).length).toBeLessThan(17_000);
});

test('stores texts that are not JSON as TOON if requested', () => {
  const { parts } = read({ content: [text('items[1]{id}:\n  1')] }, 'toon');
  expect(parts).toEqual([['toon', 'text/toon', 'toon', 'items[1]{id}:\n  1']]);
});

describe('the summary', () => {
  const summary = (content: string) => read({ content: [text(content)] }).drafted[0]?.summary;

  test('shows members, types, lengths and ranges', () => {
    const items = Array.from({ length: 1204 }, (_, at) => ({
      id: at + 1,
      name: `n${at}`,
      tags: at % 2 ? ['a'] : null,
    }));
    expect(summary(JSON.stringify({ items, total: 1204, next: null }))).toMatchObject({
      shape: [
        'items: array of 1 204 objects {id: number 1…1204, name: string, tags: null | array of 1 string ("a")}',
        'total: number 1204',
        'next: null',
      ],
      topLevelKeys: ['items', 'total', 'next'],
    });
  });

  test('shows recurring values of a long list', () => {
    const items = Array.from({ length: 60_000 }, (_, id) => ({
      id,
      state: id % 3 === 0 ? 'closed' : 'open',
      seventh: id % 6,
    }));
    expect(summary(JSON.stringify(items))).toMatchObject({
      shape: [
        expect.stringMatching(
          /^array of 60 000 objects \{id: number 0…59999, state: "closed" \| "open", seventh: number 0…5\}/,
        ),
      ],
      sqlExample: 'SELECT state, count(*) FROM rows GROUP BY state ORDER BY 2 DESC',
    });
  });

  test('shows the elements of a list', () => {
    expect(summary('[[1,2],[],[-3.5]]')).toMatchObject({
      shape: ['array of 3 arrays (array of 0…2 numbers -3.5…2)'],
      elements: 3,
    });
  });

  test('stays short for any result', () => {
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`key ${at} ${'x'.repeat(at % 300)}`, at]));
    for (const value of [wide, [wide, wide], { a: wide, b: [[wide]] }]) {
      const { shape = [] } = summary(JSON.stringify(value)) ?? {};
      expect(shape.length).toBeLessThanOrEqual(12);
      expect(shape.join('\n').length).toBeLessThanOrEqual(1000);
    }
  });

  test('shows 300 characters of the beginning and 150 of the end, of JSON without indentation', () => {
    const value = Array.from({ length: 2000 }, (_, at) => ({ id: at, name: 'a: b, c' }));
    const compact = JSON.stringify(value);
    expect(summary(JSON.stringify(value, null, 3))).toMatchObject({
      head: compact.slice(0, 300),
      tail: compact.slice(-150),
    });
  });

  test('never splits a character', () => {
    const { head = '', tail = '' } = summary(`a${'😀'.repeat(10_000)}`) ?? {};
    expect([head, tail].map((end) => end.isWellFormed() && !end.includes('\ufffd'))).toEqual([true, true]);
    expect([head.length, tail.length]).toEqual([299, 150]);
  });

  test('has no tail if the head is everything, and never overlaps it', () => {
    expect(summary('short')).toMatchObject({ head: 'short', tail: '' });
    const numbers = Array.from({ length: 120 }, (_, at) => `${at}`.padStart(3)).join('');
    expect(summary(numbers)).toMatchObject({ head: numbers.slice(0, 300), tail: numbers.slice(300) });
  });

  test('warns of one endless line', () => {
    expect(summary('x'.repeat(5000))?.shape).toEqual(['in one line']);
    expect(summary(`a\n${'x'.repeat(5000)}\nb`)?.shape).toEqual(['the longest line has 5 000 bytes']);
  });
});

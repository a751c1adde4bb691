/**
 * Long results are written by a worker thread, unchanged, without blocking the main thread or holding them in memory.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openActivity } from '../activity/fixture.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';
import { type OpenStore, openStore, origin, raw, textResult } from './spill-fixture.ts';

let open: OpenStore;
beforeEach(async () => {
  open = await openStore();
});
afterEach(() => open[Symbol.asyncDispose]());

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

const row = (id: number): object => ({ id, name: `né ${id}`, tags: ['a', 'b'], at: { x: id / 3 } });

test.each([1, 127, 129, 1000, 20_000, 64_000])('stores a text of %d kB unchanged', async (kilobytes) => {
  const text = `line of "text" \\ with é and 😀 ${'x'.repeat(40)}\n`.repeat(kilobytes * 12).slice(0, kilobytes * 1000);
  const { parts, resultBytes } = await open.store.spill(raw(JSON.stringify(textResult(text))), origin);
  const [{ spill }] = parts;
  expect(resultBytes).toBe(Buffer.byteLength(text.toWellFormed()));
  expect([spill.kind, spill.bytes, spill.lines]).toEqual([
    'text',
    Buffer.byteLength(text.toWellFormed()),
    text.split('\n').length,
  ]);
  expect(await hashOf(spill.file)).toBe(hash(text.toWellFormed()));
});

test('stores JSON of 30 MB, sent as text and structured, once and indented', async () => {
  const rows = Array.from({ length: 300_000 }, (_, at) => row(at));
  const content = textResult(JSON.stringify({ rows }))['content'];
  const { parts, inline } = await open.store.spill(
    raw(JSON.stringify({ content, structuredContent: { rows } })),
    origin,
  );
  expect([parts.length, inline]).toEqual([1, []]);
  expect(parts[0].summary.shape).toEqual([
    expect.stringMatching(/^rows: array of 300 000 objects \{id: number 0…\d+, name: string, .*\(sampled\)$/),
  ]);
  expect(await hashOf(parts[0].spill.file)).toBe(hash(JSON.stringify({ rows }, null, 2)));
  expect(readdirSync(open.folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('stores an image of 24 MB decoded, beside a long text', async () => {
  const image = randomBytes(24_000_000);
  const content = [
    { type: 'image', data: image.toString('base64'), mimeType: 'image/webp' },
    { type: 'text', text: 'what it shows\n'.repeat(100_000) },
  ];
  const { parts } = await open.store.spill(raw(JSON.stringify({ content })), origin);
  expect(parts.map(({ spill }) => [spill.kind, spill.bytes, spill.answerId])).toEqual([
    ['image', 24_000_000, parts[0].spill.id],
    ['text', 1_400_000, parts[0].spill.id],
  ]);
  expect(await hashOf(parts[0].spill.file)).toBe(hash(image));
});

test('stores a text of 100 MB with a few megabytes of memory', { timeout: 120_000 }, async () => {
  const chunk = Buffer.from('no end of it, '.repeat(5000));
  const chunks = [
    Buffer.from('{"content":[{"type":"text","text":"'),
    ...Array<Buffer>(1430).fill(chunk),
    Buffer.from('"}]}'),
  ];
  const before = process.memoryUsage.rss();
  let most = before;
  const looking = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
  const { parts } = await open.store.spill(new RawJson(chunks), origin);
  clearInterval(looking);
  expect(parts[0].spill).toMatchObject({ kind: 'text', bytes: 100_100_000, lines: 1 });
  expect((most - before) / 1e6).toBeLessThan(120);
});

describe('a result over 64 MB', () => {
  const row = String.raw`1;\"a \\ b\";é\u20ac\ud83d\ude00;\/${'plain '.repeat(100)}\n`;
  const unescaped = JSON.parse(`"${row}"`) as string;
  const line = Buffer.from(row);
  const count = Math.ceil((66 * 1024 * 1024) / line.length);
  const result = (open: string, close: string, chunkBytes: number): RawJson =>
    raw(Buffer.concat([Buffer.from(open), ...Array<Buffer>(count).fill(line), Buffer.from(close)]), chunkBytes);
  const opening = '{"content": [{"type":"text", "text":"';

  test.each([65_536, 65_537, 999_983])(
    'with one text is stored by lines, in chunks of %d bytes',
    async (chunkBytes) => {
      const close = `"},{"type":"resource_link","uri":"x:y","name":"x"}],"isError":true,"_meta":{"a":1}}`;
      const kept = await open.store.spill(result(opening, close, chunkBytes), origin);
      const [{ spill, summary }] = kept.parts;
      expect(spill).toMatchObject({ kind: 'text', lines: count + 1, tokensEstimated: true });
      expect(await hashOf(spill.file)).toBe(hash(Buffer.concat(Array<Buffer>(count).fill(Buffer.from(unescaped)))));
      expect(summary.head.slice(0, 20)).toBe(unescaped.slice(0, 20));
      expect(kept).toMatchObject({ isError: true, rest: { _meta: { a: 1 } }, inline: [{ uri: 'x:y' }] });
    },
  );

  test('has its other members below the text', async () => {
    const again = `"}],"structuredContent":{"result":"${'y'.repeat(100_000)}"}}`;
    const { parts } = await open.store.spill(result(opening, again, 65_536), origin);
    const bytes = Buffer.byteLength(unescaped) * count;
    expect(parts[0].spill.bytes).toBe(bytes + again.length);
  });

  test('of another form is stored as the bytes received', async () => {
    const form = '{"structuredContent":{"text":"';
    const { parts } = await open.store.spill(result(form, '"}}', 65_536), origin);
    expect(parts[0].spill.bytes).toBe(form.length + line.length * count + 3);
  });
});

test('does not delay shorter results while a long one is written', { timeout: 120_000 }, async () => {
  const finished: string[] = [];
  const chunk = Buffer.from('{"a":[1,2,3]},'.repeat(5000));
  const json = [
    Buffer.from('{"content":[],"structuredContent":{"l":['),
    ...Array<Buffer>(850).fill(chunk),
    Buffer.from('1]}}'),
  ];
  const long = open.store.spill(new RawJson(json), origin).then(() => finished.push('60 MB'));
  await open.store
    .spill(raw(JSON.stringify(textResult('y'.repeat(2_000_000)))), origin)
    .then(() => finished.push('2 MB'));
  await open.store.spill(textResult('short'), origin).then(() => finished.push('short'));
  await long;
  expect(finished).toEqual(['2 MB', 'short', '60 MB']);
});

test('keeps the event loop free while 60 MB are written', { timeout: 120_000 }, async () => {
  const chunk = Buffer.from('a line of a log\\n'.repeat(4000));
  const result = new RawJson([
    Buffer.from('{"content":[{"type":"text","text":"'),
    ...Array<Buffer>(1000).fill(chunk),
    Buffer.from('"}]}'),
  ]);
  let steps = 0;
  let kept = false;
  const keeping = open.store.spill(result, origin).then(() => (kept = true));
  // At least one step per half megabyte: nothing is copied at once.
  while (!kept) await new Promise((resolve) => setImmediate(resolve)).then(() => steps++);
  await keeping;
  expect(steps).toBeGreaterThan(120);
});

test('stores a long result that is not valid JSON as text', async () => {
  const text = `{"content":[{"type":"text","text":"${'abc '.repeat(500_000)}`;
  const { parts } = await open.store.spill(raw(text), origin);
  expect([parts[0].spill.kind, await hashOf(parts[0].spill.file)]).toEqual(['text', hash(text)]);
  expect(readdirSync(open.folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('accepts invalid UTF-8', async () => {
  const bytes = Buffer.from(JSON.stringify(textResult('x'.repeat(300_000))));
  bytes.set([0xff, 0xfe, 0xc3], 1000);
  const { parts } = await open.store.spill(raw(bytes), origin);
  expect(readFileSync(parts[0].spill.file, 'utf8').match(/\ufffd+/)?.[0]).toBe('\ufffd\ufffd\ufffd');
});

test('counts tokens up to 1 MB, and estimates them well beyond', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-counted-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await using log = openActivity(folder);
  const count = log.activity.countTokens.bind(log.activity);
  await using counted = await openStore({}, { countTokens: count });
  const line = 'The quick brown fox jumps over the lazy dog, and then it sleeps.\n';
  const perLine = (await count(line.repeat(1000))).tokens / 1000;
  const [small, large] = await Promise.all(
    [1000, 100_000].map((lines) => counted.store.spill(raw(JSON.stringify(textResult(line.repeat(lines)))), origin)),
  );
  expect(small?.parts[0].spill).toMatchObject({ tokens: Math.round(perLine * 1000), tokensEstimated: false });
  expect(small?.tokensEstimated).toBe(false);
  expect(large?.parts[0].spill.tokensEstimated).toBe(true);
  expect(large?.tokensEstimated).toBe(true);
  expect((large?.parts[0].spill.tokens ?? 0) / (perLine * 100_000)).toBeCloseTo(1, 1);
});

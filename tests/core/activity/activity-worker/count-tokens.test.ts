/** Tokens are counted exactly in bounded time, and huge texts are estimated. */
import { readFileSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { countTokens } from '../../../../src-main/core/activity/activity-worker/count-tokens.ts';
import { TokenCounts } from '../../../../src-main/core/activity/activity-worker/token-counts.ts';
import { sampleBytes, sampleText } from '../../../../src-main/core/spills/sample-text.ts';

function exactly(text: string): number {
  return encode(text, { disallowedSpecial: new Set() }).length;
}

const chinese = '工具返回的结果太长，所以我们把它保存在磁盘上。'.repeat(300);

const texts: [string, string][] = [
  ['English', 'The tool answered: three files were found, and none was changed.'],
  ['source code', readFileSync(import.meta.filename, 'utf8')],
  ['minified JSON without spaces', JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, ok: id % 2 === 0 })))],
  ['Chinese without spaces', chinese],
  ['emoji, accents, Thai', 'naïve café 🎉🎉👩‍👩‍👧 สวัสดีครับ ตัวอย่าง'.repeat(30)],
  ['base64', Buffer.from(chinese).toString('base64')],
  ['digits', '0123456789'.repeat(1000)],
  ['lines and indents', 'a\n  b\n\n\t\tc   \r\n'.repeat(200)],
  ['special tokens', 'x<|endoftext|>y<|im_start|>'],
];

test.each(texts)('counts the tokens of %s exactly', (_name, text) => {
  expect(countTokens(text)).toBe(exactly(text));
});

test('counts a special token as plain text', () => {
  expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
});

const runs: [string, string][] = [
  ['letters', 'a'.repeat(200_000)],
  ['spaces', ' '.repeat(200_000)],
  ['marks', '='.repeat(200_000)],
  ['accented letters', 'é'.repeat(100_000)],
  ['emoji', '🎉'.repeat(50_000)],
  ['accents before letters', ` ${'é'.repeat(1990)}${'a'.repeat(1990)}`.repeat(20)],
];

test.each(runs)('counts a run of %s in a time in proportion to its length', (_name, text) => {
  const tokens = countTokens(text);
  expect(tokens).toBeGreaterThan(text.length / 200);
  expect(tokens).toBeLessThanOrEqual(text.length * 2);
});

async function ready(): Promise<TokenCounts> {
  const counts = new TokenCounts();
  await counts.load();
  return counts;
}

test('counts text and bytes alike, and estimates what it was not given', async () => {
  const counts = await ready();
  const text = 'naïve café, counted once';
  const bytes = new Uint8Array(Buffer.from(text));
  const exact = { tokens: exactly(text), estimated: false };
  expect(counts.count({ bytes: bytes.length, text })).toEqual(exact);
  expect(counts.count({ bytes: bytes.length, text: bytes })).toEqual(exact);
  expect(counts.count({ bytes: 4000, text: undefined })).toEqual({ tokens: 1000, estimated: true });
  expect(counts.count(undefined)).toEqual({ tokens: 0, estimated: false });
});

test('estimates by size before the tokenizer is loaded', () => {
  expect(new TokenCounts().count({ bytes: 8, text: '12345678' })).toEqual({ tokens: 2, estimated: true });
});

test('estimates a huge text from a sample within a tenth, and marks it as estimated', async () => {
  const text = Array.from({ length: 200_000 }, (_, n) => `${n}: the quick brown fox\n`).join('');
  const counts = await ready();
  const { tokens, estimated } = counts.count({ bytes: text.length, text });
  expect(estimated).toBe(true);
  expect(Math.abs(tokens / countTokens(text) - 1)).toBeLessThan(0.1);
});

test('counts of a result no more than the app accepts', async () => {
  const counts = await ready();
  const shared = { bytes: 4000, text: 'word '.repeat(800) };
  const whole = counts.count(shared);
  expect(counts.countIngested(shared, whole, { tokens: 50, bytes: undefined, reads: 'text' }).tokens).toBe(50);
  const half = counts.countIngested(shared, whole, { tokens: 1e6, bytes: 2000, reads: 'text' });
  expect(half).toEqual({ tokens: Math.round(whole.tokens / 2), estimated: true });
});

test('takes a sample that reaches from the first to the last character, of text and of bytes', () => {
  const text = `S${'m'.repeat(9998)}E`;
  const chunks = [Buffer.from(text.slice(0, 3333)), Buffer.from(text.slice(3333))];
  for (const { text: sample, scale } of [sampleText(text, 320), sampleBytes(chunks, 320)]) {
    expect([sample[0], sample.at(-1)]).toEqual(['S', 'E']);
    expect(sample.length * scale).toBeCloseTo(10_000);
  }
  expect(sampleText('short', 320)).toEqual({ text: 'short', scale: 1 });
});

/** Tokens are counted in a worker thread, exactly if possible and otherwise estimated. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterEach, expect, test } from 'vitest';
import { countTokens } from '../../../src-main/core/activity/token-worker.ts';
import { sampleText, TokenCounter, type TokenCounterOptions } from '../../../src-main/core/activity/token-counter.ts';
import { resolveWorkerUrl } from '../../../src-main/core/base/workers.ts';

const root = new URL('../../../', import.meta.url);
const workerUrl = new URL('src-main/core/activity/token-worker.ts', root);
const open: TokenCounter[] = [];

function counter(options: Partial<TokenCounterOptions> = {}): TokenCounter {
  const created = new TokenCounter({ workerUrl, ...options });
  open.push(created);
  return created;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

function exactly(text: string): number {
  return encode(text, { disallowedSpecial: new Set() }).length;
}

const chinese = '工具返回的结果太长，所以我们把它保存在磁盘上。'.repeat(300);

const texts: [string, string][] = [
  ['English', 'The tool answered: three files were found, and none was changed.'],
  ['source code', readFileSync(workerUrl, 'utf8')],
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

test.each(runs)('counts a run of %s without blocking the main thread', async (_name, text) => {
  let ticks = 0;
  const ticker = setInterval(() => ticks++, 5);
  const { tokens, estimated } = await counter().count(text);
  clearInterval(ticker);
  expect(ticks).toBeGreaterThan(0);
  expect(estimated).toBe(false);
  expect(tokens).toBeGreaterThan(text.length / 200);
  expect(tokens).toBeLessThanOrEqual(text.length * 2);
});

test('resolves concurrent counts with their own results', async () => {
  const shared = counter();
  const counts = await Promise.all(texts.map(([, text]) => shared.count(text)));
  expect(counts).toEqual(texts.map(([, text]) => ({ tokens: exactly(text), estimated: false })));
});

test('counts a long queue to the last text, also with a huge text among short ones', async () => {
  const shared = counter();
  const all = Array.from({ length: 3000 }, (_, n) => `${n} `.repeat(n === 7 ? 200_000 : 100));
  const counts = await Promise.all(all.map((text) => shared.count(text)));
  expect(counts.filter(({ estimated }) => estimated)).toEqual([]);
  expect([counts[7], counts[2999]]).toEqual(
    [7, 2999].map((n) => ({ tokens: exactly(all[n] ?? ''), estimated: false })),
  );
});

test('counts no tokens for an empty text, and starts no thread', async () => {
  const idle = counter();
  expect(await idle.count('')).toEqual({ tokens: 0, estimated: false });
  expect(idle.running).toBe(false);
});

test('estimates a huge text from a sample within a tenth, and marks it as estimated', async () => {
  const text = Array.from({ length: 20_000 }, (_, n) => `${n}: the quick brown fox\n`).join('');
  const { tokens, estimated } = await counter({ maxTextLength: 100_000 }).count(text);
  expect(estimated).toBe(true);
  expect(Math.abs(tokens / exactly(text) - 1)).toBeLessThan(0.1);
});

test('takes a sample that reaches from the first to the last character', () => {
  const text = `S${'m'.repeat(9998)}E`;
  const { texts: pieces, scale } = sampleText(text, 320);
  expect([pieces[0]?.[0], pieces.at(-1)?.at(-1)]).toEqual(['S', 'E']);
  expect(pieces.join('').length * scale).toBeCloseTo(10_000);
  expect(sampleText('short', 320)).toEqual({ texts: ['short'], scale: 1 });
});

test('estimates further texts at once when too much is queued', async () => {
  const busy = counter({ maxQueueLength: 1000 });
  const first = busy.count('b '.repeat(400));
  expect(await busy.count('c'.repeat(400))).toEqual({ tokens: 100, estimated: true });
  expect(await first).toMatchObject({ estimated: false });
  expect(await busy.count('c'.repeat(400))).toMatchObject({ estimated: false });
});

test('ends the thread when it is idle, and starts it again when needed', async () => {
  const lazy = counter({ idleMs: 20 });
  await lazy.count('one');
  await expect.poll(() => lazy.running).toBe(false);
  expect(await lazy.count('one two')).toEqual({ tokens: 2, estimated: false });
});

test('resolves waiting counts with estimates when it closes', async () => {
  const closing = counter();
  const waiting = closing.count('d'.repeat(4000));
  await closing.close();
  expect(await waiting).toEqual({ tokens: 1000, estimated: true });
  expect(await closing.count('later')).toEqual({ tokens: 2, estimated: true });
});

test('returns estimates, not errors, if the worker file is missing', async () => {
  const broken = counter({ workerUrl: new URL('file:///nowhere/token-worker.js') });
  for (let n = 0; n < 5; n++) expect(await broken.count('12345678')).toEqual({ tokens: 2, estimated: true });
  expect(broken.running).toBe(false);
});

test('finds the worker beside its source, beside the bundle, and above its chunks', () => {
  expect(resolveWorkerUrl('token-worker', new URL('token-counter.ts', workerUrl).href)).toEqual(workerUrl);
  const dist = mkdtempSync(join(tmpdir(), 'dist-'));
  mkdirSync(join(dist, 'chunks'));
  writeFileSync(join(dist, 'token-worker.js'), '');
  for (const chunk of ['cli.js', 'chunks/core-x1.js']) {
    expect(resolveWorkerUrl('token-worker', pathToFileURL(join(dist, chunk)).href)).toEqual(
      pathToFileURL(join(dist, 'token-worker.js')),
    );
  }
  rmSync(dist, { recursive: true });
});

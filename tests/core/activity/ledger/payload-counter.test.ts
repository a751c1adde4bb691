/** Payloads are counted later, once each, within a memory limit, and marked if estimated. */
import { expect, test } from 'vitest';
import { PayloadCounter, sampleBytes } from '../../../../src-main/core/activity/ledger/payload-counter.ts';
import { DeferredQueue } from '../../../../src-main/core/base/scheduling/deferred-queue.ts';
import { TokenCache, type TokenCount } from '../../../../src-main/core/activity/token-counter.ts';
import { RawJson } from '../../../../src-main/core/wire/raw-json.ts';

/** Counts a character as a token, and records the texts. */
class Characters {
  readonly asked: string[] = [];

  count(text: string): Promise<TokenCount> {
    this.asked.push(text);
    return Promise.resolve({ tokens: text.length, estimated: false });
  }
}

function raw(bytes: number): RawJson {
  return new RawJson([Buffer.from(`{"text":"${'x'.repeat(bytes - 11)}"}`)]);
}

test('counts an object later, and only once however often it is passed in', async () => {
  const [putOff, characters] = [new DeferredQueue(), new Characters()];
  const counter = new PayloadCounter(characters, putOff);
  const result = { content: [] };
  const counts = Promise.all([counter.count(result), counter.count(result)]);
  expect(characters.asked).toEqual([]);
  putOff.drain();
  expect(await counts).toEqual(Array(2).fill({ tokens: 14, estimated: false }));
  expect(characters.asked).toEqual(['{"content":[]}']);
});

test('counts a result held as bytes by the text that arrived', async () => {
  const putOff = new DeferredQueue();
  const count = new PayloadCounter(new Characters(), putOff).count(
    new RawJson([Buffer.from('{ "a":'), Buffer.from('1 }')]),
  );
  putOff.drain();
  expect(await count).toEqual({ tokens: 9, estimated: false });
});

test('estimates a huge result from samples without converting it to text', async () => {
  const characters = new Characters();
  const huge = raw(20_000_000);
  expect(await new PayloadCounter(characters, new DeferredQueue()).count(huge)).toEqual({
    tokens: 20_000_000,
    estimated: true,
  });
  expect(characters.asked.map((text) => text.length)).toEqual([512 * 1024]);
});

test('estimates by size what exceeds its memory limit, and counts again once there is room', async () => {
  const putOff = new DeferredQueue();
  const counter = new PayloadCounter(new Characters(), putOff);
  const held = Array.from({ length: 20 }, () => counter.count(raw(3_500_000)));
  putOff.drain();
  const counts = await Promise.all(held);
  expect(counts.map(({ estimated }) => estimated)).toEqual([...Array<boolean>(19).fill(false), true]);
  expect(counts.at(-1)).toEqual({ tokens: 875_000, estimated: true });
  const again = counter.count(raw(3_500_000));
  putOff.drain();
  expect((await again).estimated).toBe(false);
});

test('spreads a sample over all chunks from first to last', () => {
  const chunks = [Buffer.from('a'.repeat(1000)), Buffer.from('b'.repeat(1000))];
  const { text, scale } = sampleBytes(chunks, 320);
  expect([text.length, text.startsWith('a'), text.endsWith('b'), scale]).toEqual([320, true, true, 6.25]);
});

test('caches counts, evicts the least recently used, and does not cache estimates', async () => {
  const asked: string[] = [];
  const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(300)) as [string, string, string];
  const counter = {
    count(text: string): Promise<TokenCount> {
      asked.push(text.slice(0, 1));
      return Promise.resolve({ tokens: 1, estimated: text === texts[2] });
    },
  };
  const cache = new TokenCache(counter, 2);
  for (const text of [texts[0], texts[1], texts[0], texts[2], texts[0]]) await cache.count(text);
  await cache.count(texts[2]);
  await cache.count(texts[1]);
  expect(asked.join('')).toBe('abccb');
});

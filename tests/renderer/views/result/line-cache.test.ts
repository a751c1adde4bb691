/** Lines of long texts, loaded in chunks. */
import { expect, test } from 'vitest';
import type { SpillLines } from '../../../../src-main/rpc/contract.ts';
import { LineCache } from '../../../../src-renderer/views/result/line-cache.ts';

interface Asked {
  readonly from: number;
  readonly count: number;
}

function cacheOf(total: number, most = Infinity): { cache: LineCache; asked: Asked[] } {
  const asked: Asked[] = [];
  const ask = async (fromLine: number, count: number): Promise<SpillLines> => {
    asked.push({ from: fromLine, count });
    const length = Math.max(0, Math.min(count, most, total - fromLine + 1));
    const lines = Array.from({ length }, (_, index) => `line ${fromLine + index}`);
    return { fromLine, lines, totalLines: total, cut: lines.length > 0 && fromLine === 1 ? [1] : [] };
  };
  const toFailure = (error: unknown) => ({ code: 'internal', message: String(error), fix: '' });
  return { cache: new LineCache(total, { ask, toFailure, onchange: () => undefined }), asked };
}

test('reads only the visible lines', async () => {
  const { cache, asked } = cacheOf(1_000_000);
  await cache.look(500_010, 500_040);
  expect(cache.lineAt(500_020)?.text).toBe('line 500020');
  expect(asked.length).toBe(1);
});

test('reads the last line although its block is not full', async () => {
  const { cache } = cacheOf(1_001);
  await cache.look(990, 1_002);
  expect([cache.lineAt(1_001)?.text, cache.lineAt(1_002)]).toEqual(['line 1001', undefined]);
});

test('reads all lines when responses contain only a few', async () => {
  const { cache } = cacheOf(1_000, 90);
  await cache.look(300, 400);
  expect(cache.lineAt(399)?.text).toBe('line 399');
});

test('skips lines that scroll out of view before they are read', async () => {
  const { cache, asked } = cacheOf(1_000_000);
  const looks = [1, 100_010, 200_010, 300_010].map((line) => cache.look(line, line + 10));
  await Promise.all(looks);
  expect(asked.map(({ from }) => from)).toEqual([1, 300_001]);
  expect(cache.lineAt(300_010)?.text).toBe('line 300010');
});

test('evicts the least recently viewed blocks', async () => {
  const { cache } = cacheOf(1_000_000);
  for (let line = 1; line < 100 * 400; line += 400) await cache.look(line, line + 10);
  expect([cache.lineAt(1), cache.lineAt(99 * 400 + 1)?.text]).toEqual([undefined, 'line 39601']);
});

test('marks a truncated line', async () => {
  const { cache } = cacheOf(10);
  await cache.look(1, 11);
  expect([cache.lineAt(1)?.isCut, cache.lineAt(2)?.isCut]).toEqual([true, false]);
});

/** Collects the bytes of a message completely, in order and in few pieces. */
import { expect, test } from 'vitest';
import { ChunkBuffer } from '../../../src-main/core/wire/frame-reader.ts';
import { allCases } from '../../support/all-cases.ts';

/** Parts whose bytes encode their position. */
function* partsOf(total: number, length: number): Generator<Buffer> {
  for (let start = 0; start < total; start += length) {
    yield Buffer.from(
      Uint32Array.from({ length: Math.min(length, total - start) / 4 }, (_, at) => start / 4 + at).buffer,
    );
  }
}

function gather(parts: Iterable<Buffer>): readonly Buffer[] {
  const gathered = new ChunkBuffer();
  for (const part of parts) gathered.push(part);
  return gathered.parts();
}

test.each([64 * 1024, 4 * 1024 * 1024 + 8, ...(allCases ? [40 * 1024 * 1024 + 4] : [])])(
  'returns %i bytes unchanged',
  (total) => {
    const all = Buffer.concat([...partsOf(total, total)]);
    const parts = gather(partsOf(total, 64 * 1024));
    expect(Buffer.concat([...parts]).equals(all)).toBe(true);
    // The first four megabytes are not worth copying.
    expect(parts.length).toBeLessThanOrEqual(64 + 2);
  },
);

test('does not copy a part that is already large, and keeps the order', () => {
  const [first, large, last] = [Buffer.alloc(5_000_000, 1), Buffer.alloc(2_000_000, 2), Buffer.alloc(1000, 3)];
  const parts = gather([first, Buffer.alloc(1000, 4), large, last]);
  expect(parts.map((part) => [part[0], part.length])).toEqual([
    [1, 5_000_000],
    [4, 1000],
    [2, 2_000_000],
    [3, 1000],
  ]);
  expect(parts[2]).toBe(large);
});

test('returns the parts so far while more are added', () => {
  const gathered = new ChunkBuffer();
  gathered.push(Buffer.from('ab'));
  expect(Buffer.concat([...gathered.parts()]).toString()).toBe('ab');
  gathered.push(Buffer.from('cd'));
  expect(Buffer.concat([...gathered.parts()]).toString()).toBe('abcd');
});

/** The end of a log, and the lines that follow. */
import { appendFileSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLogTail } from '../../../src-main/core/base/log-tail.ts';

function logFile(text?: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'log-tail-')), 'own.log');
  if (text !== undefined) writeFileSync(file, text);
  return file;
}

test('returns the last whole lines that fit, then new lines once they are complete', async () => {
  const file = logFile('first\nsecond\nthird\nfou');
  const tail = await readLogTail(file, 12);
  expect([tail.lines, tail.skipped]).toEqual([['third'], false]);
  appendFileSync(file, 'rth\nfifth\n');
  const next = await readLogTail(file, 100, tail.mark);
  expect(next.lines).toEqual(['fourth', 'fifth']);
  expect((await readLogTail(file, 100, next.mark)).lines).toEqual([]);
});

test('misses and repeats no line when the file is rotated', async () => {
  const file = logFile('a\n');
  const { mark } = await readLogTail(file, 100);
  appendFileSync(file, 'b\n');
  renameSync(file, `${file}.1`);
  writeFileSync(file, 'c\n');
  const next = await readLogTail(file, 100, mark);
  expect(next.lines).toEqual(['b', 'c']);
  // A new reader also sees the earlier lines.
  expect((await readLogTail(file, 100)).lines).toEqual(['a', 'b', 'c']);
  expect((await readLogTail(file, 100, next.mark)).lines).toEqual([]);
});

test('skips lines from the front if more was written than is read at once, and reports it', async () => {
  const file = logFile('begin\n');
  const { mark } = await readLogTail(file, 100);
  appendFileSync(file, 'x\n'.repeat(100));
  const { lines, skipped } = await readLogTail(file, 20, mark);
  expect([lines.length, skipped]).toEqual([9, true]);
});

test('returns no lines for a missing log, and reads it from the start once it exists', async () => {
  const file = logFile();
  const { lines, mark } = await readLogTail(file, 100);
  expect(lines).toEqual([]);
  writeFileSync(file, 'first\n');
  expect((await readLogTail(file, 100, mark)).lines).toEqual(['first']);
});

test('rejects a path that is not a log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-tail-'));
  await expect(readLogTail(folder, 100)).rejects.toMatchObject({ code: 'internal' });
});

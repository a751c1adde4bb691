/** Queries that would not end or use too much are ended with a reason, and the next one is served. */
import { describe, expect, test } from 'vitest';
import type { SpillQuery } from '../../../../src-main/core/spills/spill-queries.ts';
import type { SpillReaderOptions } from '../../../../src-main/core/spills/spill-reader.ts';
import { Reading } from './reading.ts';

const evil = `${'a'.repeat(40)}!`;
const wide = JSON.stringify(Array.from({ length: 600 }, () => Array.from({ length: 300 }, () => ({ a: [1, 2, 3] }))));

/** Resolves with the number of times a 10 ms timer fired during `work`. */
async function ticksDuring(work: Promise<unknown>): Promise<number> {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  await work.catch(() => undefined);
  clearInterval(timer);
  return ticks;
}

describe('a pattern that takes too long', () => {
  test.each(['(a+)+$', '(a|aa)+$', '(a|a?)+$', '(.*a){25}$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '%s times out with its name and advice, while the core goes on',
    async (pattern) => {
      await using reading = await Reading.start({ patternMs: 500 });
      const file = await reading.write(evil);
      const asked = reading.ask(file, { op: 'grep', pattern, context: 0 });
      const ticks = ticksDuring(asked);
      await expect(asked).rejects.toMatchObject({
        code: 'call_timeout',
        message: expect.stringContaining(JSON.stringify(pattern)) as string,
        fix: expect.stringContaining('(a+)+') as string,
      });
      // Some of fifty, depending on the computer.
      expect(await ticks).toBeGreaterThan(2);
      expect((await reading.ask(file, { op: 'grep', pattern: '!', context: 0 })).fields['matchCount']).toBe(1);
    },
  );

  test('on all lines together times out', async () => {
    await using reading = await Reading.start({ linesMs: 500 });
    const file = await reading.write(`${'a'.repeat(24)}!\n`.repeat(10_000));
    await expect(reading.ask(file, { op: 'grep', pattern: '(a+)+$', context: 0 })).rejects.toMatchObject({
      code: 'call_timeout',
    });
  });

  test('in a query times out', async () => {
    await using reading = await Reading.start({ dataMs: 500 });
    const file = await reading.write(JSON.stringify([evil]));
    const question: SpillQuery = { op: 'query', query: '$[?search(@, "(a+)+$")]' };
    await expect(reading.ask(file, question)).rejects.toMatchObject({
      code: 'call_timeout',
      message: expect.stringContaining('search') as string,
    });
  });
});

describe('a JSONPath bomb', () => {
  test('that selects nothing times out, while other queries are served', async () => {
    await using reading = await Reading.start({ dataMs: 1000 });
    const file = await reading.write(wide);
    const bomb = reading.ask(file, { op: 'query', query: '$..*..*..*[?@.none]..*..*' });
    const ended = expect(bomb).rejects.toMatchObject({ code: 'call_timeout' });
    // A query with a limit of a minute, since a short one depends on the computer.
    const other = await reading.write('one\ntwo\n', 'other');
    expect((await reading.ask(other, { op: 'grep', pattern: 'two', context: 0 })).fields['matchCount']).toBe(1);
    await ended;
  });

  test('in a large result times out or can be cancelled', async () => {
    await using reading = await Reading.start({ dataMs: 2000 });
    const file = await reading.write(`[${wide},${'1,'.repeat(5_000_000)}1]`);
    const bomb: SpillQuery = { op: 'query', query: '$..*..*..*[?@.none]..*..*' };
    await expect(reading.ask(file, bomb)).rejects.toMatchObject({ code: 'call_timeout' });
    const giveUp = new AbortController();
    setTimeout(() => giveUp.abort(), 300);
    await expect(reading.ask(file, bomb, { signal: giveUp.signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect((await reading.ask(file, { op: 'grep', pattern: '^.\\[', context: 0 })).fields['matchCount']).toBe(1);
  });

  test('that selects without end returns its beginning', async () => {
    await using reading = await Reading.start();
    const question: SpillQuery = { op: 'query', query: `$[${'*,'.repeat(30)}*]`, limit: 3 };
    const numbers = JSON.stringify(Array.from({ length: 40_000 }, (_, i) => i));
    const { text, fields } = await reading.askOf(numbers, question);
    expect(fields).toMatchObject({ matchCount: 1_000_000, returnedMatches: 3, limited: true });
    expect(text).toMatch(/\[LIMITED to first 3 of more than 1000000 matches\]$/);
  });
});

describe('a reader', () => {
  const slow = { op: 'grep', pattern: '(a+)+$', context: 0 } as const;

  test('that cancels is not kept waiting', async () => {
    await using reading = await Reading.start();
    const file = await reading.write(evil);
    const giveUp = new AbortController();
    const asked = reading.ask(file, slow, { signal: giveUp.signal });
    setTimeout(() => giveUp.abort(), 100);
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    await expect(reading.ask(file, slow, { signal: giveUp.signal })).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('waits in the queue behind slow queries, and can cancel there', async () => {
    const options: Partial<SpillReaderOptions> = { patternMs: 1000 };
    await using reading = await Reading.start(options);
    const file = await reading.write(evil);
    const first = [reading.ask(file, slow), reading.ask(file, slow)];
    const giveUp = new AbortController();
    const impatient = reading.ask(file, { op: 'stat' }, { signal: giveUp.signal });
    const patient = reading.ask(file, { op: 'stat' });
    setTimeout(() => giveUp.abort(), 50);
    await expect(impatient).rejects.toMatchObject({ code: 'cancelled' });
    expect((await Promise.allSettled(first)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await patient).fields['lineCount']).toBe(1);
  });

  test('does not wait behind the slow queries of another owner', async () => {
    await using reading = await Reading.start({ patternMs: 600_000, linesMs: 600_000 });
    const file = await reading.write(evil);
    const giveUp = new AbortController();
    const others = Array.from({ length: 60 }, () => reading.ask(file, slow, { owner: 'a', signal: giveUp.signal }));
    const ended = Promise.allSettled(others);
    const lines = await Promise.all([1, 2].map(() => reading.ask(file, { op: 'head', lines: 1 }, { owner: 'b' })));
    expect(lines.map(({ text }) => text)).toEqual([evil, evil]);
    giveUp.abort();
    expect((await ended).every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('is rejected beyond a hundred concurrent queries, without affecting other owners', async () => {
    await using reading = await Reading.start();
    const file = await reading.write(evil);
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const asked = Array.from({ length: 110 }, () => reading.ask(file, slow, { owner: 'a', signal }));
    const ended = Promise.allSettled(asked);
    await expect(Promise.race(asked)).rejects.toMatchObject({ code: 'unsupported' });
    expect((await reading.ask(file, { op: 'stat' }, { owner: 'b' })).fields['lineCount']).toBe(1);
    giveUp.abort();
    await ended;
  });

  test('is rejected when the reader is closed', async () => {
    await using reading = await Reading.start();
    const file = await reading.write(evil);
    const asked = expect(reading.ask(file, slow)).rejects.toMatchObject({ code: 'cancelled' });
    await reading.ask(file, { op: 'stat' });
    await reading.reader.close();
    await asked;
    await expect(reading.ask(file, { op: 'stat' })).rejects.toMatchObject({ code: 'cancelled' });
  });
});

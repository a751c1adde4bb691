/** A result's tokens are divided among causes without loss or double counting. */
import { expect, test } from 'vitest';
import {
  attributeResult as book,
  type CountedCall,
  apportion,
} from '../../../../src-main/core/activity/ledger/attribute-result.ts';
import type { TokenCount } from '../../../../src-main/core/activity/call-record.ts';

function exactly(tokens: number): TokenCount {
  return { tokens, estimated: false };
}

function call(raw: number, given: number, changes: Partial<CountedCall> = {}): CountedCall {
  const [sent, shown] = [exactly(raw), exactly(given)];
  const counts = { raw: sent, baseline: sent, given: shown, read: shown, untouched: raw === given };
  return { server: 'files', tool: 'read', via: undefined, ...counts, ...changes };
}

/** Books a result that the model reads whole by default. */
function bookAnswer(answer: Omit<Parameters<typeof book>[0], 'read'> & { read?: TokenCount }): ReturnType<typeof book> {
  return book({ read: answer.tokens, ...answer });
}

/** The relevant fields of each entry. */
function parts(...answer: Parameters<typeof bookAnswer>): unknown[] {
  return bookAnswer(...answer).map(({ cause, server, tool, sent, raw }) => [cause, `${server}:${tool}`, sent, raw]);
}

test('counts an unchanged result the same on both sides, whatever Tooltray adds to the message', () => {
  const answer = { kind: 'direct', tool: 'files_read', tokens: exactly(130), calls: [call(100, 100)] } as const;
  expect(parts(answer)).toEqual([['results', 'files:read', 130, 100]]);
  expect(bookAnswer(answer)).toMatchObject([{ loaded: 130, baseline: 130 }]);
});

test('attributes what a helper tool adds around a result to the helper tool', () => {
  const answer = {
    kind: 'call',
    tool: 'invoke',
    tokens: exactly(110),
    calls: [call(100, 100, { via: 'invoke' })],
  } as const;
  expect(parts(answer)).toEqual([
    ['results', 'files:read', 100, 100],
    ['helpers', ':invoke', 10, 0],
  ]);
});

test('credits a spill with the size of the server result minus the summary', () => {
  const answer = { kind: 'direct', tool: 'files_read', tokens: exactly(300), calls: [call(9000, 300)] } as const;
  expect(parts(answer)).toEqual([['results', 'files:read', 300, 9000]]);
});

test("divides a batch exactly by the size of each call's result", () => {
  const calls = [
    call(100, 100, { via: 'proxy' }),
    call(50, 50, { via: 'proxy' }),
    call(0, 0, { via: 'proxy', raw: undefined, given: undefined }),
  ];
  const answer = { kind: 'call', tool: 'proxy', tokens: exactly(101), calls } as const;
  expect(parts(answer)).toEqual([
    ['results', 'files:read', 67, 100],
    ['results', 'files:read', 34, 50],
  ]);
});

test('divides the output of a program among all results it received', () => {
  const calls = [call(900, 900, { via: 'execute' }), call(100, 100, { via: 'execute', server: 'web' })];
  const answer = { kind: 'program', tool: 'execute', tokens: exactly(10), calls } as const;
  expect(parts(answer)).toEqual([
    ['code', 'files:read', 9, 900],
    ['code', 'web:read', 1, 100],
  ]);
});

test('attributes responses without a server call to the kind of the tool', () => {
  const own = (kind: Parameters<typeof bookAnswer>[0]['kind']): unknown =>
    parts({ kind, tool: 't', tokens: exactly(5), calls: [] })[0];
  expect([own('discovery'), own('readback'), own('program'), own('call')]).toEqual([
    ['discovery', ':t', 5, 0],
    ['readback', ':t', 5, 0],
    ['helpers', ':t', 5, 0],
    ['helpers', ':t', 5, 0],
  ]);
});

test('attributes a failed direct call to "other", and one through a helper tool to the helper tool', () => {
  const failed = call(0, 0, { raw: undefined, given: undefined });
  expect(parts({ kind: 'direct', tool: 'files_read', tokens: exactly(5), calls: [failed] })).toEqual([
    ['other', 'files:read', 5, 0],
  ]);
  expect(parts({ kind: 'call', tool: 'invoke', tokens: exactly(5), calls: [failed] })).toEqual([
    ['helpers', ':invoke', 5, 0],
  ]);
});

test('marks an estimate as estimated', () => {
  const raw = { tokens: 1000, estimated: true };
  const [entry] = bookAnswer({
    kind: 'direct',
    tool: 'x',
    tokens: exactly(10),
    calls: [{ ...call(1, 10), raw, baseline: raw, untouched: false }],
  });
  expect(entry).toMatchObject({ sent: 10, raw: 1000, estimated: 1000 });
});

test('counts on both sides at most what the app reads of a result, and reports what was sent', () => {
  const [whole, most] = [exactly(500_000), exactly(25_000)];
  const passed = { ...call(500_000, 500_000), baseline: most, read: most };
  const untouched = bookAnswer({ kind: 'direct', tool: 'files_read', tokens: whole, read: most, calls: [passed] });
  expect(untouched).toMatchObject([{ sent: 500_000, raw: 500_000, loaded: 25_000, baseline: 25_000 }]);
  const kept = { ...call(500_000, 900), baseline: most };
  const summary = bookAnswer({ kind: 'direct', tool: 'files_read', tokens: exactly(900), calls: [kept] });
  expect(summary).toMatchObject([{ sent: 900, raw: 500_000, loaded: 900, baseline: 25_000 }]);
  const wrapped = { ...passed, via: 'invoke' };
  const through = bookAnswer({ kind: 'call', tool: 'invoke', tokens: exactly(500_010), read: most, calls: [wrapped] });
  expect(through).toMatchObject([
    { cause: 'results', sent: 500_000, loaded: 25_000, baseline: 25_000 },
    { cause: 'helpers', sent: 10, loaded: 0 },
  ]);
});

test('divides a total into whole numbers that add up to it', () => {
  expect(apportion(10, [1, 1, 1])).toEqual([3, 4, 3]);
  expect(apportion(7, [0, 0])).toEqual([7, 0]);
  expect(apportion(0, [5, 5])).toEqual([0, 0]);
});

/** Collapses related steps into one expandable row. */
import { expect, test } from 'vitest';
import type { CallSummary, StepSummary } from '../../../../../src-main/rpc/contract.ts';
import {
  type Fold,
  foldInWords,
  foldSums,
  type TraceRow,
  traceRows,
} from '../../../../../src-renderer/views/activity/trace/fold-steps.ts';

function call(tool: string): CallSummary {
  return { id: 1, server: 'github', tool, via: 'call_tool', outcome: 'ok' } as unknown as CallSummary;
}

/** Given in order of time, returned newest first. */
function steps(...told: readonly Partial<StepSummary>[]): StepSummary[] {
  return told
    .map((one, at): StepSummary => {
      const calls = one.kind === 'call' ? [call(one.what ?? 'list_issues')] : [];
      const usual = {
        sessionId: 's',
        kind: 'call',
        name: 'x',
        what: '',
        outcome: 'ok',
        callCount: calls.length,
        calls,
      };
      return { id: at + 1, durationMs: 10, given: 5, raw: undefined, ...usual, ...one } as unknown as StepSummary;
    })
    .toReversed();
}

function shape(rows: readonly TraceRow[]): string[] {
  return rows.map((row) => (row.kind === 'fold' ? `fold of ${row.fold.steps.length}` : row.key));
}

const chain = [
  { kind: 'search', what: 'issues' },
  { kind: 'schema', what: 'github_list_issues' },
  { kind: 'call', what: 'list_issues' },
  { kind: 'readback', name: 'read_result', what: 'grep x' },
  { kind: 'readback', name: 'read_result', what: 'grep x' },
] as const;

test('folds look-ups, the call they led to and its read-backs into one row', () => {
  const told = steps({ kind: 'handshake' }, ...chain, { kind: 'call', what: 'other' });
  const rows = traceRows(told, new Map(), NaN);
  expect(shape(rows)).toEqual(['step 7', 'fold of 5', 'step 1']);
  const { fold } = rows[1] as { fold: Fold };
  expect(foldInWords(fold)).toEqual({
    main: { verb: '', place: 'github', subject: 'list_issues', times: 1 },
    others: 'Searched “issues” → Read schema github_list_issues → Read spill grep x ×2',
    whole: 'Searched “issues” → Read schema github_list_issues → github › list_issues → Read spill grep x ×2',
  });
});

test('shows look-ups below the call whose result they read, also after other steps, and in its chain', () => {
  const spilled = (id: string): Pick<StepSummary, 'calls' | 'callCount'> => ({
    calls: [{ ...call('a'), spillId: id }],
    callCount: 1,
  });
  const read = (id: string): Partial<StepSummary> => ({
    kind: 'readback',
    name: `tooltray://spill/${id}`,
    what: 'grep',
  });
  const told = steps(
    { kind: 'call', ...spilled('one') },
    { kind: 'call', what: 'b', ...spilled('two') },
    read('two'),
    read('one'),
    { ...read('one'), sessionId: 'other' },
    read('unknown'),
  );
  const rows = traceRows(told, new Map(), NaN);
  expect(shape(rows)).toEqual(['step 6', 'step 5', 'step 2', 'step 3', 'step 1', 'step 4']);
  expect(rows.map((row) => row.kind === 'step' && row.inside)).toEqual([
    undefined,
    undefined,
    undefined,
    2,
    undefined,
    1,
  ]);
  const equal = { kind: 'call', what: 'a' } as const;
  const run = steps(equal, { ...equal, ...spilled('one') }, equal, equal, equal, read('one'));
  expect(shape(traceRows(run, new Map(), NaN))).toEqual(['fold of 3', 'step 2', 'step 6', 'step 1']);
  const chained = steps({ kind: 'search' }, { kind: 'call', ...spilled('one') }, { kind: 'list' }, read('one'));
  expect(shape(traceRows(chained, new Map(), NaN))).toEqual(['step 3', 'fold of 3']);
  expect(shape(traceRows(chained, new Map([[1, true]]), NaN)).slice(2)).toEqual(['step 2', 'step 4', 'step 1']);
});

test('ends a chain where another session or another call starts', () => {
  const told = steps({ kind: 'search' }, { kind: 'call', sessionId: 'other' }, { kind: 'search' }, { kind: 'call' });
  expect(shape(traceRows(told, new Map(), NaN))).toEqual(['fold of 2', 'step 2', 'step 1']);
  const twice = steps({ kind: 'search' }, { kind: 'call', what: 'a' }, { kind: 'call', what: 'b' });
  expect(shape(traceRows(twice, new Map(), NaN))).toEqual(['step 3', 'fold of 2']);
});

test('folds three equal steps, but not two; a step with another outcome stays apart', () => {
  const same = (outcome: StepSummary['outcome'] = 'ok'): Partial<StepSummary> => ({ kind: 'call', what: 'a', outcome });
  expect(shape(traceRows(steps(same(), same()), new Map(), NaN))).toEqual(['step 2', 'step 1']);
  const told = steps(same(), same(), same(), same('failed'), same());
  expect(shape(traceRows(told, new Map(), NaN))).toEqual(['step 5', 'step 4', 'fold of 3']);
});

test('keeps the first of equal steps with the look-ups that led to it', () => {
  const same = { kind: 'call', what: 'a' } as const;
  expect(shape(traceRows(steps({ kind: 'search' }, same, same, same, same), new Map(), NaN))).toEqual([
    ...['fold of 3', 'fold of 2'],
  ]);
});

test('shows each step exactly once, whichever rows are unfolded', () => {
  const told = steps(
    ...chain,
    ...chain,
    { kind: 'readback' },
    ...Array.from({ length: 5 }, () => ({ kind: 'list' }) as const),
  );
  const idsOf = (row: TraceRow): readonly number[] =>
    row.kind === 'fold'
      ? row.isOpen
        ? []
        : row.fold.steps.map(({ id }) => id)
      : row.kind === 'step'
        ? [row.step.id]
        : [];
  for (const isOpen of [true, false]) {
    const unfolded = new Map(told.map(({ id }) => [id, isOpen]));
    expect(traceRows(told, unfolded, NaN).flatMap(idsOf)).toEqual(told.map(({ id }) => id));
  }
});

test('shows the open step unless its row was folded; newer steps keep it unfolded', () => {
  const told = steps(...chain);
  expect(shape(traceRows(told, new Map(), 3))).toHaveLength(6);
  expect(shape(traceRows(told, new Map([[1, false]]), 3))).toEqual(['fold of 5']);
  const more = steps(...chain, { kind: 'readback', name: 'read_result', what: 'grep y' });
  expect(traceRows(more, new Map([[1, true]]), NaN)).toHaveLength(7);
});

test('unfolds a program into its calls, and shows how many more there are', () => {
  const told = steps({ kind: 'program', callCount: 7, calls: [call('a'), { ...call('b'), id: 2 }] });
  expect(shape(traceRows(told, new Map(), NaN))).toEqual(['step 1']);
  expect(shape(traceRows(told, new Map([[-1, true]]), NaN))).toEqual(['step 1', 'call 1', 'call 2', 'more 1']);
  expect(traceRows(told, new Map([[-1, true]]), NaN).at(-1)).toMatchObject({ calls: 5 });
});

test('sums the cost of a folded row’s steps, and shows its failure', () => {
  const told = steps({ ...chain[0], given: undefined }, { ...chain[1], outcome: 'failed', error: 'no' }, chain[2]);
  expect(foldSums({ id: 1, steps: told })).toMatchObject({ given: 10, durationMs: 30, outcome: 'failed', error: 'no' });
  expect(foldSums({ id: 1, steps: steps({ given: undefined }) }).given).toBeUndefined();
});

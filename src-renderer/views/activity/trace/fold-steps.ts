/**
 * Groups steps into rows: reads of a spilled result are nested under the call that returned it; a look-up chain
 * (searches, the resulting call, reads of its result) and runs of equal steps are collapsed into one expandable row; a
 * program expands to its calls. Pure.
 */
import type { CallSummary, StepSummary } from '../../../../src-main/rpc/contract.ts';
import { type StepWords, stepInWords, wholeWords } from './step-words.ts';

export interface Fold {
  /** ID of its oldest step, which stays the same while newer ones arrive. */
  readonly id: number;
  /** Newest first. */
  readonly steps: readonly StepSummary[];
}

export type TraceRow =
  | { readonly kind: 'fold'; readonly key: string; readonly fold: Fold; readonly isOpen: boolean }
  | {
      readonly kind: 'step';
      readonly key: string;
      readonly step: StepSummary;
      /** ID of the group that contains it, or of the call whose result it reads; undefined: top level. */
      readonly inside: number | undefined;
      /** For a program: whether its calls are shown below it. */
      readonly isOpen: boolean | undefined;
    }
  | { readonly kind: 'call'; readonly key: string; readonly step: StepSummary; readonly call: CallSummary }
  /** Calls of a program that are listed only in its panel. */
  | { readonly kind: 'more'; readonly key: string; readonly step: StepSummary; readonly calls: number };

const spillAddress = 'tooltray://spill/';

/** Shorter runs are not collapsed. */
const leastOfTheSame = 3;

/**
 * `unfolded`: groups and programs that the user expanded or collapsed, by ID. The group of the open step
 * is expanded unless the user collapsed it.
 */
export function traceRows(
  steps: readonly StepSummary[],
  unfolded: ReadonlyMap<number, boolean>,
  opened: number,
): readonly TraceRow[] {
  const rows: TraceRow[] = [];
  const lookUps = lookUpsByCall(steps);
  const nested = new Set([...lookUps.values()].flat());
  for (const flat of foldSteps(
    steps.filter((step) => !nested.has(step)),
    lookUps,
  )) {
    const [first] = flat;
    const id = flat.at(-1)?.id;
    if (first === undefined || id === undefined) continue;
    if (flat.length === 1) {
      rows.push(...rowsOf(first, undefined, unfolded));
      rows.push(...(lookUps.get(first.id) ?? []).flatMap((step) => rowsOf(step, first.id, unfolded)));
      continue;
    }
    const group = flat.flatMap((step) => [...(lookUps.get(step.id) ?? []), step]);
    const isOpen = unfolded.get(id) ?? group.some((step) => step.id === opened);
    rows.push({ kind: 'fold', key: `fold ${id}`, fold: { id, steps: group }, isOpen });
    const shown = flat.flatMap((step) => [step, ...(lookUps.get(step.id) ?? [])]);
    if (isOpen) rows.push(...shown.flatMap((step) => rowsOf(step, id, unfolded)));
  }
  return rows;
}

/** Reads of results returned by steps in the list, by the step's ID; newest first. */
function lookUpsByCall(steps: readonly StepSummary[]): ReadonlyMap<number, readonly StepSummary[]> {
  const origins = new Map<string, number>();
  for (const { id, sessionId, calls } of steps) {
    for (const { spillId } of calls) if (spillId !== undefined) origins.set(`${sessionId} ${spillId}`, id);
  }
  const found = new Map<number, StepSummary[]>();
  for (const step of steps) {
    if (step.kind !== 'readback' || !step.name.startsWith(spillAddress)) continue;
    const origin = origins.get(`${step.sessionId} ${step.name.slice(spillAddress.length)}`);
    if (origin === undefined || origin === step.id) continue;
    found.set(origin, [...(found.get(origin) ?? []), step]);
  }
  return found;
}

/** The steps in groups of one or more, in order. */
function foldSteps(
  steps: readonly StepSummary[],
  lookUps: ReadonlyMap<number, unknown>,
): readonly (readonly StepSummary[])[] {
  const groups: (readonly StepSummary[])[] = [];
  for (let at = 0; at < steps.length;) {
    const length = Math.max(1, chainAt(steps, at), runAt(steps, at, lookUps));
    groups.push(steps.slice(at, at + length));
    at += length;
  }
  return groups;
}

function rowsOf(step: StepSummary, inside: number | undefined, unfolded: ReadonlyMap<number, boolean>): TraceRow[] {
  const hasCalls = step.kind === 'program' && step.calls.length > 0;
  // A program's ID is negated, because it may be the oldest of a group with the same ID.
  const isOpen = hasCalls ? (unfolded.get(-step.id) ?? false) : undefined;
  const more = step.callCount - step.calls.length;
  return [
    { kind: 'step', key: `step ${step.id}`, step, inside, isOpen },
    ...(isOpen === true
      ? [
          ...step.calls.map((call): TraceRow => ({ kind: 'call', key: `call ${call.id}`, step, call })),
          ...(more > 0 ? [{ kind: 'more', key: `more ${step.id}`, step, calls: more } as const] : []),
        ]
      : []),
  ];
}

/** Number of steps in the chain that ends with this step; 0: none. Newest come first, so it is read backwards. */
function chainAt(steps: readonly StepSummary[], start: number): number {
  const session = steps[start]?.sessionId;
  let at = start;
  const take = (most: number, ...kinds: readonly StepSummary['kind'][]): number => {
    const from = at;
    for (let step = steps[at]; step !== undefined && at - from < most; step = steps[at]) {
      if (step.sessionId !== session || !kinds.includes(step.kind)) break;
      at += 1;
    }
    return at - from;
  };
  const readOn = take(Infinity, 'readback');
  const called = take(1, 'call');
  if (readOn > 0 && called === 0) return 0;
  const lookedUp = take(Infinity, 'search', 'schema');
  return lookedUp > 0 && called + lookedUp > 1 ? at - start : 0;
}

/** Number of consecutive equal steps with the same outcome, excluding those of a chain; 0: too few. */
function runAt(steps: readonly StepSummary[], start: number, lookUps: ReadonlyMap<number, unknown>): number {
  const first = steps[start];
  // A call whose result was read stays separate, because its argument identifies the result.
  if (first === undefined || lookUps.has(first.id)) return 0;
  const label = sayingOf(first);
  let end = start + 1;
  for (let step = steps[end]; step !== undefined && sayingOf(step) === label; step = steps[end]) {
    if (chainAt(steps, end) > 0 || lookUps.has(step.id)) break;
    end += 1;
  }
  return end - start >= leastOfTheSame ? end - start : 0;
}

function sayingOf(step: StepSummary): string {
  const { verb, place, subject } = stepInWords(step);
  return JSON.stringify([step.sessionId, step.kind, step.outcome, verb, place, subject]);
}

/** The group's main step, usually a call, and the steps around it, oldest first; `whole`: all of them in order. */
export function foldInWords({ steps }: Fold): {
  readonly main: StepWords & { readonly times: number };
  readonly others: string;
  readonly whole: string;
} {
  const parts: { readonly words: StepWords; readonly isCall: boolean; readonly times: number }[] = [];
  for (const step of steps.toReversed()) {
    const words = stepInWords(step);
    const last = parts.at(-1);
    if (last !== undefined && wholeWords(withoutArgument(last.words)) === wholeWords(withoutArgument(words))) {
      const shown = last.words.preview === words.preview ? words : withoutArgument(words);
      parts[parts.length - 1] = { ...last, words: shown, times: last.times + 1 };
    } else parts.push({ words, isCall: step.kind === 'call', times: 1 });
  }
  const main = parts.find(({ isCall }) => isCall) ?? parts[0];
  const joined = (some: typeof parts): string =>
    some.map(({ words, times }) => `${wholeWords(words)}${times > 1 ? ` ×${times}` : ''}`).join(' → ');
  return {
    main: { ...(main?.words ?? { verb: '', place: '', subject: '' }), times: main?.times ?? 0 },
    others: joined(parts.filter((part) => part !== main)),
    whole: joined(parts),
  };
}

/** Equal steps have different arguments, which are omitted. */
function withoutArgument({ verb, place, subject }: StepWords): StepWords {
  return { verb, place, subject };
}

/** A group as one step: total cost, and the outcome of its newest failure. */
export function foldSums({
  steps,
}: Fold): Pick<StepSummary, 'given' | 'raw' | 'durationMs' | 'outcome' | 'error' | 'calls'> {
  const sum = (of: (step: StepSummary) => number | undefined): number | undefined => {
    const known = steps.flatMap((step) => of(step) ?? []);
    return known.length === 0 ? undefined : known.reduce((all, one) => all + one, 0);
  };
  const wrong = steps.find(({ outcome }) => outcome !== 'ok');
  return {
    given: sum(({ given }) => given),
    raw: sum(({ raw }) => raw),
    durationMs: sum(({ durationMs }) => durationMs) ?? 0,
    outcome: wrong?.outcome ?? 'ok',
    error: wrong?.error,
    calls: steps.flatMap(({ calls }) => calls),
  };
}

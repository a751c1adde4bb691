/** What the charts draw and say. Pure. */
import type { Charts, ChartStep, Moment, SavingsPeriod } from '../../../src-main/rpc/contract.ts';
import { compact, count, duration, hour, list, whole } from '../../lib/format.ts';
import type { StepBars, StepDrawing } from './step-chart.svelte.ts';

export const periodWords: Readonly<Record<SavingsPeriod, string>> = {
  today: 'today',
  week: 'in the last 7 days',
  month: 'in the last 30 days',
  all: 'on record',
};

/** What stands below a step: `9:00 AM`, `23 Nov`. */
export function stepLabel({ from }: ChartStep, step: Charts['step']): string {
  return step === 'hour' ? hour(from) : new Date(from).toLocaleDateString([], { day: 'numeric', month: 'short' });
}

/** The step as a time: `From 9:00 AM`, `Mon, 23 Nov`, `Week from 17 Nov`. */
export function stepName(one: ChartStep, step: Charts['step']): string {
  if (step === 'hour') return `From ${hour(one.from)}`;
  if (step === 'week') return `Week from ${stepLabel(one, step)}`;
  return new Date(one.from).toLocaleDateString([], { weekday: 'short', day: 'numeric', month: 'short' });
}

export function callsOf({ ok, tool_error: told, failed, cancelled, blocked }: ChartStep): number {
  return ok + told + failed + cancelled + blocked;
}

/** Side by side. */
export function tokenBars(steps: readonly ChartStep[]): readonly StepBars[] {
  return [
    { token: '--ink-faint', side: 'left', values: steps.map(({ without }) => without) },
    { token: '--accent', side: 'right', values: steps.map((one) => one.with) },
  ];
}

/** The chart has no stacks: all are drawn, and over them all but one kind, and so on. */
export function outcomeBars(steps: readonly ChartStep[]): readonly StepBars[] {
  return [
    { token: '--ink-faint', values: steps.map(callsOf) },
    { token: '--bad', values: steps.map(({ ok, tool_error: told, failed }) => ok + told + failed) },
    { token: '--warning', values: steps.map(({ ok, tool_error: told }) => ok + told) },
    { token: '--accent', values: steps.map(({ ok }) => ok) },
  ];
}

/** One mark a step and kind, however often it happened. */
export function marksOf({ steps, marks }: Pick<Charts, 'steps' | 'marks'>): StepDrawing['marks'] {
  return steps.flatMap((one, step) => {
    const kinds = new Set(momentsIn(one, marks).map(({ kind }) => kind === 'mode'));
    return [...kinds].map((isMode) => ({ step, isMode }));
  });
}

function momentsIn({ from, until }: ChartStep, marks: readonly Moment[]): readonly Moment[] {
  return marks.filter(({ at }) => at >= from && at < until);
}

/** `12,300 tokens without us, 2,100 with us`; empty steps say so. */
export function tokensReading(one: ChartStep): string {
  if (one.without === 0 && one.with === 0) return 'no tokens';
  const cut = one.uncapped > one.without ? ` (${compact(one.uncapped)} uncut)` : '';
  return `${count(one.without, 'token')} without us${cut}, ${whole(one.with)} with us`;
}

/** `96 calls: 90 answered, 6 failed`. */
export function outcomesReading(one: ChartStep): string {
  const all = callsOf(one);
  if (all === 0) return 'no calls';
  const parts: readonly (readonly [number, string])[] = [
    [one.ok, 'answered'],
    [one.tool_error, 'answered with an error'],
    [one.failed, 'failed'],
    [one.cancelled, 'cancelled'],
    [one.blocked, 'blocked'],
  ];
  const told = parts.flatMap(([number, word]) => (number > 0 ? [`${whole(number)} ${word}`] : []));
  return `${count(all, 'call')}: ${list(told)}`;
}

/** `Tooltray started at 9:41 AM; mode search from 10:02 AM`; empty where nothing happened. */
export function momentsReading(one: ChartStep, marks: readonly Moment[]): string {
  const here = momentsIn(one, marks);
  const starts = here.filter(({ kind }) => kind === 'start');
  const [start] = starts;
  return [
    ...(starts.length > 1 ? [`Tooltray started ${starts.length} times`] : []),
    ...(starts.length === 1 && start !== undefined ? [`Tooltray started at ${hour(start.at)}`] : []),
    ...here.flatMap(({ kind, what, at }) => (kind === 'mode' ? [`mode ${what} from ${hour(at)}`] : [])),
  ].join('; ');
}

/** The chart in a sentence. */
export function tokensSentence(steps: readonly ChartStep[], period: SavingsPeriod): string {
  const of = (value: (one: ChartStep) => number): number => steps.reduce((sum, one) => sum + value(one), 0);
  const [without, used] = [of((one) => one.without), of((one) => one.with)];
  if (without === 0 && used === 0) return `Nothing was counted ${periodWords[period]}.`;
  return `${compact(without)} without us and ${compact(used)} with us ${periodWords[period]}.`;
}

/** As the above, of calls. */
export function outcomesSentence(steps: readonly ChartStep[], period: SavingsPeriod): string {
  const all = steps.reduce((sum, one) => sum + callsOf(one), 0);
  if (all === 0) return `No calls ${periodWords[period]}.`;
  const problems = all - steps.reduce((sum, { ok }) => sum + ok, 0);
  const share = problems === 0 ? 'all answered' : `${whole(problems)} not answered well`;
  return `${count(all, 'call')} ${periodWords[period]}, ${share}.`;
}

export function latencySentence(
  { measured, isCut }: Pick<Charts, 'measured' | 'isCut'>,
  period: SavingsPeriod,
): string {
  if (measured === 0) return `No call reached a server ${periodWords[period]}.`;
  return `Of ${isCut ? 'the newest ' : ''}${count(measured, 'call')} ${periodWords[period]}. Bars grow tenfold in equal steps.`;
}

/** `half within 120 ms, 95 of 100 within 1.4 s, 96 calls`. */
export function latencyReading({ p50, p95, calls }: Charts['servers'][number]): string {
  return `half within ${duration(p50)}, 95 of 100 within ${duration(p95)}, ${count(calls, 'call')}`;
}

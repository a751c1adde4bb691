/** Labels and text alternatives of the charts; pure functions. */
import type { Charts, ChartStep, Annotation, SavingsPeriod } from '../../../src-main/rpc/contract.ts';
import { compact, count, hour, whole } from '../../lib/format.ts';

export const periodWords: Readonly<Record<SavingsPeriod, string>> = {
  today: 'today',
  week: 'in the last 7 days',
  month: 'in the last 30 days',
  all: 'in total',
};

/** Returns the x-axis label of a step: `9:00 AM`, `Mon` within a week, else `23 Nov`. */
export function stepLabel({ from }: ChartStep, step: Charts['step'], steps = Infinity): string {
  if (step === 'day' && steps <= 7) return new Date(from).toLocaleDateString([], { weekday: 'short' });
  return step === 'hour' ? hour(from) : new Date(from).toLocaleDateString([], { day: 'numeric', month: 'short' });
}

/** Returns the period of a step: `From 9:00 AM`, `Mon, 23 Nov`, `Week from 17 Nov`. */
export function stepName(one: ChartStep, step: Charts['step']): string {
  if (step === 'hour') return `From ${hour(one.from)}`;
  if (step === 'week') return `Week of ${stepLabel(one, step)}`;
  return new Date(one.from).toLocaleDateString([], { weekday: 'short', day: 'numeric', month: 'short' });
}

export function callsOf({ ok, tool_error: toolErrors, failed, cancelled, blocked }: ChartStep): number {
  return ok + toolErrors + failed + cancelled + blocked;
}

function momentsIn({ from, until }: ChartStep, marks: readonly Annotation[]): readonly Annotation[] {
  return marks.filter(({ at }) => at >= from && at < until);
}

/** Returns `12,300 tokens direct, 2,100 via Tooltray`, or that the step is empty. */
export function tokensReading(one: ChartStep): string {
  if (one.withoutTooltray === 0 && one.withTooltray === 0) return 'no tokens';
  const cut = one.uncapped > one.withoutTooltray ? ` (${compact(one.uncapped)} untruncated)` : '';
  return `${count(one.withoutTooltray, 'token')} direct${cut}, ${whole(one.withTooltray)} via Tooltray`;
}

/** Returns `Tooltray started at 9:41 AM; mode search from 10:02 AM`; empty if there were no events. */
export function momentsReading(one: ChartStep, marks: readonly Annotation[]): string {
  const here = momentsIn(one, marks);
  const starts = here.filter(({ kind }) => kind === 'start');
  const [start] = starts;
  return [
    ...(starts.length > 1 ? [`Tooltray started ${starts.length} times`] : []),
    ...(starts.length === 1 && start !== undefined ? [`Tooltray started at ${hour(start.at)}`] : []),
    ...here.flatMap(({ kind, what, at }) => (kind === 'mode' ? [`mode changed to ${what} at ${hour(at)}`] : [])),
  ].join('; ');
}

/** Returns a one-sentence text alternative of the token chart. */
export function tokensSentence(steps: readonly ChartStep[], period: SavingsPeriod): string {
  const of = (value: (one: ChartStep) => number): number => steps.reduce((sum, one) => sum + value(one), 0);
  const [without, used] = [of((one) => one.withoutTooltray), of((one) => one.withTooltray)];
  if (without === 0 && used === 0) return `No data ${periodWords[period]}.`;
  return `${compact(without)} direct, ${compact(used)} via Tooltray ${periodWords[period]}.`;
}

/** `214 calls today · 6 errors (2.8%)`. */
export function callsSentence({ steps }: Pick<Charts, 'steps'>, period: SavingsPeriod): string {
  const all = steps.reduce((sum, one) => sum + callsOf(one), 0);
  if (all === 0) return `No calls ${periodWords[period]}`;
  const errors = steps.reduce((sum, one) => sum + one.tool_error + one.failed + one.blocked, 0);
  const share = errors === 0 ? '' : ` (${((errors / all) * 100).toFixed(1)}%)`;
  return `${count(all, 'call')} ${periodWords[period]} · ${count(errors, 'error')}${share}`;
}

/** Returns y-axis ticks, descending, in even steps of 1, 2, 2.5 or 5 times a power of ten. */
export function axisOf(max: number): { readonly top: number; readonly ticks: readonly number[] } {
  const wanted = Math.max(max, 4) / 3;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = ([1, 2, 2.5, 5, 10].find((one) => one * power >= wanted) ?? 10) * power;
  const tickCount = Math.max(1, Math.ceil(Math.max(max, 4) / step));
  return { top: tickCount * step, ticks: Array.from({ length: tickCount + 1 }, (_, at) => (tickCount - at) * step) };
}

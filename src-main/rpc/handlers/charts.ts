/**
 * Charts of the overview: one time range in steps, with savings, calls by outcome, and events that explain a change.
 */
import {
  outcomeCounts,
  type latencies,
  maxMeasuredCalls,
  type OutcomeCounts,
} from '../../core/activity/call-charts.ts';
import type { CallOutcome } from '../../core/activity/call-record.ts';
import type { SavingsReport } from '../../core/activity/ledger/ledger-table.ts';
import { startOfDay, formatDay, hourMs, hourOffsetMs } from '../../core/activity/local-time.ts';
import type { Charts, ChartStep, SavingsPeriod } from '../contract.ts';
import type { Handlers } from '../deps.ts';

/** Longer ranges use weekly steps. */
const maxDays = 92;
const maxWeeks = 110;

interface Range {
  /** Start of each step, oldest first. */
  readonly starts: readonly number[];
  readonly until: number;
  readonly step: 'hour' | 'day' | 'week';
}

export const chartHandlers = {
  charts: async ({ period }, { activity }) => {
    const { log, ledger } = activity;
    return drawCharts(period, {
      savings: (question) => ledger.savings(question),
      outcomes: (since) => log.ask('outcomesByHour', since, hourOffsetMs(since)),
      latencies: (since, until) => log.ask('latencies', since, until),
      marks: (since, until) => log.ask('annotations', since, until),
    });
  },
} satisfies Handlers;

/** Sources of recorded data. Times in ms since the epoch. */
export interface ChartSources {
  readonly savings: (question: {
    readonly since?: number;
    readonly by: 'hour' | 'day';
  }) => Promise<Pick<SavingsReport, 'rows'>>;
  /** Outcomes per hour with calls, keyed by its start in local time; hours before `since` may be missing. */
  readonly outcomes: (since: number) => Promise<ReadonlyMap<number, OutcomeCounts>>;
  readonly latencies: (since: number, until: number) => Promise<ReturnType<typeof latencies>>;
  readonly marks: (since: number, until: number) => Promise<Charts['marks']>;
}

export async function drawCharts(period: SavingsPeriod, sources: ChartSources): Promise<Charts> {
  const first = period === 'all' ? await firstDay(sources) : undefined;
  const range = rangeOf(period, Date.now(), first);
  const { starts, until, step } = range;
  const since = starts[0] ?? until;
  const report = await sources.savings({ since, by: step === 'hour' ? 'hour' : 'day' });
  const outcomes = await sources.outcomes(since);
  const steps = starts.map((from, at): ChartStep => {
    const to = starts[at + 1] ?? until;
    return { from, until: to, withoutTooltray: 0, withTooltray: 0, uncapped: 0, ...callsIn(outcomes, from, to) };
  });
  for (const { key, baseline, results, raw, spent, given, readBack } of report.rows) {
    const at = stepAt(starts, timeOf(key));
    const to = steps[at];
    if (to === undefined) continue;
    steps[at] = {
      ...to,
      withoutTooltray: to.withoutTooltray + baseline + results,
      withTooltray: to.withTooltray + spent + given + readBack,
      uncapped: to.uncapped + baseline + Math.max(results, raw),
    };
  }
  const { servers, measured } = await sources.latencies(since, until);
  const isCut = measured === maxMeasuredCalls;
  return { step, steps, servers, measured, isCut, marks: await sources.marks(since, until) };
}

/** Steps of an hour for one day, of a day up to three months, else of a week; all in local time. */
export function rangeOf(period: SavingsPeriod, now: number, first: number | undefined): Range {
  const today = startOfDay(now);
  const tomorrow = startOfDay(now, 1);
  if (period === 'today') {
    const starts: number[] = [];
    for (let at = today; at < tomorrow; at += hourMs) starts.push(at);
    return { starts, until: tomorrow, step: 'hour' };
  }
  const week = startOfDay(now, -6);
  const begin = period === 'week' ? week : period === 'month' ? startOfDay(now, -29) : first;
  const from = startOfDay(Math.min(begin ?? week, week));
  const days: number[] = [];
  for (let at = from; at < tomorrow; at = startOfDay(at, 1)) days.push(at);
  if (days.length <= maxDays) return { starts: days, until: tomorrow, step: 'day' };
  // Counted back from today, so that the last week is complete.
  const weeks = days.filter((_, at) => (days.length - at) % 7 === 0).slice(-maxWeeks);
  return { starts: weeks, until: tomorrow, step: 'week' };
}

/** Index of the last step that starts no later; -1 if there is none. */
function stepAt(starts: readonly number[], time: number): number {
  return starts.findLastIndex((start) => start <= time);
}

/** Rows are keyed by the hour's start in ms, or by the day: `2026-11-23`. */
function timeOf(key: string): number {
  return key.includes('-') ? new Date(`${key}T00:00:00`).getTime() : Number(key);
}

function callsIn(hours: ReadonlyMap<number, OutcomeCounts>, from: number, to: number): Pick<ChartStep, CallOutcome> {
  const counts = [...hours].flatMap(([hour, count]) => (hour >= from && hour < to ? [count] : []));
  return outcomeCounts((outcome) => counts.reduce((sum, count) => sum + count[outcome], 0));
}

async function firstDay({ savings }: ChartSources): Promise<number | undefined> {
  const { rows } = await savings({ by: 'day' });
  const [first] = rows.map(({ key }) => key).toSorted();
  return first === undefined || first > formatDay(Date.now()) ? undefined : timeOf(first);
}

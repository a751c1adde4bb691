/** Prints the steps of client apps on the command line: sessions and their steps, read page by page. */
import { formatCount } from '../core/base/text-format.ts';
import type { CoreAccess, RpcMethods, StepQuery, StepSummary, TimelineSession } from '../rpc/contract.ts';
import { oneLine, paint, table } from './terminal.ts';

export interface FoundSteps {
  readonly steps: readonly StepSummary[];
  readonly sums: RpcMethods['steps']['output']['sums'];
  /** Number of the newest steps searched, if older ones were not. */
  readonly lookedThrough?: number;
}

/** Reads up to the limit, newest first; steps recorded during the read are excluded. */
export async function readSteps(core: CoreAccess, query: StepQuery, limit: number): Promise<FoundSteps> {
  const steps: StepSummary[] = [];
  for (;;) {
    const before = steps.at(-1);
    const page = await core.ask('steps', {
      ...query,
      ...(before !== undefined && { beforeId: before.id }),
      limit: Math.min(1000, limit - steps.length),
    });
    steps.push(...page.steps);
    if (page.more && page.steps.length > 0 && steps.length < limit) continue;
    const { sums, lookedThrough } = page;
    return { steps, sums, ...(lookedThrough !== undefined && { lookedThrough }) };
  }
}

/** GIVEN: tokens returned to the app; SENT: tokens that servers sent for it. */
export function stepLines({ steps, sums, lookedThrough }: FoundSteps): string[] {
  if (steps.length === 0) return ['No matching steps.'];
  const rows = steps.map((step) => [
    when(step.at),
    oneLine(step.appName),
    step.sessionId.slice(0, 8),
    step.kind,
    oneLine(subjectOf(step)),
    step.outcome === 'ok' ? 'ok' : paint('bad', step.outcome.replace('_', ' ')),
    `${Math.round(step.durationMs)} ms`,
    ...[step.raw, step.given].map((tokens) => String(tokens ?? '')),
  ]);
  const isAll = sums.steps <= steps.length;
  return [
    ...table(['TIME', 'APP', 'SESSION', 'KIND', 'STEP', 'STATUS', 'DURATION', 'FROM SERVERS', 'RETURNED'], rows),
    ...(isAll ? [] : ['', `${steps.length} of ${formatCount(sums.steps, 'step')}; more with --limit N.`]),
    ...(lookedThrough === undefined ? [] : [`Looked for in the newest ${formatCount(lookedThrough, 'step')}.`]),
  ];
}

export function sessionLines(sessions: readonly TimelineSession[]): string[] {
  if (sessions.length === 0) return ['No sessions yet.'];
  const rows = sessions.map(({ id, appName, mode, isLive, from, steps, given }) => [
    when(from),
    oneLine(appName),
    id,
    mode,
    isLive ? paint('good', 'active') : 'ended',
    String(steps),
    String(given),
  ]);
  return table(['STARTED', 'APP', 'SESSION', 'MODE', 'STATUS', 'STEPS', 'TOKENS'], rows);
}

/** The server tool that ran, or else what was requested. */
function subjectOf({ kind, name, what, calls, callCount }: StepSummary): string {
  const [only] = calls;
  if (kind === 'call' && only !== undefined && callCount === 1)
    return only.server === '' ? only.tool : `${only.server}:${only.tool}`;
  if (kind === 'program') return `${name}, ${formatCount(callCount, 'call')}`;
  return [name, what].join(' ').trim();
}

function when(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

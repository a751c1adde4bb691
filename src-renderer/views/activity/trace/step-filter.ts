/** Which steps are shown: as the address says it, and as the core is asked. Pure. */
import type { StepQuery } from '../../../../src-main/rpc/contract.ts';
import { isOnly, type Only } from '../call-filter.ts';

export interface StepFilter {
  readonly text: string;
  readonly only: Only | undefined;
  readonly server: string;
  /** ms since 1970, as links from sums have it; undefined: from the first on, to the last. */
  readonly since: number | undefined;
  readonly until: number | undefined;
}

export function readStepFilter(query: URLSearchParams): StepFilter {
  const of = (name: string): string => query.get(name) ?? '';
  const only = of('only');
  return {
    text: of('text'),
    only: isOnly(only) ? only : undefined,
    server: of('server'),
    since: timeIn(of('since')),
    until: timeIn(of('until')),
  };
}

/** What of the filter stands in the address: nothing that is left open. */
export function stepQuery({ text, only, server, since, until }: StepFilter): Record<string, string> {
  const all = { text, only: only ?? '', server, since: String(since ?? ''), until: String(until ?? '') };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

export function toStepSearch({ text, only, server, since, until }: StepFilter, sessionId: string): StepQuery {
  return {
    ...(sessionId !== '' && { sessionId }),
    ...(text.trim() !== '' && { text: text.trim() }),
    ...(only === 'problems' && { problems: true }),
    ...(only === 'spilled' && { spilled: true }),
    ...(only === 'blocked' && { blocked: true }),
    ...(server !== '' && { server }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

function timeIn(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The filter of steps, in the URL and in requests. Pure. */
import type { StepQuery } from '../../../../src-main/rpc/contract.ts';
import { isOnly, type Only } from '../call-filter.ts';

export interface StepFilter {
  readonly text: string;
  readonly only: Only | undefined;
  /** Name of the user, in a team. */
  readonly user: string;
  readonly server: string;
  /** ms since 1970, as in links from totals; undefined: unlimited. */
  readonly since: number | undefined;
  readonly until: number | undefined;
}

export function readStepFilter(query: URLSearchParams): StepFilter {
  const of = (name: string): string => query.get(name) ?? '';
  const only = of('only');
  return {
    text: of('text'),
    only: isOnly(only) ? only : undefined,
    user: of('user'),
    server: of('server'),
    since: timeIn(of('since')),
    until: timeIn(of('until')),
  };
}

/** The filter's URL query, without defaults. */
export function stepQuery({ text, only, user, server, since, until }: StepFilter): Record<string, string> {
  const times = { since: String(since ?? ''), until: String(until ?? '') };
  const all = { text, only: only ?? '', user, server, ...times };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

export function toStepSearch({ text, only, user, server, since, until }: StepFilter, sessionId: string): StepQuery {
  return {
    ...(sessionId !== '' && { sessionId }),
    ...(text.trim() !== '' && { text: text.trim() }),
    ...(only === 'problems' && { problems: true }),
    ...(only === 'spilled' && { spilled: true }),
    ...(only === 'blocked' && { blocked: true }),
    ...(user !== '' && { user }),
    ...(server !== '' && { server }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

function timeIn(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

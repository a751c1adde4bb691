/** The filter of calls, in the URL and in requests. Pure. */
import type { ActivityQuery } from '../../../src-main/rpc/contract.ts';
import { hour } from '../../lib/format.ts';

export type Only = 'problems' | 'spilled' | 'blocked';

export interface CallFilter {
  readonly text: string;
  readonly only: Only | undefined;
  /** Name of the user, in a team. */
  readonly user: string;
  readonly app: string;
  readonly server: string;
  /** Started at or after `since`, and before `until`; in ms since 1970. */
  readonly since: number | undefined;
  readonly until: number | undefined;
}

export const everything: CallFilter = {
  text: '',
  only: undefined,
  user: '',
  app: '',
  server: '',
  since: undefined,
  until: undefined,
};

export const onlyWords: Readonly<Record<Only, string>> = {
  problems: 'Problems',
  spilled: 'Spilled',
  blocked: 'Blocked',
};

/** A URL may contain any text. */
export function readFilter(query: URLSearchParams): CallFilter {
  const of = (name: string): string => query.get(name) ?? '';
  const only = of('only');
  const time = (name: string): number | undefined => (/^\d{1,15}$/.test(of(name)) ? Number(of(name)) : undefined);
  return {
    text: of('text'),
    only: isOnly(only) ? only : undefined,
    user: of('user'),
    app: of('app'),
    server: of('server'),
    since: time('since'),
    until: time('until'),
  };
}

/** The filter's URL query, without defaults. */
export function filterQuery({ text, only, user, app, server, since, until }: CallFilter): Record<string, string> {
  const times = { since: String(since ?? ''), until: String(until ?? '') };
  const all = { text, only: only ?? '', user, app, server, ...times };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

export function isOpen(filter: CallFilter): boolean {
  return Object.keys(filterQuery(filter)).length === 0;
}

export function toSearch({ text, only, user, app, server, since, until }: CallFilter): ActivityQuery {
  return {
    ...(text.trim() !== '' && { text: text.trim() }),
    ...(only === 'problems' && { outcomes: ['tool_error', 'failed', 'blocked'] as const }),
    ...(only === 'blocked' && { outcomes: ['blocked'] as const }),
    ...(only === 'spilled' && { spilled: true }),
    ...(user !== '' && { user }),
    ...(app !== '' && { app }),
    ...(server !== '' && { server }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

/** `Problems · from Cursor · of github · with “issue”`; empty without a filter. */
export function filterInWords({ text, only, user, app, server, since, until }: CallFilter): string {
  return [
    ...(only === undefined ? [] : [onlyWords[only]]),
    ...(user === '' ? [] : [`by ${user}`]),
    ...(app === '' ? [] : [`from ${app}`]),
    ...(server === '' ? [] : [`to ${server}`]),
    ...spanInWords({ since, until }),
    ...(text.trim() === '' ? [] : [`matching “${text.trim()}”`]),
  ].join(' · ');
}

/** `from 23 Nov, 9:00 AM to 23 Nov, 10:00 AM`. */
export function spanInWords({ since, until }: Pick<CallFilter, 'since' | 'until'>): readonly string[] {
  const at = (time: number): string => {
    const date = new Date(time);
    return `${date.toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${hour(time)}`;
  };
  if (since === undefined) return until === undefined ? [] : [`before ${at(until)}`];
  return [`from ${at(since)}${until === undefined ? '' : ` to ${at(until)}`}`];
}

export function isOnly(text: string): text is Only {
  return Object.hasOwn(onlyWords, text);
}

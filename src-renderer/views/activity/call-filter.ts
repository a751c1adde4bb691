/** Which calls are shown: as the address says it, and as the core is asked. Pure. */
import type { ActivityQuery } from '../../../src-main/rpc/contract.ts';

export type Only = 'problems' | 'spilled' | 'blocked';

export interface CallFilter {
  readonly text: string;
  readonly only: Only | undefined;
  readonly app: string;
  readonly server: string;
}

export const everything: CallFilter = { text: '', only: undefined, app: '', server: '' };

export const onlyWords: Readonly<Record<Only, string>> = {
  problems: 'Problems',
  spilled: 'Spilled',
  blocked: 'Blocked',
};

/** Any text may stand in an address. */
export function readFilter(query: URLSearchParams): CallFilter {
  const of = (name: string): string => query.get(name) ?? '';
  const only = of('only');
  return { text: of('text'), only: isOnly(only) ? only : undefined, app: of('app'), server: of('server') };
}

/** What of the filter stands in the address: nothing that is left open. */
export function filterQuery({ text, only, app, server }: CallFilter): Record<string, string> {
  const all = { text, only: only ?? '', app, server };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

export function isOpen(filter: CallFilter): boolean {
  return Object.keys(filterQuery(filter)).length === 0;
}

export function toSearch({ text, only, app, server }: CallFilter): ActivityQuery {
  return {
    ...(text.trim() !== '' && { text: text.trim() }),
    ...(only === 'problems' && { outcomes: ['tool_error', 'failed', 'cancelled', 'blocked'] as const }),
    ...(only === 'blocked' && { outcomes: ['blocked'] as const }),
    ...(only === 'spilled' && { spilled: true }),
    ...(app !== '' && { app }),
    ...(server !== '' && { server }),
  };
}

/** `Problems · from Cursor · of github · with “issue”`; empty where everything is shown. */
export function filterInWords({ text, only, app, server }: CallFilter): string {
  return [
    ...(only === undefined ? [] : [onlyWords[only]]),
    ...(app === '' ? [] : [`from ${app}`]),
    ...(server === '' ? [] : [`of ${server}`]),
    ...(text.trim() === '' ? [] : [`with “${text.trim()}”`]),
  ].join(' · ');
}

function isOnly(text: string): text is Only {
  return Object.hasOwn(onlyWords, text);
}

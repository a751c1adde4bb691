/** Badges of views in the sidebar: a number of pending decisions, or a dot if a server needs the user. Pure. */
import type { View } from '../lib/addresses.ts';
import type { Slices } from '../lib/app-state.svelte.ts';

export type Badge =
  | { readonly kind: 'count'; readonly count: number; readonly words: string }
  | { readonly kind: 'dot'; readonly words: string };

export function badgeOf(view: View, { inbox, servers }: Pick<Slices, 'inbox' | 'servers'>): Badge | undefined {
  if (view === 'inbox' && inbox !== undefined && inbox.length > 0) {
    return { kind: 'count', count: inbox.length, words: ' to review' };
  }
  const needsUser = servers?.some(({ level }) => level === 'error' || level === 'attention') ?? false;
  return view === 'servers' && needsUser ? { kind: 'dot', words: 'Needs attention' } : undefined;
}

/** How much waits for a person behind each word of the sidebar; nothing where nothing does. Pure. */
import type { Slices } from '../lib/app-state.svelte.ts';
import type { View } from '../lib/routes.svelte.ts';

type Waiting = Pick<Slices, 'attention' | 'inbox' | 'servers' | 'setup'>;

export function waitingCounts({ attention, inbox, servers, setup }: Waiting): Partial<Record<View, number>> {
  const ill = servers?.filter(({ level }) => level === 'error' || level === 'attention').length ?? 0;
  return {
    // As its list there says, with what is decided in the inbox.
    ...((attention?.length ?? 0) > 0 && { overview: attention?.length ?? 0 }),
    ...((inbox?.length ?? 0) > 0 && { inbox: inbox?.length ?? 0 }),
    ...(ill > 0 && { servers: ill }),
    ...((setup?.open ?? 0) > 0 && { setup: setup?.open ?? 0 }),
  };
}

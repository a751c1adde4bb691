/** How much waits for a person behind each word of the sidebar; nothing where nothing does. Pure. */
import type { Slices } from '../lib/app-state.svelte.ts';
import type { View } from '../lib/routes.svelte.ts';

type Waiting = Pick<Slices, 'attention' | 'servers' | 'setup'>;

export function waitingCounts({ attention, servers, setup }: Waiting): Partial<Record<View, number>> {
  const ill = servers?.filter(({ level }) => level === 'error' || level === 'attention').length ?? 0;
  return {
    ...((attention?.length ?? 0) > 0 && { overview: attention?.length ?? 0 }),
    ...(ill > 0 && { servers: ill }),
    ...((setup?.open ?? 0) > 0 && { setup: setup?.open ?? 0 }),
  };
}

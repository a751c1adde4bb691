/** The seven words of the sidebar. */
import type { View } from '../lib/routes.svelte.ts';

export const viewNames: Readonly<Record<View, string>> = {
  overview: 'Overview',
  inbox: 'Inbox',
  servers: 'Servers',
  activity: 'Activity',
  spills: 'Spills',
  setup: 'Setup',
  settings: 'Settings',
};

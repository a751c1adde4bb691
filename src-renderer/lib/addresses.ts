/** URLs of the dashboard's places: `#/servers/github/log?since=1`. Pure; the current route is in routes.svelte.ts. */

export const views = ['overview', 'activity', 'spills', 'servers', 'setup', 'inbox', 'settings'] as const;
const admins = ['overview', 'activity', 'spills', 'servers', 'inbox', 'people', 'audit', 'tokens'] as const;
const members = ['overview', 'activity', 'spills', 'servers', 'inbox', 'tokens'] as const;
export type View = (typeof views)[number] | (typeof admins)[number];

/** Views available to the viewer; without a team, all but the team's. */
export function viewsFor(team: { readonly role: 'admin' | 'member' } | null | undefined): readonly View[] {
  if (team === null || team === undefined) return views;
  return team.role === 'admin' ? admins : members;
}

/** Returns the addressed view, or the nearest one that the viewer may see. */
export function allowedView(all: readonly View[], named: View): View {
  if (all.includes(named)) return named;
  // Team users connect an app with a token.
  return named === 'setup' && all.includes('tokens') ? 'tokens' : 'overview';
}

/** Views that start a new group in the sidebar. */
export const groupStarts: ReadonlySet<View> = new Set(['servers', 'settings', 'people', 'tokens']);

/** The default part of a view. */
export function homeOf(view: View): readonly string[] {
  return view === 'activity' ? ['sessions', 'all'] : [];
}

/** Names as shown in the sidebar. */
export const viewNames: Readonly<Record<View, string>> = {
  overview: 'Overview',
  inbox: 'Inbox',
  servers: 'Servers',
  activity: 'Activity',
  spills: 'Spills',
  setup: 'Apps',
  settings: 'Settings',
  people: 'Users',
  audit: 'Audit log',
  tokens: 'Access tokens',
};

/** The link to a place of the dashboard. */
export function hrefTo(view: View, path: readonly string[] = [], query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `#/${[view, ...path].map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

export function isView(text: string | undefined): text is View {
  return ([...views, ...admins] as readonly (string | undefined)[]).includes(text);
}

/** `['servers', 'github', 'log']`. */
export function partsOf(hash: string): string[] {
  const path = /^#\/([^?]*)/.exec(hash)?.[1] ?? '';
  return path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
}

export function queryOf(hash: string): URLSearchParams {
  return new URLSearchParams(hash.split('?')[1] ?? '');
}

/** A URL typed by a user may contain anything. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

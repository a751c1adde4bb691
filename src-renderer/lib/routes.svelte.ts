/** Where in the dashboard we are: `#/servers/github/log?since=1`. The address is the state, so that every row has a link. */
import { createSubscriber } from 'svelte/reactivity';

export const views = ['overview', 'servers', 'activity', 'spills', 'setup', 'settings'] as const;
export type View = (typeof views)[number];

const storageName = 'tooltray.view';
/** Reading a route inside an effect or template reads it again when the address changes. */
const follow = createSubscriber((update) => {
  addEventListener('hashchange', update);
  return () => removeEventListener('hashchange', update);
});

export const routes = {
  get view(): View {
    const [view] = parts();
    return isView(view) ? view : rememberedView();
  },
  /** What comes after the view: `['github', 'log']`. */
  get path(): readonly string[] {
    return parts().slice(1);
  },
  get query(): URLSearchParams {
    follow();
    return new URLSearchParams(location.hash.split('?')[1] ?? '');
  },
  /** Goes there: `routes.go('servers', 'github', 'log')`. */
  go(view: View, ...path: readonly string[]): void {
    location.hash = hrefTo(view, path);
  },
  /** Goes there without a step for the Back button: for what changes often, as the tab of a drawer. */
  replace(view: View, path: readonly string[], query?: Readonly<Record<string, string>>): void {
    location.replace(hrefTo(view, path, query));
  },
};

/** The link to a place of the dashboard. */
export function hrefTo(view: View, path: readonly string[] = [], query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `#/${[view, ...path].map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** The next start without an address begins there. */
export function rememberView(view: View): void {
  localStorage.setItem(storageName, view);
}

/** undefined: this browser has not shown the dashboard before. */
export function lastView(): View | undefined {
  const view = localStorage.getItem(storageName) ?? undefined;
  return isView(view) ? view : undefined;
}

function rememberedView(): View {
  return lastView() ?? 'overview';
}

function isView(text: string | undefined): text is View {
  return (views as readonly (string | undefined)[]).includes(text);
}

function parts(): string[] {
  follow();
  const path = /^#\/([^?]*)/.exec(location.hash)?.[1] ?? '';
  return path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
}

/** An address that a person typed may hold anything. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

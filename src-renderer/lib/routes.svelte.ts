/** Where in the dashboard we are. The address is the state, so that every row has a link. */
import { createSubscriber } from 'svelte/reactivity';
import { hrefTo, isView, partsOf, queryOf, type View } from './addresses.ts';

export { hrefTo, type View } from './addresses.ts';

const storageName = 'tooltray.view';
/** Reading a route inside an effect or template reads it again when the address changes. */
const follow = createSubscriber((update) => {
  addEventListener('hashchange', update);
  return () => removeEventListener('hashchange', update);
});

export const routes = {
  get view(): View {
    const [view] = parts();
    return isView(view) ? view : (lastView() ?? 'overview');
  },
  /** What comes after the view: `['github', 'log']`. */
  get path(): readonly string[] {
    return parts().slice(1);
  },
  get query(): URLSearchParams {
    follow();
    return queryOf(location.hash);
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

/** The next start without an address begins there. */
export function rememberView(view: View): void {
  localStorage.setItem(storageName, view);
}

/** undefined: this browser has not shown the dashboard before. */
export function lastView(): View | undefined {
  const view = localStorage.getItem(storageName) ?? undefined;
  return isView(view) ? view : undefined;
}

function parts(): string[] {
  follow();
  return partsOf(location.hash);
}

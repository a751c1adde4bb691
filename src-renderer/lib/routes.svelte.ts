/** The current place in the dashboard. It is stored in the URL, so that everything can be linked. */
import { createSubscriber } from 'svelte/reactivity';
import { hrefTo, isView, partsOf, queryOf, type View } from './addresses.ts';

export { hrefTo, type View } from './addresses.ts';

const storageName = 'tooltray.view';
/** Reading a route in an effect or template makes it depend on the URL. */
const follow = createSubscriber((update) => {
  addEventListener('hashchange', update);
  return () => removeEventListener('hashchange', update);
});

export const routes = {
  get view(): View {
    const [view] = parts();
    return isView(view) ? view : (lastView() ?? 'overview');
  },
  /** Path after the view: `['github', 'log']`. */
  get path(): readonly string[] {
    return parts().slice(1);
  },
  get query(): URLSearchParams {
    follow();
    return queryOf(location.hash);
  },
  /** Navigates: `routes.go('servers', 'github', 'log')`. */
  go(view: View, ...path: readonly string[]): void {
    location.hash = hrefTo(view, path);
  },
  /** Navigates without a history entry: for frequent changes, such as tabs. */
  replace(view: View, path: readonly string[], query?: Readonly<Record<string, string>>): void {
    location.replace(hrefTo(view, path, query));
  },
};

/** Stores the view as the default of the next start. */
export function rememberView(view: View): void {
  localStorage.setItem(storageName, view);
}

/** undefined: the dashboard was never shown in this browser. */
export function lastView(): View | undefined {
  const view = localStorage.getItem(storageName) ?? undefined;
  return isView(view) ? view : undefined;
}

function parts(): string[] {
  follow();
  return partsOf(location.hash);
}

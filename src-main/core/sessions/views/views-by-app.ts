/** The views of one connection by the client app that its requests name; usually one. */
import type { JsonObject } from '../../base/json.ts';
import { extensionSetOf } from '../../servers/extension-set.ts';
import type { SessionView } from '../session-view.ts';

/** Client names are unverified, so names beyond this number share the first view. */
const maxApps = 50;

/** `app`: undefined if the connection's address names it. */
export type OpenView = (app: string | undefined, capabilities: JsonObject) => SessionView;

export class ViewsByApp {
  readonly #first: SessionView;
  readonly #open: OpenView | undefined;
  readonly #views = new Map<string, { readonly app: string | undefined; readonly view: SessionView }>();

  /** `first` serves requests that name no client app and declare no extension; without `open` it serves all. */
  constructor(first: SessionView, open: OpenView | undefined) {
    this.#first = first;
    this.#open = open;
  }

  /** Throws AppError `mode_unknown`. */
  of(name: unknown, capabilities: JsonObject = {}): SessionView {
    const app = typeof name === 'string' ? name : undefined;
    const kind = extensionSetOf(capabilities);
    if (app === undefined && kind === undefined) return this.#first;
    const key = JSON.stringify([app, kind?.key]);
    const known = this.#views.get(key);
    if (known !== undefined) return known.view;
    if (this.#open === undefined || this.#views.size >= maxApps) return this.#first;
    const view = this.#open(app, capabilities);
    this.#views.set(key, { app, view });
    return view;
  }

  has(app: string): boolean {
    return [...this.#views.values()].some((one) => one.app === app);
  }

  get all(): readonly SessionView[] {
    return [this.#first, ...[...this.#views.values()].map(({ view }) => view)];
  }

  end(): void {
    for (const view of this.all) view.end?.();
  }
}

/** The views of one line, by the client app that its requests name: mostly one, kept apart where a line carries several. */
import type { SessionView } from './session-view.ts';

/** Anyone may call itself anything; names beyond these share the first view. */
const mostApps = 50;

export class ViewsByApp {
  readonly #first: SessionView;
  readonly #open: ((app: string) => SessionView) | undefined;
  readonly #views = new Map<string, SessionView>();

  /** `first` is for requests that name no client app; without `open` it is for all. */
  constructor(first: SessionView, open: ((app: string) => SessionView) | undefined) {
    this.#first = first;
    this.#open = open;
  }

  /** Throws AppError mode_unknown. */
  of(app: unknown): SessionView {
    if (typeof app !== 'string') return this.#first;
    const known = this.#views.get(app);
    if (known !== undefined) return known;
    if (this.#open === undefined || this.#views.size >= mostApps) return this.#first;
    const opened = this.#open(app);
    this.#views.set(app, opened);
    return opened;
  }

  end(): void {
    for (const view of [this.#first, ...this.#views.values()]) view.end?.();
  }
}

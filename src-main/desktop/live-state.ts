/** The core's state as the desktop app follows it: slices put together as they come. */
import type { AppState } from '../rpc/contract.ts';
import type { StatePublisher } from '../rpc/state-publisher.ts';

/** What tray, notices and window are made of; it is watched all the time, so nothing that moves with every call but the savings. */
const followed = ['core', 'servers', 'attention', 'savings', 'setup', 'modes', 'settings'] as const;

export class LiveState {
  readonly #leave: () => void;
  #current: Partial<AppState> = {};

  constructor(publisher: Pick<StatePublisher, 'watch'>, onChange: (state: Partial<AppState>) => void) {
    const hear = ({ change }: { readonly change: Partial<AppState> }): void => {
      this.#current = { ...this.#current, ...change };
      onChange(this.#current);
    };
    this.#leave = publisher.watch(hear, undefined, followed);
  }

  get current(): Partial<AppState> {
    return this.#current;
  }

  close(): void {
    this.#leave();
  }
}

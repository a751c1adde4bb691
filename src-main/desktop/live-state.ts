/** The core's state as the desktop app follows it: slices put together as they come. */
import type { AppState } from '../rpc/contract.ts';
import type { StatePublisher } from '../rpc/state-publisher.ts';

export class LiveState {
  readonly #leave: () => void;
  #current: Partial<AppState> = {};

  constructor(publisher: Pick<StatePublisher, 'watch'>, onChange: (state: Partial<AppState>) => void) {
    this.#leave = publisher.watch(({ change }) => {
      this.#current = { ...this.#current, ...change };
      onChange(this.#current);
    });
  }

  get current(): Partial<AppState> {
    return this.#current;
  }

  close(): void {
    this.#leave();
  }
}

/** Holds the index of kept answers open, and opens it anew when it broke or its folder went away. */
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { openSpills } from './open-spills.ts';
import type { SpillIndex } from './spill-index.ts';

export class SpillIndexHolder {
  readonly #folder: string;
  readonly #log: Log;
  #index: SpillIndex | undefined;
  #opening: Promise<SpillIndex> | undefined;
  #sealed = false;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** The index, opened if need be. One that could not be opened is tried again the next time: the disk may be back. */
  opened(): Promise<SpillIndex> {
    if (this.#sealed) return Promise.reject(new AppError('spill_failed', 'Tooltray stops; nothing is kept any more.'));
    this.#opening ??= openSpills(this.#folder, this.#log).then(
      (index) => (this.#index = index),
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  /** undefined where there is no index, or it cannot be asked now. */
  use<T>(work: (index: SpillIndex) => T): T | undefined {
    try {
      return this.#index === undefined ? undefined : work(this.#index);
    } catch (error) {
      this.#log.warn('The index of kept answers could not be used.', { error });
      return undefined;
    }
  }

  get current(): SpillIndex | undefined {
    return this.#index;
  }

  /** The next to ask for it gets it opened anew. */
  forget(): void {
    try {
      this.#index?.close();
    } catch (error) {
      this.#log.debug('The index of kept answers could not be closed.', { error });
    }
    this.#index = undefined;
    this.#opening = undefined;
  }

  /** Whether nothing is opened any more. */
  get sealed(): boolean {
    return this.#sealed;
  }

  /** From now on nothing is opened; what is open can be used until it is closed. */
  seal(): void {
    this.#sealed = true;
  }

  /** `last`: what is done before. */
  async close(last: (index: SpillIndex) => Promise<void>): Promise<void> {
    const index = await this.#opening?.catch(() => undefined);
    if (index === undefined) return;
    await last(index);
    this.#index = undefined;
    index.close();
  }
}

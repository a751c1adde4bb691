/** Watches the config files of client apps: what a person adds to one of them later is offered as well. */
import { existsSync } from 'node:fs';
import { type FSWatcher, watch } from 'chokidar';

/** Some apps write their file all the time; a change counts when it has been quiet for this long, in ms. */
const quietMs = 500;

export class OffersWatch {
  readonly #onChange: () => void;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #followed = '';

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Follows these files from now on, as far as they are there. Resolves when they are watched. */
  async follow(files: readonly string[]): Promise<void> {
    const there = files.filter(existsSync);
    if (there.join('\n') === this.#followed) return;
    await this.close();
    this.#followed = there.join('\n');
    const watcher = watch(there, { ignoreInitial: true, persistent: false });
    this.#watcher = watcher;
    // A file that cannot be watched is looked at when somebody asks.
    watcher.on('error', () => undefined);
    watcher.on('all', () => this.#soon());
    await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const watcher = this.#watcher;
    this.#watcher = undefined;
    this.#followed = '';
    await watcher?.close();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onChange, quietMs).unref();
  }
}

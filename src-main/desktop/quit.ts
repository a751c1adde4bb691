/** Ends the desktop app in order: the window first, then the core with its servers, then Electron. */
import type { App, PowerMonitor } from 'electron';
import { settleWithin } from '../core/base/settle-within.ts';

export interface QuitDeps {
  readonly app: Pick<App, 'on' | 'quit'>;
  readonly monitor: Pick<PowerMonitor, 'on'>;
}

/** A part that must end before Electron quits. */
interface Quittable {
  /** Resolves to false where the user keeps the window because of unsaved edits. */
  closeWindow(): Promise<boolean>;
  /** Stops the core; once, however often it is called. */
  stop(): Promise<void>;
}

/**
 * Electron waits for no promise when it quits, so the first request to quit is put off until the core has stopped and
 * then repeated. That happens in `before-quit`, not in `will-quit` with `app.exit()`: an exit skips the event `quit`,
 * in which an update is installed.
 */
export class QuitOrder {
  readonly #app: QuitDeps['app'];
  #owned: Quittable | undefined;
  #maxStopMs: () => number = () => 0;
  #isStopped = false;
  #preparing: Promise<boolean> | undefined;

  constructor({ app, monitor }: QuitDeps) {
    this.#app = app;
    app.on('before-quit', (event) => {
      if (this.#isStopped || this.#owned === undefined) return;
      event.preventDefault();
      void this.#quit(true);
    });
    // The system ends this session and waits for the app to quit; there is nobody left to ask.
    // Electron passes an event here that its declaration of types lacks.
    monitor.on('shutdown', (event?: { preventDefault(): void }) => {
      event?.preventDefault();
      void this.#quit(false);
    });
  }

  /** `maxStopMs`: how long stopping may take, in ms; what still runs then ends with this process. */
  own(owned: Quittable, maxStopMs: () => number): void {
    this.#owned = owned;
    this.#maxStopMs = maxStopMs;
  }

  /** Everything but Electron has ended when it resolves to true; false where the user keeps the window. */
  prepare(mayAsk = true): Promise<boolean> {
    if (!mayAsk) return this.#stop();
    this.#preparing ??= this.#prepare().finally(() => (this.#preparing = undefined));
    return this.#preparing;
  }

  async #quit(mayAsk: boolean): Promise<void> {
    if (await this.prepare(mayAsk)) this.#app.quit();
  }

  async #prepare(): Promise<boolean> {
    const mayStop = (await this.#owned?.closeWindow()) ?? true;
    return mayStop && this.#stop();
  }

  async #stop(): Promise<true> {
    if (this.#owned !== undefined) await settleWithin(this.#owned.stop(), this.#maxStopMs());
    this.#isStopped = true;
    return true;
  }
}

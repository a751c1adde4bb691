/** Quits the desktop app in order: first the window, then the core with its servers, then Electron. */
import type { App, PowerMonitor } from 'electron';
import { settleWithin } from '../core/base/settle-within.ts';

export interface QuitDeps {
  readonly app: Pick<App, 'on' | 'quit'>;
  readonly monitor: Pick<PowerMonitor, 'on'>;
}

/** A part that must stop before Electron quits. */
interface Quittable {
  /** Resolves to false if the user keeps the window because of unsaved edits. */
  closeWindow(): Promise<boolean>;
  /** Stops the core; idempotent. */
  stop(): Promise<void>;
}

/**
 * Electron does not wait for promises when it quits, so the first request to quit is prevented and repeated after the
 * core has stopped. This happens in `before-quit`, not in `will-quit` with `app.exit()`, because an exit skips the
 * event `quit`, in which updates are installed.
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
    // The system ends the session and waits for the app to quit, so the user is not asked. Electron passes an event
    // here that its types lack.
    monitor.on('shutdown', (event?: { preventDefault(): void }) => {
      event?.preventDefault();
      void this.#quit(false);
    });
    // Windows reports the end of the session to windows only.
    app.on('browser-window-created', (_event, window) => window.on('session-end', () => void this.#quit(false)));
  }

  /** `maxStopMs`: maximum time for stopping, in ms; what still runs then ends with this process. */
  own(owned: Quittable, maxStopMs: () => number): void {
    this.#owned = owned;
    this.#maxStopMs = maxStopMs;
  }

  /** Resolves to true when everything but Electron has stopped; false if the user keeps the window. */
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

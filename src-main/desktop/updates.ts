/** Looks for newer versions, unless it is switched off; whether one is fetched and installed is the person's to say. */
import type { AppUpdater } from 'electron-updater';
import type { Preferences } from './preferences.ts';

/** What is used of electron-updater. A release that is rolled out in stages is its own to judge, by `stagingPercentage`. */
export type Updater = Pick<
  AppUpdater,
  'autoDownload' | 'autoInstallOnAppQuit' | 'allowDowngrade' | 'checkForUpdates' | 'quitAndInstall'
> & {
  on(event: 'update-available' | 'update-downloaded', listener: (info: { readonly version: string }) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
};

interface UpdatesDeps {
  readonly updater: Updater;
  readonly setting: () => Preferences['updates'];
  readonly onError: (error: Error) => void;
  /** A newer version waits: `ready` when a restart is all that is missing. */
  readonly onFound: (version: string, ready: boolean) => void;
}

const firstLookMs = 60_000;
const everyMs = 6 * 60 * 60_000;

export class Updates {
  readonly #deps: UpdatesDeps;
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(deps: UpdatesDeps) {
    this.#deps = deps;
    const { updater, onError, onFound } = deps;
    updater.allowDowngrade = false;
    updater.on('error', onError);
    updater.on('update-available', ({ version }) => onFound(version, false));
    updater.on('update-downloaded', ({ version }) => onFound(version, true));
  }

  start(): void {
    this.#timers.push(
      setTimeout(() => void this.look(), firstLookMs),
      setInterval(() => void this.look(), everyMs),
    );
    for (const timer of this.#timers) timer.unref();
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async look(): Promise<void> {
    const { updater, setting, onError } = this.#deps;
    const choice = setting();
    if (choice === 'off') return;
    updater.autoDownload = choice === 'install';
    updater.autoInstallOnAppQuit = choice === 'install';
    await updater.checkForUpdates().catch(onError);
  }

  install(): void {
    this.#deps.updater.quitAndInstall();
  }
}

/** Checks for newer versions unless disabled; the user decides whether to download and install one. */
import type { AppUpdater } from 'electron-updater';
import { AppError } from '../core/base/errors.ts';
import type { Preferences } from './preferences.ts';

/** The parts of electron-updater used here. It evaluates staged rollouts itself, by `stagingPercentage`. */
export type Updater = Pick<
  AppUpdater,
  'autoDownload' | 'autoInstallOnAppQuit' | 'allowDowngrade' | 'checkForUpdates' | 'downloadUpdate' | 'quitAndInstall'
> & {
  on(event: 'update-available' | 'update-downloaded', listener: (info: { readonly version: string }) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
};

export interface FoundUpdate {
  readonly version: string;
  /** Downloaded; only a restart is needed. */
  readonly isReady: boolean;
  /** The user has not been notified about this version. */
  readonly isNew: boolean;
}

interface UpdatesDeps {
  readonly updater: Updater;
  readonly setting: () => Preferences['updates'];
  readonly onError: (error: Error) => void;
  readonly onFound: (found: FoundUpdate) => void;
  /** Stops everything but Electron before the installer runs; resolves to false if the user cancels. */
  readonly prepare: () => Promise<boolean>;
  /** The newest version that the user was notified about. */
  readonly lastNotified: { get(): string | undefined; set(version: string): void };
  /** Why this build cannot install updates itself; undefined if the system verifies the signature. */
  readonly refusal: string | undefined;
}

const firstCheckMs = 60_000;
const checkIntervalMs = 6 * 60 * 60_000;

export class Updates {
  readonly #deps: UpdatesDeps;
  readonly #timers: NodeJS.Timeout[] = [];
  #isDownloaded = false;

  constructor(deps: UpdatesDeps) {
    this.#deps = deps;
    const { updater, onError } = deps;
    updater.allowDowngrade = false;
    updater.on('error', onError);
    updater.on('update-available', ({ version }) => this.#found(version, false));
    updater.on('update-downloaded', ({ version }) => {
      this.#isDownloaded = true;
      this.#found(version, true);
    });
  }

  start(): void {
    this.#timers.push(
      setTimeout(() => void this.check(), firstCheckMs),
      setInterval(() => void this.check(), checkIntervalMs),
    );
    for (const timer of this.#timers) timer.unref();
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async check(): Promise<void> {
    const { updater, setting, onError, refusal } = this.#deps;
    const choice = setting();
    if (choice === 'off') return;
    const mayInstall = choice === 'install' && refusal === undefined;
    updater.autoDownload = mayInstall;
    updater.autoInstallOnAppQuit = mayInstall;
    await updater.checkForUpdates().catch(onError);
  }

  /**
   * Downloads the found version, if necessary, and restarts into it. Rejects with AppError `unsupported` for unsigned
   * builds.
   */
  async install(): Promise<void> {
    const { updater, prepare, refusal } = this.#deps;
    if (refusal !== undefined) {
      throw new AppError('unsupported', refusal, { fix: 'Download the new version and install it yourself.' });
    }
    if (!this.#isDownloaded) await updater.downloadUpdate();
    if (await prepare()) updater.quitAndInstall();
  }

  #found(version: string, isReady: boolean): void {
    const { lastNotified, onFound } = this.#deps;
    const isNew = lastNotified.get() !== version;
    if (isNew) lastNotified.set(version);
    onFound({ version, isReady, isNew });
  }
}

/**
 * Why an update could not be verified: an unsigned installer cannot be trusted. `settings`: content of app-update.yml.
 * Sources: electron-builder, "Auto Update" (publisherName); Squirrel.Mac verifies signatures.
 */
export function unsignedReason(
  platform: NodeJS.Platform,
  settings: Readonly<Record<string, unknown>>,
  isSignedOnMac: () => boolean,
): string | undefined {
  const isVerifiable =
    platform === 'win32' ? settings['publisherName'] !== undefined : platform === 'darwin' && isSignedOnMac();
  return isVerifiable ? undefined : 'This build cannot verify who signed an update, so it installs none by itself.';
}

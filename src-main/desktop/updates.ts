/** Checks for newer versions unless disabled; the user decides whether to download and install one. */
import type { AppUpdater } from 'electron-updater';
import { updateFile } from '../core/base/app-paths.ts';
import { writeFileAtomic } from '../core/base/atomic-file.ts';
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
  /** Why this build does not install it. */
  readonly refusal: string | undefined;
}

/** The notice about a version, with the button that installs it unless this build refuses to. */
export function updateNotice({ version, isReady, refusal }: FoundUpdate): {
  readonly title: string;
  readonly detail: string;
  readonly button: string | undefined;
} {
  const title = `Tooltray ${version} is available`;
  if (refusal !== undefined) return { title, detail: refusal, button: undefined };
  return isReady
    ? { title, detail: 'Restart Tooltray to install it.', button: 'Restart to Update' }
    : { title, detail: 'Tooltray downloads it and restarts.', button: 'Download and Restart' };
}

interface UpdatesDeps {
  readonly updater: Updater;
  readonly setting: () => Preferences['updates'];
  readonly onError: (error: Error) => void;
  readonly onFound: (found: FoundUpdate) => void;
  /** Stops everything but Electron before the installer runs; resolves to false if the user cancels. */
  readonly prepare: () => Promise<boolean>;
  /** Quits the app and starts it again. */
  readonly restart: () => void;
  /** The newest version that the user was notified about. */
  readonly lastNotified: { get(): string | undefined; set(version: string): void };
  /** Why this build cannot install updates itself; undefined if the system verifies the signature. */
  readonly refusal: string | undefined;
}

const firstCheckMs = 60_000;
const checkIntervalMs = 6 * 60 * 60_000;
/** The installed version is started at the end, and ends the wait. */
const maxInstallMs = 5 * 60_000;
/** Nothing is started at the end of an update that is installed because the user quit. */
const maxQuietInstallMs = 60_000;

/** Client apps do not start Tooltray for `durationMs`, or until it runs again. */
export async function deferStarts(runDir: string, durationMs: number): Promise<void> {
  await writeFileAtomic(updateFile(runDir), String(Date.now() + durationMs));
}

export class Updates {
  readonly #deps: UpdatesDeps;
  readonly #timers: NodeJS.Timeout[] = [];
  #isDownloaded = false;
  #isInstalling = false;

  constructor(deps: UpdatesDeps) {
    this.#deps = deps;
    const { updater, onError } = deps;
    updater.allowDowngrade = false;
    updater.on('error', (error) => {
      onError(error);
      // The core has ended for an installer that does not run.
      if (this.#isInstalling) deps.restart();
    });
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
    this.#isInstalling = true;
    this.#isInstalling = await prepare();
    if (this.#isInstalling) updater.quitAndInstall();
  }

  /** How long the installer that runs when the app ends may take, in ms; 0 if none does. */
  get maxInstallMs(): number {
    if (this.#isInstalling) return maxInstallMs;
    return this.#isDownloaded && this.#deps.updater.autoInstallOnAppQuit ? maxQuietInstallMs : 0;
  }

  #found(version: string, isReady: boolean): void {
    const { lastNotified, onFound, refusal } = this.#deps;
    const isNew = lastNotified.get() !== version;
    if (isNew) lastNotified.set(version);
    onFound({ version, isReady, isNew, refusal });
  }
}

/**
 * Why an update could not be verified: an unsigned installer cannot be trusted. `settings`: content of app-update.yml.
 * `macSignature`: output of codesign about the app; a signature of no team, made without a certificate, vouches for
 * nobody. Sources: electron-builder, "Auto Update" (publisherName); Squirrel.Mac verifies signatures; codesign(1).
 */
export function unsignedReason(
  platform: NodeJS.Platform,
  settings: Readonly<Record<string, unknown>>,
  macSignature: string,
): string | undefined {
  const isVerifiable =
    platform === 'win32'
      ? settings['publisherName'] !== undefined
      : platform === 'darwin' && /^TeamIdentifier=(?!not set)\S/m.test(macSignature);
  return isVerifiable
    ? undefined
    : 'This build cannot verify update signatures, so it does not install updates automatically.';
}

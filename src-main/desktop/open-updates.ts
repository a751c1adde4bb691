/** Loads the updater in a separate module, since most starts never need it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import updater from 'electron-updater';
import { parse } from 'yaml';
import { isObject } from '../core/base/json.ts';
import type { Log } from '../core/base/log.ts';
import type { PreferenceStore } from './preferences.ts';
import { type FoundUpdate, unsignedReason, Updates } from './updates.ts';

interface UpdatesOptions {
  readonly preferences: PreferenceStore;
  readonly log: Log;
  readonly onFound: (found: FoundUpdate) => void;
  /** Stops everything but Electron; resolves to false if the user cancels. */
  readonly prepare: () => Promise<boolean>;
  /** Quits the app and starts it again. */
  readonly restart: () => void;
}

export function openUpdates({ preferences, log, onFound, prepare, restart }: UpdatesOptions): Updates {
  const { autoUpdater } = updater;
  // It would print each check to the console.
  autoUpdater.logger = null;
  const { platform } = process;
  return new Updates({
    updater: autoUpdater,
    setting: () => preferences.get('updates'),
    onError: (error) => log.warn('Checking for a newer version failed.', { error }),
    onFound,
    prepare,
    restart,
    lastNotified: {
      get: () => preferences.get('notifiedVersion'),
      set: (version) => preferences.set('notifiedVersion', version),
    },
    refusal: unsignedReason(platform, packedUpdateSettings(), isSignedOnMac),
  });
}

/** Update settings written next to the app by the packager: update URL and signer. */
function packedUpdateSettings(): Record<string, unknown> {
  try {
    const settings: unknown = parse(readFileSync(join(process.resourcesPath, 'app-update.yml'), 'utf8'));
    return isObject(settings) ? settings : {};
  } catch {
    return {};
  }
}

/** Source: Apple, "Bundle Structures": a signed bundle lists its sealed resources there. */
function isSignedOnMac(): boolean {
  return existsSync(join(process.resourcesPath, '..', '_CodeSignature', 'CodeResources'));
}

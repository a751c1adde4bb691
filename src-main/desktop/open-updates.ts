/** Loads the updater; on its own, since most starts of the app never need it. */
import updater from 'electron-updater';
import type { Log } from '../core/base/log.ts';
import type { PreferenceStore } from './preferences.ts';
import { Updates } from './updates.ts';

export function openUpdates(
  preferences: PreferenceStore,
  log: Log,
  onFound: (version: string, ready: boolean) => void,
): Updates {
  const { autoUpdater } = updater;
  // It would print each look to the console.
  autoUpdater.logger = null;
  return new Updates({
    updater: autoUpdater,
    setting: () => preferences.get('updates'),
    onError: (error) => log.warn('Looking for a newer version failed.', { error }),
    onFound,
  });
}

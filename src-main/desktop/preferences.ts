/** Preferences of the desktop app: theme, notifications, updates, window bounds. Servers are in the config. */
import ElectronStore from 'electron-store';
import type { Rectangle } from 'electron';

export interface Preferences {
  theme: 'system' | 'light' | 'dark';
  notifications: boolean;
  updates: 'off' | 'notify' | 'install';
  /** Last bounds of the window; absent before the first. */
  window?: Rectangle & { readonly isMaximized: boolean };
  /** The newest version that the user was notified about; absent: none. */
  notifiedVersion?: string;
  /** The user was told that closing the window does not end the app. */
  knowsBackground: boolean;
}

export type PreferenceStore = Pick<ElectronStore<Preferences>, 'get' | 'set'>;

export function openPreferences(): PreferenceStore {
  return new ElectronStore<Preferences>({
    name: 'desktop',
    // A file that was damaged is no reason not to start.
    clearInvalidConfig: true,
    defaults: { theme: 'system', notifications: true, updates: 'notify', knowsBackground: false },
  });
}

/** Preferences of the desktop app: theme, notifications, updates, window bounds. Servers are in the config. */
import ElectronStore from 'electron-store';
import type { Rectangle } from 'electron';

export interface Preferences {
  theme: 'system' | 'light' | 'dark';
  notifications: boolean;
  updates: 'off' | 'notify' | 'install';
  /** Last window bounds; absent before the first use. */
  window?: Rectangle & { readonly isMaximized: boolean };
  /** The newest version that the user was notified about; absent: none. */
  notifiedVersion?: string;
  /** The user was told that closing the window does not quit the app. */
  knowsBackground: boolean;
}

export type PreferenceStore = Pick<ElectronStore<Preferences>, 'get' | 'set'>;

export function openPreferences(): PreferenceStore {
  return new ElectronStore<Preferences>({
    name: 'desktop',
    // A damaged file must not prevent the start.
    clearInvalidConfig: true,
    defaults: { theme: 'system', notifications: true, updates: 'notify', knowsBackground: false },
  });
}

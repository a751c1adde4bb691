/** The settings that only the desktop app has, as the dashboard reads and changes them. */
import { nativeTheme, shell } from 'electron';
import { Event } from '../core/base/events.ts';
import type { DesktopService, DesktopSettings } from '../rpc/desktop-service.ts';
import type { Autostart } from './autostart.ts';
import type { PreferenceStore } from './preferences.ts';

export interface DesktopSettingsDeps {
  readonly preferences: PreferenceStore;
  readonly autostart: Autostart;
  /** This build knows where newer versions are. */
  readonly canUpdate: boolean;
}

export function desktopSettings({ preferences, autostart, canUpdate }: DesktopSettingsDeps): DesktopService {
  const changed = new Event();
  return {
    settings: () => ({
      theme: preferences.get('theme'),
      startAtLogin: autostart.isOn(),
      notifications: preferences.get('notifications'),
      updates: canUpdate ? preferences.get('updates') : undefined,
    }),
    async change({ theme, startAtLogin, notifications, updates }: Partial<DesktopSettings>) {
      if (theme !== undefined) {
        preferences.set('theme', theme);
        nativeTheme.themeSource = theme;
      }
      if (startAtLogin !== undefined) autostart.set(startAtLogin);
      if (notifications !== undefined) preferences.set('notifications', notifications);
      if (updates !== undefined) preferences.set('updates', updates);
      changed.emit();
    },
    onChange: (listener) => changed.on(listener),
    reveal: (path) => shell.showItemInFolder(path),
  };
}

/** What only the desktop app can do for the dashboard. */
import type { SettingsFacts } from './contract.ts';

export type DesktopSettings = Pick<SettingsFacts, 'theme' | 'startAtLogin' | 'notifications' | 'updates'>;

export interface DesktopService {
  settings(): DesktopSettings;
  change(settings: Partial<DesktopSettings>): Promise<void>;
  /** One of the settings was changed; returns how to stop listening. */
  onChange(listener: () => void): () => void;
  /** Shows a file or folder in the system's file manager. */
  reveal(path: string): void;
}

/** Which of the tray's icons fits the state. They differ in shape: a dot cut out, a hollow tray; colour is not needed. */
import { join } from 'node:path';
import type { AppState } from '../rpc/contract.ts';

export type TrayIcon = 'normal' | 'attention' | 'paused';

export function trayIcon({ core, attention = [] }: Partial<AppState>): TrayIcon {
  if (core?.paused === true) return 'paused';
  return attention.some(({ action }) => action.kind !== 'connect-app') ? 'attention' : 'normal';
}

/** On macOS a template image, which the system colours; it knows one by its name. Sizes with `@2x` and the like lie beside. */
export function trayIconFile(folder: string, icon: TrayIcon, platform: NodeJS.Platform): string {
  const suffix = { darwin: 'Template', linux: '-linux' } as const;
  const ending = platform === 'darwin' || platform === 'linux' ? suffix[platform] : '';
  return join(folder, `${icon}${ending}.png`);
}

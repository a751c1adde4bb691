/** The tray icon, updated with a new menu, icon, and tooltip when the state changes. */
import { join } from 'node:path';
import { Menu, type MenuItemConstructorOptions, Tray } from 'electron';
import type { AppState } from '../rpc/contract.ts';
import {
  toLabel,
  type TrayAction,
  type TrayFacts,
  type TrayMenu,
  trayMenu,
  type TrayRow,
  traySummary,
} from './tray-menu.ts';

interface AppTrayDeps {
  /** Folder of the icons. */
  readonly icons: string;
  readonly platform: NodeJS.Platform;
  readonly onAction: (action: TrayAction) => void;
}

/**
 * On some desktops an open menu closes when it is replaced, and Linux does not report when it is open, so savings are
 * updated there once a minute.
 */
const updateIntervalMs = 1_000;
const linuxSavingsIntervalMs = 60_000;

/** Windows keeps the icon's position by this ID, even if the program moves. */
const trayId = '8b0e5c1e-53f0-4c37-9f3a-6f5f0d1d7a42';

export class AppTray {
  readonly #deps: AppTrayDeps;
  readonly #tray: Tray;
  #facts: TrayFacts;
  #shown = '';
  #timer: NodeJS.Timeout | undefined;
  #isMenuOpen = false;
  #savings: { readonly shown: AppState['savings'] | undefined; readonly at: number } | undefined;

  constructor(facts: TrayFacts, deps: AppTrayDeps) {
    this.#deps = deps;
    this.#facts = facts;
    const icon = trayIconFile(deps.icons, trayIcon(facts.state), deps.platform);
    this.#tray = deps.platform === 'win32' ? new Tray(icon, trayId) : new Tray(icon);
    // On other systems a click opens the menu or does nothing, so everything is also in the menu.
    if (deps.platform === 'win32') this.#tray.on('click', () => deps.onAction({ kind: 'open', place: '' }));
    this.#show();
  }

  update(facts: TrayFacts): void {
    this.#facts = facts;
    this.#timer ??= setTimeout(() => this.#show(), updateIntervalMs).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#tray.destroy();
  }

  #show(): void {
    this.#timer = undefined;
    if (this.#isMenuOpen) return;
    const { icons, platform } = this.#deps;
    const { update } = this.#facts;
    const state = platform === 'linux' ? this.#withSteadySavings(this.#facts.state) : this.#facts.state;
    const menu = trayMenu({ state, update });
    const icon = trayIconFile(icons, trayIcon(state), platform);
    const shown = JSON.stringify([menu, icon]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#tray.setImage(icon);
    this.#tray.setToolTip(`Tooltray: ${toLabel(traySummary(state))}`);
    // On Linux a menu cannot be changed after it was set, so a new one is built.
    const built = Menu.buildFromTemplate(this.#template(menu));
    built.on('menu-will-show', () => (this.#isMenuOpen = true));
    built.on('menu-will-close', () => {
      this.#isMenuOpen = false;
      this.update(this.#facts);
    });
    this.#tray.setContextMenu(built);
  }

  /** Nothing else in the state changes by itself while a menu may be open. */
  #withSteadySavings(state: Partial<AppState>): Partial<AppState> {
    const { savings } = state;
    if (savings === undefined) return state;
    const isDue = this.#savings === undefined || Date.now() - this.#savings.at >= linuxSavingsIntervalMs;
    if (isDue) this.#savings = { shown: savings, at: Date.now() };
    const shown = this.#savings?.shown;
    return shown === undefined ? state : { ...state, savings: shown };
  }

  #template(menu: TrayMenu): MenuItemConstructorOptions[] {
    return menu.map((row) => (row === 'separator' ? { type: 'separator' } : this.#item(row)));
  }

  #item({ id, label, action, chosen, rows }: TrayRow): MenuItemConstructorOptions {
    return {
      id,
      label,
      ...(chosen !== undefined && { type: 'radio', checked: chosen }),
      ...(action && { click: () => this.#deps.onAction(action) }),
      ...(rows && { submenu: this.#template(rows) }),
    };
  }
}

// The tray icon for a state. Icons differ in shape (a dot cut out, a hollow tray), so color is not needed.

type TrayIcon = 'normal' | 'attention' | 'paused';

export function trayIcon({ core, attention = [] }: Partial<AppState>): TrayIcon {
  if (core?.paused === true) return 'paused';
  return attention.some(({ action }) => action.kind !== 'connect-app') ? 'attention' : 'normal';
}

/** On macOS a template image, which the system colors; on Windows an .ico with sizes from 16 to 48. */
export function trayIconFile(folder: string, icon: TrayIcon, platform: NodeJS.Platform): string {
  const endings = { darwin: 'Template.png', linux: '-linux.png', win32: '.ico' } as const;
  const ending = platform === 'darwin' || platform === 'win32' ? endings[platform] : endings.linux;
  return join(folder, `${icon}${ending}`);
}

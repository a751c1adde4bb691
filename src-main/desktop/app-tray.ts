/** The icon in the tray: given a new menu, icon and tooltip whenever the state asks for other ones. */
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

/** An open menu closes when it is replaced on some desktops: a number that ticks is no reason to do so each time. */
const leastPauseMs = 1000;

export class AppTray {
  readonly #deps: AppTrayDeps;
  readonly #tray: Tray;
  #facts: TrayFacts;
  #shown = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(facts: TrayFacts, deps: AppTrayDeps) {
    this.#deps = deps;
    this.#facts = facts;
    this.#tray = new Tray(trayIconFile(deps.icons, trayIcon(facts.state), deps.platform));
    // Elsewhere a click opens the menu, or nothing at all: everything is in the menu too.
    if (deps.platform === 'win32') this.#tray.on('click', () => deps.onAction({ kind: 'open', place: '' }));
    this.#show();
  }

  update(facts: TrayFacts): void {
    this.#facts = facts;
    this.#timer ??= setTimeout(() => this.#show(), leastPauseMs).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#tray.destroy();
  }

  #show(): void {
    this.#timer = undefined;
    const { icons, platform } = this.#deps;
    const { state } = this.#facts;
    const menu = trayMenu(this.#facts);
    const icon = trayIconFile(icons, trayIcon(state), platform);
    const shown = JSON.stringify([menu, icon]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#tray.setImage(icon);
    this.#tray.setToolTip(`Tooltray: ${toLabel(traySummary(state))}`);
    // On Linux a menu that was handed over does not change any more: a new one each time.
    this.#tray.setContextMenu(Menu.buildFromTemplate(this.#template(menu)));
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

// Which of the tray's icons fits the state. They differ in shape: a dot cut out, a hollow tray; colour is not needed.

type TrayIcon = 'normal' | 'attention' | 'paused';

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

/** `Menu` and `MenuItem`: their items, and the effects of clicks. */
import { EventEmitter } from 'node:events';
import type { MenuItemConstructorOptions } from 'electron';
import { app } from './app.ts';
import { refuseUnwritten } from './refuse-unwritten.ts';
import { record, stage } from './stage.ts';

export class StandInMenuItem {
  readonly id: string;
  readonly label: string;
  readonly type: string;
  readonly role: string | undefined;
  readonly enabled: boolean;
  readonly visible: boolean;
  readonly submenu: StandInMenu | undefined;
  checked: boolean;
  readonly #click: MenuItemConstructorOptions['click'];

  constructor(options: MenuItemConstructorOptions) {
    const { id = '', label = '', enabled = true, visible = true, checked = false, role, submenu, click } = options;
    if (role === undefined && options.label === undefined && options.type !== 'separator') {
      throw new TypeError('Invalid template for MenuItem: must have at least one of label, role or type');
    }
    this.id = id;
    this.label = label;
    this.enabled = enabled;
    this.visible = visible;
    this.checked = checked;
    this.role = role;
    this.type = options.type ?? (submenu ? 'submenu' : 'normal');
    this.submenu = Array.isArray(submenu) ? StandInMenu.buildFromTemplate(submenu) : undefined;
    this.#click = click;
  }

  click(): void {
    if (!this.enabled) return;
    if (this.#click !== undefined) this.#click(this as never, undefined, {});
    else if (this.role === 'quit') app.quit();
    else if (this.role !== undefined) record('MenuItem.role', this.role);
  }
}

export class StandInMenu extends EventEmitter {
  readonly items: StandInMenuItem[] = [];

  getMenuItemById(id: string): StandInMenuItem | null {
    for (const item of this.items) {
      const found = item.id === id ? item : item.submenu?.getMenuItemById(id);
      if (found) return found;
    }
    return null;
  }

  static buildFromTemplate(template: readonly MenuItemConstructorOptions[]): StandInMenu {
    const menu = new StandInMenu();
    menu.items.push(...template.map((options) => new StandInMenuItem(options)));
    return menu;
  }

  static setApplicationMenu(menu: StandInMenu | null): void {
    applicationMenu.set(stage, menu);
  }

  static getApplicationMenu(): StandInMenu | null {
    return applicationMenu.get(stage) ?? null;
  }
}

const applicationMenu = new WeakMap<object, StandInMenu | null>();

refuseUnwritten(StandInMenu.prototype, 'Menu');
refuseUnwritten(StandInMenuItem.prototype, 'MenuItem');

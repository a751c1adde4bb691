/** In place of `electron` in system-parts.test.ts: records what is made of it. */
import { EventEmitter } from 'node:events';

export const trays: Tray[] = [];
export const notes: Notification[] = [];
export const support = { hasNotifications: true };

export class Tray extends EventEmitter {
  readonly words: readonly unknown[];
  readonly menus: EventEmitter[] = [];

  constructor(...words: unknown[]) {
    super();
    this.words = words;
    trays.push(this);
  }

  setImage(): void {}
  setToolTip(): void {}
  setContextMenu(menu: EventEmitter): void {
    this.menus.push(menu);
  }
}

export class Notification extends EventEmitter {
  static isSupported(): boolean {
    return support.hasNotifications;
  }

  show(): void {
    notes.push(this);
  }
}

export const Menu = { buildFromTemplate: (): EventEmitter => new EventEmitter() };

/** `Tray`: its last icon, tooltip, and menu. */
import { EventEmitter } from 'node:events';
import type { Tray } from 'electron';
import { app } from './app.ts';
import type { StandInMenu } from './menu.ts';
import type { NativeImage } from './native-image.ts';
import { nativeImage } from './native-image.ts';
import { refuseUnwritten } from './refuse-unwritten.ts';

type Written = 'setToolTip' | 'destroy' | 'isDestroyed';

export class StandInTray extends EventEmitter implements Pick<Tray, Written> {
  _image: NativeImage;
  _toolTip = '';
  _menu: StandInMenu | null = null;
  #isDestroyed = false;

  constructor(image: NativeImage | string, _guid?: string) {
    super();
    if (!app.isReady()) throw new Error('Cannot create Tray before app is ready');
    this._image = readImage(image);
  }

  setImage = (image: NativeImage | string): void => void (this._image = readImage(image));
  setToolTip = (text: string): void => void (this._toolTip = text);
  destroy = (): void => void (this.#isDestroyed = true);
  isDestroyed = (): boolean => this.#isDestroyed;

  /** On the prototype, so that tests can wrap it, here and in Electron. */
  setContextMenu(menu: StandInMenu | null): void {
    this._menu = menu;
  }
}
refuseUnwritten(StandInTray.prototype, 'Tray');

/** Electron throws for an unreadable file. */
function readImage(image: NativeImage | string): NativeImage {
  if (typeof image !== 'string') return image;
  const read = nativeImage.createFromPath(image);
  if (read.isEmpty()) throw new Error(`Failed to load image from path '${image}'`);
  return read;
}

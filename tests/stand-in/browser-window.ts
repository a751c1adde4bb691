/** `BrowserWindow`: a window with a page; its bounds and visibility are only stored. */
import { EventEmitter } from 'node:events';
import type { BrowserWindow, BrowserWindowConstructorOptions, Rectangle } from 'electron';
import { app } from './app.ts';
import type { NativeImage } from './native-image.ts';
import { refuseUnwritten } from './refuse-unwritten.ts';
import { browser, stage } from './stage.ts';
import { StandInWebContents } from './web-contents.ts';

type Written =
  | 'id' | 'loadURL' | 'show' | 'showInactive' | 'hide' | 'focus' | 'isVisible' | 'isFocused' | 'isMinimized' | 'restore' | 'minimize' | 'maximize'
  | 'isMaximized' | 'getBounds' | 'getNormalBounds' | 'setBounds' | 'setTitle' | 'removeMenu' | 'setBackgroundColor'
  | 'isDestroyed' | 'close' | 'destroy'; // oxfmt-ignore

export class StandInWindow extends EventEmitter implements Pick<BrowserWindow, Written> {
  static #lastId = 0;
  readonly id = ++StandInWindow.#lastId;
  readonly webContents: StandInWebContents;
  #bounds: Rectangle;
  #isVisible: boolean;
  #isFocused = false;
  #isMinimized = false;
  #isMaximized = false;
  #isDestroyed = false;

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super();
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready');
    const { webPreferences = {}, width = 800, height = 600, x = 0, y = 0, show = true } = options;
    const { sandbox, contextIsolation, nodeIntegration } = webPreferences;
    if (sandbox === false || contextIsolation === false || nodeIntegration === true) {
      throw new Error('The stand-in for Electron has no windows without sandbox and isolation, nor should anybody.');
    }
    this.#bounds = { x, y, width, height };
    this.#isVisible = show;
    this.webContents = new StandInWebContents(this.id, webPreferences, { width, height }, () => this.close());
    this.webContents.once('did-finish-load', () => this.emit('ready-to-show'));
    stage.windows.add(this);
    app.emit('browser-window-created', {}, this);
    app.emit('web-contents-created', {}, this.webContents);
  }

  loadURL = (url: string): Promise<void> => this.webContents.loadURL(url);
  capturePage = (): Promise<NativeImage> => this.webContents.capturePage();
  isVisible = (): boolean => this.#isVisible;
  isFocused = (): boolean => this.#isFocused;
  isMinimized = (): boolean => this.#isMinimized;
  isMaximized = (): boolean => this.#isMaximized;
  isDestroyed = (): boolean => this.#isDestroyed;
  getBounds = (): Rectangle => ({ ...this.#bounds });
  getNormalBounds = (): Rectangle => this.getBounds();
  setTitle = (): void => undefined;
  removeMenu = (): void => undefined;
  setBackgroundColor = (): void => undefined;
  minimize = (): void => void (this.#isMinimized = true);
  restore = (): void => void (this.#isMinimized = false);
  maximize = (): void => void (this.#isMaximized = true);

  setBounds(bounds: Partial<Rectangle>): void {
    this.#bounds = { ...this.#bounds, ...bounds };
    this.emit('resize');
  }

  show(): void {
    this.#isVisible = true;
    this.emit('show');
    this.focus();
  }

  showInactive = (): void => void (this.#isVisible = true);

  hide(): void {
    this.#isVisible = false;
    this.emit('hide');
  }

  focus(): void {
    this.#isFocused = true;
    this.emit('focus');
  }

  close(): void {
    if (this.#isDestroyed) return;
    let isPrevented = false;
    this.emit('close', { preventDefault: () => (isPrevented = true) });
    if (!isPrevented) this.destroy();
  }

  destroy(): void {
    if (this.#isDestroyed) return;
    const { _opened: opened, _targetId } = this.webContents;
    this._end();
    void opened
      .then(() => browser().send('Target.closeTarget', { targetId: _targetId || this.webContents._targetId }))
      .catch(() => undefined);
  }

  /** Also if Chromium closed the page. */
  _end(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    stage.windows.delete(this);
    this.webContents._end();
    this.emit('closed');
    if (stage.windows.size > 0 || stage.isQuitting) return;
    if (app.listenerCount('window-all-closed') > 0) app.emit('window-all-closed');
    else app.quit();
  }

  static getAllWindows = (): StandInWindow[] => [...stage.windows];
  static getFocusedWindow = (): StandInWindow | null => [...stage.windows].find((one) => one.isFocused()) ?? null;
  static fromWebContents = (contents?: { id: number }): StandInWindow | null =>
    [...stage.windows].find(({ webContents }) => webContents.id === contents?.id) ?? null;
}

refuseUnwritten(StandInWindow.prototype, 'BrowserWindow');

export const webContents = {
  fromDevToolsTargetId: (targetId: string): StandInWebContents | undefined =>
    [...stage.windows].find((one) => one.webContents._targetId === targetId)?.webContents,
  getAllWebContents: (): StandInWebContents[] => [...stage.windows].map((one) => one.webContents),
};
refuseUnwritten(webContents, 'webContents');

/** `webContents`: a page in Chromium, its preload script in an isolated world, and the app's guards. */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IpcMainInvokeEvent, WebContents, WebPreferences } from 'electron';
import { decode, encode } from './message-codec.ts';
import { ipcMain } from './ipc-main.ts';
import { NativeImage } from './native-image.ts';
import { mainWorld } from './page/main-world.ts';
import { preloadWorld } from './page/preload-world.ts';
import { answerRequest, handledUrls, session, toApp, toChromium } from './protocol.ts';
import { refuseUnwritten } from './refuse-unwritten.ts';
import { browser } from './stage.ts';

const world = 'Electron Isolated Context';

interface Paused {
  readonly requestId: string;
  readonly resourceType: string;
  readonly frameId: string;
  readonly request: { readonly url: string; readonly method: string };
}

interface Navigated {
  readonly errorText?: string;
  readonly loaderId?: string;
}

interface FromPage {
  readonly kind: 'invoke' | 'send' | 'preload-error';
  readonly id?: number;
  readonly channel: string;
  readonly message?: string;
  readonly args: readonly unknown[];
}

type Written = 'id' | 'send' | 'getURL' | 'isDestroyed' | 'setWindowOpenHandler' | 'close' | 'focus';

export class StandInWebContents extends EventEmitter implements Pick<WebContents, Written> {
  readonly id: number;
  readonly session = session.defaultSession;
  readonly mainFrame = { parent: null };
  _targetId = '';
  readonly _opened: Promise<void>;
  readonly #close: () => void;
  readonly #preload: string | undefined;
  #sessionId = '';
  #frameId = '';
  #preloadContext: string | undefined;
  #url = '';
  #isOurs = false;
  #isDestroyed = false;
  #mayOpen: Parameters<WebContents['setWindowOpenHandler']>[0] = () => ({ action: 'allow' });

  constructor(id: number, { preload }: WebPreferences, size: { width: number; height: number }, close: () => void) {
    super();
    this.id = id;
    this.#close = close;
    this.#preload = preload;
    this._opened = this.#open(size);
    this._opened.catch((error: unknown) => console.error(error));
  }

  getURL = (): string => this.#url;
  isDestroyed = (): boolean => this.#isDestroyed;
  focus = (): void => undefined;
  close = (): void => this.#close();

  setWindowOpenHandler(handler: Parameters<WebContents['setWindowOpenHandler']>[0]): void {
    this.#mayOpen = handler;
  }

  send(channel: string, ...args: unknown[]): void {
    this.#deliver({ kind: 'send', channel, args: args.map(encode) });
  }

  async capturePage(): Promise<NativeImage> {
    const { data } = await this.#ask<{ data: string }>('Page.captureScreenshot', { format: 'png' });
    return new NativeImage(Buffer.from(data, 'base64'));
  }

  async loadURL(url: string): Promise<void> {
    await this._opened;
    const finished = new Promise((resolve) => this.once('did-finish-load', resolve));
    this.#isOurs = true;
    try {
      const navigation = { url: toChromium(url) };
      const { errorText, loaderId } = await this.#ask<Navigated>('Page.navigate', navigation);
      if (errorText !== undefined) throw new Error(`${errorText} loading '${url}'`);
      // Navigation within the same page does not load it.
      if (loaderId !== undefined) await finished;
    } finally {
      this.#isOurs = false;
    }
  }

  async _setTheme(theme: 'system' | 'light' | 'dark'): Promise<void> {
    await this._opened;
    const value = theme === 'system' ? '' : theme;
    await this.#ask('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
  }

  _end(): void {
    this.#isDestroyed = true;
    this.emit('destroyed');
  }

  #ask<T = unknown>(method: string, params: object = {}): Promise<T> {
    return browser().send<T>(method, params, this.#sessionId);
  }

  async #open(size: { width: number; height: number }): Promise<void> {
    const target = { url: 'about:blank', newWindow: true, ...size };
    this._targetId = (await browser().send<{ targetId: string }>('Target.createTarget', target)).targetId;
    const attach = { targetId: this._targetId, flatten: true };
    this.#sessionId = (await browser().send<{ sessionId: string }>('Target.attachToTarget', attach)).sessionId;
    const { frameTree } = await this.#ask<{ frameTree: { frame: { id: string } } }>('Page.getFrameTree');
    this.#frameId = frameTree.frame.id;
    this.#listen();
    for (const domain of ['Page', 'Runtime']) await this.#ask(`${domain}.enable`);
    const patterns = [{ urlPattern: handledUrls }, { urlPattern: '*', resourceType: 'Document' }];
    await this.#ask('Fetch.enable', { patterns });
    for (const name of ['standInSend', 'standInOpen']) await this.#bind(name);
    await this.#addScripts();
  }

  #bind(name: string): Promise<unknown> {
    const isOfPreload = name === 'standInSend';
    return this.#ask('Runtime.addBinding', { name, ...(isOfPreload && { executionContextName: world }) });
  }

  async #addScripts(): Promise<void> {
    await this.#ask('Page.addScriptToEvaluateOnNewDocument', { source: `(${mainWorld.toString()})();${openGuard}` });
    if (this.#preload === undefined) return;
    const body = `function (require, module, exports, process) {\n${readFileSync(this.#preload, 'utf8')}\n}`;
    const platform = JSON.stringify(process.platform);
    const call = `(${preloadWorld.toString()})(${body}, ${platform}, encode, decode)`;
    const source = `if (self === top) { ${encode.toString()}\n${decode.toString()}\n${call} }`;
    await this.#ask('Page.addScriptToEvaluateOnNewDocument', { worldName: world, source });
  }

  #listen(): void {
    const on = <T>(method: string, listener: (params: T) => void): void =>
      browser().on(method, listener, this.#sessionId);
    on<{ context: { name: string; uniqueId: string; auxData?: { frameId?: string } } }>(
      'Runtime.executionContextCreated',
      ({ context }) => {
        const isOurs = context.name === world && context.auxData?.frameId === this.#frameId;
        if (isOurs) this.#preloadContext = context.uniqueId;
      },
    );
    on<{ name: string; payload: string }>('Runtime.bindingCalled', ({ name, payload }) => {
      if (name === 'standInSend') void this.#hear(JSON.parse(payload) as FromPage);
      if (name === 'standInOpen') this.#openWindow(payload);
    });
    on<{ frame: { parentId?: string; url: string } }>('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined) this.#url = toApp(frame.url);
    });
    on('Page.loadEventFired', () => this.emit('did-finish-load'));
    on<Paused>('Fetch.requestPaused', (paused) => {
      this.#answer(paused).catch((error: unknown) => {
        if (!this.#isDestroyed) console.error('The stand-in could not answer a request:', error);
      });
    });
  }

  /** A request of the page: of the app's own scheme, or a page that the app did not load itself. */
  async #answer({ requestId, resourceType, frameId, request }: Paused): Promise<void> {
    const url = toApp(request.url);
    const isMainFrame = frameId === this.#frameId;
    if (resourceType === 'Document' && !this.#isOurs && this.#isPrevented(url, isMainFrame)) {
      await this.#ask('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    } else if (url === request.url) {
      await this.#ask('Fetch.continueRequest', { requestId });
    } else {
      const response = await answerRequest(url, request.method);
      await this.#ask('Fetch.fulfillRequest', {
        requestId,
        responseCode: response.status,
        responseHeaders: [...response.headers].map(([name, value]) => ({ name, value })),
        body: Buffer.from(await response.arrayBuffer()).toString('base64'),
      });
    }
  }

  #isPrevented(url: string, isMainFrame: boolean): boolean {
    let isPrevented = false;
    const event = { url, isMainFrame, preventDefault: () => (isPrevented = true) };
    this.emit('will-frame-navigate', event);
    if (isMainFrame) this.emit('will-navigate', event, url);
    return isPrevented;
  }

  #openWindow(url: string): void {
    const { action } = this.#mayOpen({ url: toApp(url) } as never);
    if (action !== 'deny') throw new Error('The stand-in for Electron opens no window for a page: write it.');
  }

  async #hear({ kind, id, channel, message, args }: FromPage): Promise<void> {
    if (kind === 'preload-error') {
      console.error(`Unable to load preload script: ${message}`);
      return;
    }
    const senderFrame = { url: this.#url, parent: null };
    const event = { sender: this, senderFrame } as unknown as IpcMainInvokeEvent;
    if (kind === 'send') {
      ipcMain.emit(channel, event, ...args.map(decode));
      return;
    }
    try {
      const value = encode(await ipcMain._answer(channel, event, args.map(decode)));
      this.#deliver({ kind: 'answer', id, channel, value });
    } catch (error) {
      this.#deliver({ kind: 'answer', id, channel, error: String(error) });
    }
  }

  #deliver(message: object): void {
    const expression = `globalThis.standInReceive?.(${JSON.stringify(message)})`;
    // A page that is being closed receives nothing more, as in Electron.
    this._opened
      .then(() => this.#ask('Runtime.evaluate', { expression, uniqueContextId: this.#preloadContext }))
      .catch(() => undefined);
  }
}

refuseUnwritten(StandInWebContents.prototype, 'webContents');

/** `window.open` and links to new windows call the app's handler. */
const openGuard = `{
  const open = (url) => { standInOpen(new URL(url, location.href).href); return null; };
  window.open = open;
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[target=_blank]') : null;
    if (link === null) return;
    event.preventDefault();
    open(link.href);
  }, true);
}`;

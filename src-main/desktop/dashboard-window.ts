/** The dashboard's window: created on demand, destroyed when closed; at most one. Remembers its bounds. */
import {
  app,
  type App,
  BrowserWindow,
  dialog,
  type MessageBoxOptions,
  nativeTheme,
  type Rectangle,
  screen,
  type Session,
  type WebContents,
} from 'electron';
import { dashboardOrigin, dashboardUrl } from './deep-links.ts';
import type { PreferenceStore } from './preferences.ts';

interface DashboardWindowDeps {
  readonly preferences: PreferenceStore;
  /** The built preload script. */
  readonly preload: string;
  readonly onClosed: () => void;
  readonly onError: (error: unknown) => void;
}

export class DashboardWindow {
  readonly #deps: DashboardWindowDeps;
  #window: BrowserWindow | undefined;
  /** Resolves to whether the window closed; undefined unless a close was requested. */
  #closing: PromiseWithResolvers<boolean> | undefined;

  constructor(deps: DashboardWindowDeps) {
    this.#deps = deps;
  }

  get isFocused(): boolean {
    return this.#window?.isFocused() ?? false;
  }

  /** Opens the dashboard at a place such as `servers/github`, or where it was. */
  open(place = ''): void {
    const isNew = this.#window === undefined;
    const window = (this.#window ??= this.#create());
    if (isNew || place !== '') window.loadURL(dashboardUrl(place)).catch(this.#deps.onError);
    if (isNew) return;
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  }

  /**
   * Closes the window unless its page has unsaved edits that the user wants to keep. Resolves to whether it is closed.
   */
  close(): Promise<boolean> {
    if (this.#window === undefined) return Promise.resolve(true);
    const closing = (this.#closing ??= Promise.withResolvers());
    // A page without edits closes immediately, which resolves `closing`.
    this.#window.close();
    return closing.promise;
  }

  #create(): BrowserWindow {
    const { preferences, preload } = this.#deps;
    const last = preferences.get('window');
    const workAreas = screen.getAllDisplays().map(({ workArea }) => workArea);
    const window = new BrowserWindow({
      ...windowBounds(last, workAreas),
      title: 'Tooltray',
      show: false,
      minWidth: 640,
      minHeight: 480,
      // On Linux the bar stays, because GNOME shows no tray, and the menu is the way to quit.
      autoHideMenuBar: process.platform !== 'linux',
      backgroundColor: nativeTheme.shouldUseDarkColors ? backgroundColors.dark : backgroundColors.light,
      webPreferences: {
        preload,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        spellcheck: false,
      },
    });
    let isClosing = false;
    confirmUnsavedClose(window.webContents, {
      ask: async () => (await dialog.showMessageBox(window, unsavedDialog)).response === 1,
      onKeep: () => {
        isClosing = false;
        this.#endClosing(false);
      },
      onDiscard: () => {
        if (window.isDestroyed()) return;
        if (isClosing) window.close();
        else window.webContents.reload();
      },
    });
    if (last?.isMaximized === true) window.maximize();
    window.once('ready-to-show', () => window.show());
    window.on('close', () => {
      isClosing = true;
      preferences.set('window', { ...window.getNormalBounds(), isMaximized: window.isMaximized() });
    });
    window.on('closed', () => {
      this.#window = undefined;
      this.#endClosing(true);
      app.dock?.hide();
      this.#deps.onClosed();
    });
    // In the Dock while a window exists, so that users find it again.
    void app.dock?.show();
    return window;
  }

  #endClosing(isClosed: boolean): void {
    this.#closing?.resolve(isClosed);
    this.#closing = undefined;
  }
}

const unsavedDialog: MessageBoxOptions = {
  type: 'question',
  message: 'Discard unsaved changes?',
  detail: 'Your changes will be lost.',
  buttons: ['Keep editing', 'Discard changes'],
  defaultId: 0,
  cancelId: 0,
};

interface LeaveDeps {
  /** Resolves to whether the edits may be discarded. */
  readonly ask: () => Promise<boolean>;
  readonly onKeep: () => void;
  /** Repeats the prevented action, which then succeeds. */
  readonly onDiscard: () => void;
}

/**
 * A page with unsaved edits stays until the user has decided; browsers ask by themselves, Electron does not. The
 * dialog is asynchronous, because a synchronous one would block every MCP call.
 */
export function confirmUnsavedClose(contents: Pick<WebContents, 'on'>, { ask, onKeep, onDiscard }: LeaveDeps): void {
  let isAsking = false;
  let mayLeave = false;
  contents.on('will-prevent-unload', (event) => {
    // Preventing the default lets the page close.
    if (mayLeave) {
      mayLeave = false;
      event.preventDefault();
      return;
    }
    if (isAsking) return;
    isAsking = true;
    void ask()
      .catch(() => false)
      .then((isDiscarded) => {
        isAsking = false;
        mayLeave = isDiscarded;
        if (isDiscarded) onDiscard();
        else onKeep();
      });
  });
}

/**
 * The dashboard's background, `--paper` in theme/tokens.css, so that the window does not flash before the page is
 * drawn.
 */
export const backgroundColors = { light: '#f8f8f6', dark: '#141518' } as const;

// Default window size; a window reopens at its last bounds if they are still on a display.

const defaultSize = { width: 1120, height: 760 };
const minSize = { width: 640, height: 480 };
/** Height in pixels that must be visible, so that the user can drag the window. */
const titleBarHeight = 80;

type Place = { readonly width: number; readonly height: number } & Partial<Pick<Rectangle, 'x' | 'y'>>;

export function windowBounds(last: Rectangle | undefined, workAreas: readonly Rectangle[]): Place {
  const area = workAreas.find((one) => last !== undefined && isSeen(last, one));
  const workArea = area ?? workAreas[0];
  const fit = (size: 'width' | 'height'): number =>
    Math.max(minSize[size], Math.min(last?.[size] ?? defaultSize[size], workArea?.[size] ?? Infinity));
  const size = { width: fit('width'), height: fit('height') };
  return last !== undefined && area !== undefined ? { ...size, x: last.x, y: last.y } : size;
}

/** The upper edge counts, because windows are dragged there. */
function isSeen(window: Rectangle, area: Rectangle): boolean {
  const right = Math.min(window.x + window.width, area.x + area.width);
  const isAcross = right - Math.max(window.x, area.x) >= titleBarHeight;
  return isAcross && window.y >= area.y && window.y <= area.y + area.height - titleBarHeight;
}

/**
 * Prevents every page, including ours, from navigating elsewhere, opening windows, embedding pages, or using devices.
 */
export interface GuardDeps {
  readonly app: Pick<App, 'on'>;
  readonly session: Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler'>;
  /** Opens a URL in the user's browser. */
  readonly openBrowser: (url: string) => void;
}

/** Used by the dashboard's copy buttons. */
const allowed: ReadonlySet<string> = new Set(['clipboard-sanitized-write']);

export function guardPages({ app, session, openBrowser }: GuardDeps): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(allowed.has(permission)));
  session.setPermissionCheckHandler((_contents, permission) => allowed.has(permission));
  app.on('web-contents-created', (_event, contents) => guard(contents, openBrowser));
}

function guard(contents: WebContents, openBrowser: (url: string) => void): void {
  contents.on('will-frame-navigate', (event) => {
    if (!event.url.startsWith(dashboardOrigin)) event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    // Links in server text are shown as text; Tooltray's own open in the user's browser.
    if (url.startsWith('https://')) openBrowser(url);
    return { action: 'deny' };
  });
}

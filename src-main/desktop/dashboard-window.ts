/** The dashboard's window: one at most, made when it is wanted, gone when it is closed; it remembers its place. */
import { app, BrowserWindow, nativeTheme, screen } from 'electron';
import { grounds } from './dashboard-grounds.ts';
import { placeUrl } from './dashboard-places.ts';
import type { PreferenceStore } from './preferences.ts';
import { windowPlace } from './window-place.ts';

export interface DashboardWindowDeps {
  readonly preferences: PreferenceStore;
  /** File of the built preload. */
  readonly preload: string;
  readonly onClosed: () => void;
  readonly onError: (error: unknown) => void;
}

export class DashboardWindow {
  readonly #deps: DashboardWindowDeps;
  #window: BrowserWindow | undefined;

  constructor(deps: DashboardWindowDeps) {
    this.#deps = deps;
  }

  get isFocused(): boolean {
    return this.#window?.isFocused() ?? false;
  }

  /** Shows the dashboard at a place such as `servers/github`; at none it stays where it is. */
  open(place = ''): void {
    const isNew = this.#window === undefined;
    const window = (this.#window ??= this.#create());
    if (isNew || place !== '') window.loadURL(placeUrl(place)).catch(this.#deps.onError);
    if (isNew) return;
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  }

  #create(): BrowserWindow {
    const { preferences, preload } = this.#deps;
    const last = preferences.get('window');
    const workAreas = screen.getAllDisplays().map(({ workArea }) => workArea);
    const window = new BrowserWindow({
      ...windowPlace(last, workAreas),
      title: 'Tooltray',
      show: false,
      minWidth: 640,
      minHeight: 480,
      autoHideMenuBar: true,
      backgroundColor: nativeTheme.shouldUseDarkColors ? grounds.dark : grounds.light,
      webPreferences: { preload, sandbox: true, contextIsolation: true, nodeIntegration: false, webviewTag: false },
    });
    if (last?.isMaximized === true) window.maximize();
    window.once('ready-to-show', () => window.show());
    window.on('close', () => {
      preferences.set('window', { ...window.getNormalBounds(), isMaximized: window.isMaximized() });
    });
    window.on('closed', () => {
      this.#window = undefined;
      app.dock?.hide();
      this.#deps.onClosed();
    });
    // In the Dock while there is a window, so that people find it again.
    void app.dock?.show();
    return window;
  }
}

/** An app's requests to the system: recorded, not executed. */
import { EventEmitter } from 'node:events';
import type {
  CrashReporter,
  MessageBoxReturnValue,
  NativeTheme,
  NotificationConstructorOptions,
  Shell,
} from 'electron';
import { refuseUnwritten } from './refuse-unwritten.ts';
import { record, stage } from './stage.ts';

export const shell: Pick<Shell, 'openExternal' | 'openPath' | 'showItemInFolder'> = {
  async openExternal(url) {
    record('shell.openExternal', url);
  },
  async openPath(path) {
    record('shell.openPath', path);
    return '';
  },
  showItemInFolder: (path) => record('shell.showItemInFolder', path),
};
refuseUnwritten(shell, 'shell');

export const dialog = {
  async showMessageBox(...args: unknown[]): Promise<MessageBoxReturnValue> {
    record('dialog.showMessageBox', args.at(-1));
    return { response: 0, checkboxChecked: false };
  },
} satisfies { showMessageBox: (...args: unknown[]) => Promise<MessageBoxReturnValue> };
refuseUnwritten(dialog, 'dialog');

export const crashReporter: Pick<CrashReporter, 'start'> = {
  start: (options) => record('crashReporter.start', options),
};
refuseUnwritten(crashReporter, 'crashReporter');

export class StandInNotification extends EventEmitter {
  readonly title: string;
  readonly body: string;

  constructor({ title = '', body = '' }: NotificationConstructorOptions = {}) {
    super();
    this.title = title;
    this.body = body;
  }

  show(): void {
    record('Notification.show', { title: this.title, body: this.body });
  }

  static isSupported = (): boolean => true;
}
refuseUnwritten(StandInNotification.prototype, 'Notification');

type Theme = NativeTheme['themeSource'];

export class StandInTheme extends EventEmitter implements Pick<NativeTheme, 'themeSource' | 'shouldUseDarkColors'> {
  #source: Theme = 'system';

  get themeSource(): Theme {
    return this.#source;
  }

  set themeSource(source: Theme) {
    this.#source = source;
    for (const { webContents } of stage.windows) void webContents._setTheme(source);
    this.emit('updated');
  }

  get shouldUseDarkColors(): boolean {
    return this.#source === 'dark';
  }
}
refuseUnwritten(StandInTheme.prototype, 'nativeTheme');

class StandInPowerMonitor extends EventEmitter {}
refuseUnwritten(StandInPowerMonitor.prototype, 'powerMonitor');

export const nativeTheme = new StandInTheme();
export const powerMonitor = new StandInPowerMonitor();

const display = { id: 1, workArea: { x: 0, y: 0, width: 1280, height: 800 } };
export const screen = { getAllDisplays: () => [display], getPrimaryDisplay: () => display };
refuseUnwritten(screen, 'screen');

/** `app`: the application's lifecycle. */
import { EventEmitter } from 'node:events';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App, LoginItemSettings, Settings } from 'electron';
import { InstanceLock } from './instance-lock.ts';
import { refuseUnwritten } from './refuse-unwritten.ts';
import { record, stage } from './stage.ts';

type PathName = Parameters<App['getPath']>[0];

type Written =
  | 'name' | 'isPackaged' | 'getVersion' | 'getAppPath' | 'getName' | 'setName' | 'getPath' | 'setPath' | 'isReady' | 'whenReady'
  | 'requestSingleInstanceLock' | 'releaseSingleInstanceLock' | 'quit' | 'exit' | 'focus' | 'setAsDefaultProtocolClient' | 'removeAsDefaultProtocolClient' | 'setLoginItemSettings'
  | 'getLoginItemSettings' | 'setAppUserModelId' | 'enableSandbox' | 'dock'; // oxfmt-ignore

export class StandInApp extends EventEmitter implements Pick<App, Written> {
  name = typeof stage.manifest['name'] === 'string' ? stage.manifest['name'] : 'Electron';
  readonly isPackaged = stage.program !== undefined;
  /** Only macOS has one. */
  readonly dock = undefined as unknown as NonNullable<App['dock']>;
  readonly commandLine = { appendSwitch: (): void => undefined };
  readonly #paths = new Map<PathName, string>();
  readonly #ready = Promise.withResolvers<void>();
  #isReady = false;
  #lock: InstanceLock | undefined;
  #loginItem: Settings = {};
  #stopBrowser: () => Promise<void> = () => Promise.resolve();

  getName = (): string => this.name;
  setName = (name: string): void => void (this.name = name);
  getVersion = (): string => stage.manifest['version'] as string;
  getAppPath = (): string => stage.appPath;

  getPath(name: PathName): string {
    const appData = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
    const known: Partial<Record<PathName, string>> = {
      home: homedir(),
      appData,
      userData: join(appData, this.name),
      temp: tmpdir(),
      exe: stage.program ?? join(import.meta.dirname, 'bin/electron'),
    };
    const path = this.#paths.get(name) ?? known[name];
    if (path === undefined) throw new Error(`The stand-in for Electron has no path '${name}'.`);
    return path;
  }

  setPath = (name: string, path: string): void => void this.#paths.set(name as PathName, path);
  isReady = (): boolean => this.#isReady;
  whenReady = (): Promise<void> => this.#ready.promise;
  focus = (): void => undefined;
  enableSandbox = (): void => undefined;
  setAppUserModelId = (): void => undefined;

  requestSingleInstanceLock(): boolean {
    this.#lock ??= new InstanceLock(this.getPath('userData'), (argv, folder) =>
      this.emit('second-instance', { preventDefault: () => undefined }, argv, folder, null),
    );
    return this.#lock.take();
  }

  releaseSingleInstanceLock(): void {
    this.#lock?.release();
  }

  setAsDefaultProtocolClient(...args: unknown[]): boolean {
    record('app.setAsDefaultProtocolClient', ...args);
    return true;
  }

  removeAsDefaultProtocolClient(...args: unknown[]): boolean {
    record('app.removeAsDefaultProtocolClient', ...args);
    return true;
  }

  setLoginItemSettings(settings: Settings): void {
    record('app.setLoginItemSettings', settings);
    this.#loginItem = settings;
  }

  getLoginItemSettings(): LoginItemSettings {
    const { openAtLogin = false } = this.#loginItem;
    return { openAtLogin, openAsHidden: false } as unknown as LoginItemSettings;
  }

  /** In Electron's order: events, closing windows, exit; each can be prevented. */
  quit(): void {
    if (stage.isQuitting || this.#isPrevented('before-quit')) return;
    stage.isQuitting = true;
    for (const window of [...stage.windows]) {
      window.close();
      if (!window.isDestroyed()) stage.isQuitting = false;
    }
    if (!stage.isQuitting) return;
    if (this.#isPrevented('will-quit')) stage.isQuitting = false;
    else this.exit();
  }

  exit(code = 0): void {
    this.emit('quit', {}, code);
    void this.#stopBrowser().finally(() => process.exit(code));
  }

  _becomeReady(stopBrowser: () => Promise<void>): void {
    this.#stopBrowser = stopBrowser;
    this.#isReady = true;
    this.#ready.resolve();
    this.emit('ready', {}, {});
  }

  #isPrevented(event: string): boolean {
    let isPrevented = false;
    this.emit(event, { preventDefault: () => (isPrevented = true) });
    return isPrevented;
  }
}

refuseUnwritten(StandInApp.prototype, 'app');

export const app = new StandInApp();

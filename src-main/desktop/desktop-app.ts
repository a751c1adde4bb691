/** The desktop app around a core: creates and stops tray, window, notifications, and updates in order. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  app,
  dialog,
  ipcMain,
  type IpcMainInvokeEvent,
  Menu,
  nativeTheme,
  powerMonitor,
  session,
  shell,
} from 'electron';
import { quitFile } from '../core/base/app-paths.ts';
import { AppError, toAppError } from '../core/base/errors.ts';
import type { CoreHost } from '../host/core-host.ts';
import type { UserSystem } from '../host/system-traces.ts';
import type { AppState, AttentionItem, RpcMethod, RpcMethods } from '../rpc/contract.ts';
import type { Dashboard } from '../rpc/dashboard.ts';
import { IpcServer, type IpcSender, requestChannel, cancelChannel, watchChannel } from '../rpc/ipc-server.ts';
import type { StatePublisher } from '../rpc/state-publisher.ts';
import { appMenu } from './app-menu.ts';
import { AppTray } from './app-tray.ts';
import { type NoticeAction, Notices, watchAttention } from './attention-notifications.ts';
import { dashboardOrigin } from './deep-links.ts';
import { DashboardWindow, guardPages } from './dashboard-window.ts';
import { installInto } from './install-app.ts';
import { installCommand } from './install-command.ts';
import { servePages } from './page-protocol.ts';
import type { PreferenceStore } from './preferences.ts';
import type { TrayAction } from './tray-menu.ts';
import { deferStarts, type FoundUpdate, updateNotice, type Updates } from './updates.ts';
import { watchWakeAndNetwork } from './wake-monitor.ts';

interface DesktopAppDeps {
  readonly host: CoreHost;
  readonly system: UserSystem;
  /** Opens the core's listeners, taking over from a running core. */
  readonly listen: () => Promise<void>;
  readonly preferences: PreferenceStore;
  /** Folder of the built app: page, preload script, icons. */
  readonly bundle: string;
  /** undefined in builds without an update URL. */
  readonly openUpdates: ((onFound: (found: FoundUpdate) => void) => Promise<Updates>) | undefined;
}

export class DesktopApp {
  readonly #deps: DesktopAppDeps;
  readonly #window: DashboardWindow;
  readonly #notices = new Notices();
  readonly #stops: (() => void)[] = [];
  #dashboard: Dashboard | undefined;
  #tray: AppTray | undefined;
  #live: LiveState | undefined;
  #updates: Updates | undefined;
  #update: FoundUpdate | undefined;
  #isEnding = false;
  #stopping: Promise<void> | undefined;

  constructor(deps: DesktopAppDeps) {
    this.#deps = deps;
    const { preferences, bundle, host } = deps;
    this.#window = new DashboardWindow({
      preferences,
      preload: join(bundle, 'preload.cjs'),
      onClosed: () => this.#sayItGoesOn(),
      onError: (error) => host.log.warn('The dashboard could not be loaded.', { error }),
    });
  }

  /** Rejects with AppError if the core's listeners cannot be opened. */
  async start(): Promise<void> {
    const { host, listen, preferences, bundle } = this.#deps;
    nativeTheme.themeSource = preferences.get('theme');
    const menu = appMenu(this.#deps.system, {
      openSettings: () => this.#window.open('settings'),
      installCommand: () => this.#report(this.#installCommand()),
      disconnect: () => this.#report(this.#disconnect()),
      quitUntilStarted: () => this.#act({ kind: 'quit-until-started' }),
    });
    Menu.setApplicationMenu(Menu.buildFromTemplate(menu));
    guardPages({ app, session: session.defaultSession, openBrowser: (url) => void this.#openBrowser(url) });
    await listen();
    const { dashboard } = host;
    if (dashboard === undefined) throw new AppError('internal', 'The core is not listening for the dashboard.');
    this.#dashboard = dashboard;
    servePages(join(bundle, 'renderer'), dashboard);
    const ipc = new IpcServer({
      origin: dashboardOrigin,
      publisher: dashboard.publisher,
      ask: (method, input, signal) => dashboard.request(method, input, signal),
    });
    connectIpc(ipc);
    this.#stops.push(() => ipc.close());
    this.#follow(dashboard);
    await this.#startUpdates();
  }

  open(place?: string): void {
    this.#window.open(place);
  }

  /** Resolves to false if the user keeps the window because of unsaved edits. */
  closeWindow(): Promise<boolean> {
    this.#isEnding = true;
    return this.#window.close().then((isClosed) => {
      this.#isEnding = isClosed;
      return isClosed;
    });
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#isEnding = true;
    this.#live?.close();
    this.#updates?.stop();
    this.#tray?.close();
    for (const stop of this.#stops) stop();
    const { host } = this.#deps;
    const installMs = this.#updates?.maxInstallMs ?? 0;
    // Before the core ends: client apps notice that, and would start it again beside the installer.
    if (installMs > 0) await deferStarts(host.core.context.paths.runDir, installMs);
    await host.stop();
  }

  #follow(dashboard: Dashboard): void {
    const { preferences, bundle, host } = this.#deps;
    const tray = new AppTray(
      { state: {}, update: undefined },
      { icons: join(bundle, 'tray'), platform: process.platform, onAction: (action) => this.#act(action) },
    );
    this.#tray = tray;
    const live = new LiveState(dashboard.publisher, () => this.#show());
    this.#live = live;
    this.#stops.push(
      watchAttention({
        items: () => live.current.attention ?? [],
        mayTell: () => preferences.get('notifications') && !this.#window.isFocused,
        tell: (item) =>
          this.#notices.show('Tooltray needs your attention', item.sentence, {
            onClick: () => this.open(placeOf(item)),
          }),
      }),
      watchWakeAndNetwork({ monitor: powerMonitor, onWake: () => reconnectServers(host) }),
    );
  }

  #show(): void {
    this.#tray?.update({ state: this.#live?.current ?? {}, update: this.#update });
  }

  #act(action: TrayAction): void {
    runTrayAction(action, {
      ask: (method, input) => this.#ask(method, input),
      openDashboard: (place) => this.open(place),
      openBrowser: (url) => this.#openBrowser(url),
      restartToUpdate: async () => this.#updates?.install(),
      reportInstall: ({ sentence }, { showDiff, undo }) =>
        this.#notify('Tooltray is installed', sentence, showDiff, [
          { text: 'Diff', onClick: showDiff },
          { text: 'Undo', onClick: undo },
        ]),
      quit: () => app.quit(),
      quitUntilStarted: () => this.#quitUntilStarted(),
    }).catch((error: unknown) => this.#tell(error));
  }

  async #ask<M extends RpcMethod>(method: M, input: RpcMethods[M]['input']): Promise<RpcMethods[M]['output']> {
    return (await this.#dashboard?.request(method, input, new AbortController().signal)) as RpcMethods[M]['output'];
  }

  /** Client apps start Tooltray when needed, but not after the user quit it this way. */
  async #quitUntilStarted(): Promise<void> {
    await writeFile(quitFile(this.#deps.host.core.context.paths.runDir), '');
    app.quit();
  }

  async #installCommand(): Promise<void> {
    const place = await installCommand(this.#deps.system);
    const detail = 'Open a new terminal, then try: tooltray status';
    void dialog.showMessageBox({ type: 'info', message: `The command tooltray is installed in ${place}.`, detail });
  }

  async #disconnect(): Promise<void> {
    const { response } = await dialog.showMessageBox({
      type: 'warning',
      message: 'Disconnect every client app and quit?',
      detail:
        'The config files of your client apps are restored as they were before Tooltray, and the secrets that Tooltray stores are deleted. Your servers stay in the config of Tooltray.',
      buttons: ['Disconnect and Quit', 'Cancel'],
      defaultId: 1,
      cancelId: 1,
    });
    if (response !== 0) return;
    const restored = await this.#ask('disconnectAll', {});
    for (const problem of restored.problems) this.#deps.host.log.warn(problem);
  }

  #report(work: Promise<void>): void {
    work.catch((error: unknown) => this.#tell(error));
  }

  #tell(error: unknown): void {
    const { message, fix = '' } = toAppError(error);
    void dialog.showMessageBox({ type: 'error', title: 'Tooltray', message, detail: fix });
  }

  /** Systems without notifications often have no tray either, so a dialog is shown. */
  #notify(title: string, detail: string, onClick: () => void, actions: readonly NoticeAction[] = []): void {
    const buttons = ['OK', ...actions.map(({ text }) => text)];
    const onFailed = (): void =>
      void dialog
        .showMessageBox({ type: 'info', message: title, detail, buttons })
        .then(({ response }) => actions[response - 1]?.onClick());
    this.#notices.show(title, detail, { onClick, onFailed, actions });
  }

  async #openBrowser(url: string): Promise<void> {
    await shell.openExternal(url);
  }

  async #startUpdates(): Promise<void> {
    this.#updates = await this.#deps.openUpdates?.((found) => {
      this.#update = found;
      this.#show();
      if (!found.isNew) return;
      const { title, detail, button } = updateNotice(found);
      const onClick = (): void => this.#act({ kind: 'update' });
      this.#notify(title, detail, onClick, button === undefined ? [] : [{ text: button, onClick }]);
    });
    this.#updates?.start();
  }

  /** Shown once, because closing the window does not quit the app, which users may not expect. */
  #sayItGoesOn(): void {
    const { preferences } = this.#deps;
    if (this.#isEnding || preferences.get('knowsBackground')) return;
    preferences.set('knowsBackground', true);
    const title = 'Tooltray is still running';
    const detail =
      'Your client apps stay connected. Open Tooltray again to show this window. To quit, use the tray menu.';
    this.#notify(title, detail, () => this.open());
  }
}

/** Time for a remote server to respond after the computer slept, in ms. */
const probeTimeoutMs = 10_000;

/** Retries servers that wait for their next attempt, and probes HTTP connections, which may be dead. */
function reconnectServers({ core }: CoreHost): void {
  for (const server of core.servers.manager.all) {
    const { kind } = server.config;
    if (server.state.kind === 'error') void server.retry().catch(() => undefined);
    else if (kind === 'http' || kind === 'sse') void server.probe(probeTimeoutMs);
  }
}

/** Connects Electron's IPC to the IPC server, which checks sender and input. */
function connectIpc(ipc: IpcServer): void {
  ipcMain.handle(requestChannel, (event, method: unknown, input: unknown, question: unknown) =>
    ipc.request(senderOf(event), method, input, question),
  );
  ipcMain.handle(cancelChannel, (event, question: unknown) => ipc.cancel(senderOf(event), question));
  ipcMain.handle(watchChannel, (event) => ipc.watch(senderOf(event)));
}

function senderOf({ sender, senderFrame }: IpcMainInvokeEvent): IpcSender {
  return {
    id: sender.id,
    url: senderFrame?.url,
    isMainFrame: senderFrame !== null && senderFrame.parent === null,
    send(channel, message) {
      if (!sender.isDestroyed()) sender.send(channel, message);
    },
    onGone: (listener) => void sender.once('destroyed', listener),
  };
}

// The core's state as the desktop app follows it: slices merged as they arrive.

/** Slices for tray, notifications, and window; always subscribed, so only savings changes with every call. */
const followed = ['core', 'servers', 'attention', 'inbox', 'savings', 'setup', 'modes', 'settings'] as const;

class LiveState {
  readonly #leave: () => void;
  #current: Partial<AppState> = {};

  constructor(publisher: Pick<StatePublisher, 'watch'>, onChange: (state: Partial<AppState>) => void) {
    const hear = ({ change }: { readonly change: Partial<AppState> }): void => {
      this.#current = { ...this.#current, ...change };
      onChange(this.#current);
    };
    this.#leave = publisher.watch(hear, undefined, followed);
  }

  get current(): Partial<AppState> {
    return this.#current;
  }

  close(): void {
    this.#leave();
  }
}

/** Executes the action of a tray item or a notification. */
export interface ActDeps {
  readonly ask: <M extends RpcMethod>(method: M, input: RpcMethods[M]['input']) => Promise<RpcMethods[M]['output']>;
  readonly openDashboard: (place: string) => void;
  readonly openBrowser: (url: string) => Promise<void>;
  readonly restartToUpdate: () => Promise<void>;
  readonly reportInstall: Parameters<typeof installInto>[1]['report'];
  readonly quit: () => void;
  readonly quitUntilStarted: () => Promise<void>;
}

/** Rejects with AppError if the core refuses. */
export async function runTrayAction(action: TrayAction, deps: ActDeps): Promise<void> {
  switch (action.kind) {
    case 'open':
      return deps.openDashboard(action.place);
    case 'fix':
      return fix(action.item, deps);
    case 'mode':
      return void (await deps.ask('setMode', { mode: action.mode }));
    case 'pause':
      return void (await deps.ask('setPaused', { paused: action.paused }));
    case 'install':
      return installInto(action.app, { ...deps, report: deps.reportInstall });
    case 'update':
      return deps.restartToUpdate();
    case 'quit':
      return deps.quit();
    case 'quit-until-started':
      return deps.quitUntilStarted();
  }
}

async function fix(item: AttentionItem, { ask, openDashboard, openBrowser }: ActDeps): Promise<void> {
  const { server, action } = item;
  if (server !== undefined && action.kind === 'sign-in') return openBrowser((await ask('signIn', { server })).url);
  if (server !== undefined && action.kind === 'retry') {
    return void (await ask('restart', { server, ...(action.clears !== undefined && { clear: true }) }));
  }
  if (server !== undefined && action.kind === 'enable') {
    return void (await ask('setServerEnabled', { server, enabled: true }));
  }
  if (action.kind === 'restore-config') return void (await ask('restoreConfig', {}));
  if (action.kind === 'open-config') return void (await ask('reveal', { what: 'config' }));
  openDashboard(placeOf(item));
}

/** The dashboard view that can resolve an item. */
function placeOf({ id, server, action }: AttentionItem): string {
  if (action.kind === 'decide') return `inbox/${id.replace(/^inbox-/, '')}`;
  if (action.kind === 'connect-app') return 'setup';
  if (action.kind === 'unlock') return 'settings';
  if (action.kind === 'open-spills') return 'spills';
  if (server === undefined) return 'overview';
  // Launches found in other apps are approved on a page that shows them in full.
  if (action.kind === 'heal' || action.kind === 'review') return `inbox/server/${encodeURIComponent(server)}`;
  const tab = { 'view-log': '/log', 'edit-config': '/config' } as const;
  const suffix = action.kind === 'view-log' || action.kind === 'edit-config' ? tab[action.kind] : '';
  return `servers/${encodeURIComponent(server)}${suffix}`;
}

/** Entry point of the desktop app: a core, the dashboard over IPC, and the tray; one per user and home. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { app, crashReporter, dialog, powerMonitor, session } from 'electron';
import { findRunningCore } from './cli/core-access.ts';
import { resolveAppPaths, ensurePrivateDir, launcherPath } from './core/base/app-paths.ts';
import { errorText } from './core/base/errors.ts';
import type { Log } from './core/base/log.ts';
import { defaultDrainSeconds } from './core/config/app-config.ts';
import {
  backgroundFlag,
  desktopSettings,
  isBackgroundStart,
  linuxAutostart,
  systemAutostart,
} from './desktop/desktop-settings.ts';
import { keepCrashDumps, watchCrashes } from './desktop/crashes.ts';
import { linkScheme, describeLink, parseDeepLink } from './desktop/deep-links.ts';
import { DesktopApp } from './desktop/desktop-app.ts';
import { isTranslocated, writeLauncher, launcherFacts } from './desktop/launcher.ts';
import { offerMove } from './desktop/offer-move.ts';
import { registerPageProtocol } from './desktop/page-protocol.ts';
import { QuitOrder } from './desktop/quit.ts';
import { openPreferences, type PreferenceStore } from './desktop/preferences.ts';
import { replaceRunningCore } from './desktop/replace-running-core.ts';
import { openVault } from './core/secrets/vault.ts';
import { CoreHost } from './host/core-host.ts';
import {
  copyShimRuntime,
  findShimRuntime,
  removeUnusedRuntimes,
  runtimesFolder,
  type ShimRuntime,
} from './host/shim-runtime.ts';
import { removeTraces } from './host/system-traces.ts';
import { startLock } from './shim/start-core.ts';

/**
 * Maximum time for stopping servers when quitting, in ms, in addition to the drain time of HTTP calls; remaining
 * processes are killed.
 */
const endWithinMs = 10_000;

const paths = resolveAppPaths(process.env, process.platform, homedir());
const words = process.argv.slice(1);

// These settings must precede Electron's ready event, so nothing is awaited first.
app.setName('Tooltray');
app.setAppUserModelId('app.tooltray');
ensurePrivateDir(paths.dataDir);
app.setPath('userData', join(paths.dataDir, 'desktop'));
app.enableSandbox();
keepCrashDumps(crashReporter);
registerPageProtocol();
if (app.requestSingleInstanceLock()) {
  // Acquired immediately, so that shims that find no core do not start another one meanwhile.
  ensurePrivateDir(paths.runDir);
  const starting = startLock(paths.runDir);
  starting.tryAcquire();
  void run(starting);
} else app.quit();

async function run(starting: Disposable): Promise<void> {
  const opened = Promise.withResolvers<DesktopApp>();
  // A failed start is reported below; nothing else may handle this rejection.
  opened.promise.catch(() => undefined);
  const open = (place?: string): void =>
    void opened.promise.then((desktop) => desktop.open(place)).catch(() => undefined);
  app.on('second-instance', (_event, given) => {
    // A second start at login does not open the dashboard.
    if (!given.includes(backgroundFlag)) open(describeLink(given));
  });
  app.on('activate', () => open());
  app.on('open-url', (event, link) => {
    event.preventDefault();
    open(parseDeepLink(link));
  });
  // The tray continues without a window.
  app.on('window-all-closed', () => undefined);
  await app.whenReady();
  try {
    opened.resolve(await start());
    starting[Symbol.dispose]();
  } catch (error) {
    opened.reject(error);
    starting[Symbol.dispose]();
    // The user may start it again while the dialog is open.
    app.releaseSingleInstanceLock();
    const detail = errorText(error);
    await dialog.showMessageBox({ type: 'error', title: 'Tooltray', message: 'Tooltray could not start', detail });
    app.exit(1);
    return;
  }
  if (!isBackgroundStart(app, words, process.platform)) open(describeLink(words));
}

async function start(): Promise<DesktopApp> {
  const quitOrder = new QuitOrder({ app, monitor: powerMonitor });
  const preferences = openPreferences();
  const leaving = { isRequested: false };
  const host = await openHost(preferences, leaving);
  const system = { platform: process.platform, env: process.env, home: homedir(), dataDir: paths.dataDir };
  const desktop = new DesktopApp({
    host,
    system,
    preferences,
    bundle: import.meta.dirname,
    listen: () => listen(host),
    openUpdates: canUpdate()
      ? async (onFound) => {
          const { openUpdates } = await import('./desktop/open-updates.ts');
          return openUpdates({
            preferences,
            log: host.log,
            onFound,
            // The installed version starts while this process is still ending.
            prepare: async () => {
              const isReady = await quitOrder.prepare();
              if (isReady) app.releaseSingleInstanceLock();
              return isReady;
            },
            restart: () => {
              app.relaunch();
              app.quit();
            },
          });
        }
      : undefined,
  });
  const drainMs = (): number => (host.core.context.config.current.http.drainSeconds ?? defaultDrainSeconds) * 1000;
  watchCrashes({ app, log: host.log, reload: (window) => window.webContents.reload() });
  const stop = async (): Promise<void> => {
    await desktop.stop();
    if (!leaving.isRequested) return;
    await openVault(paths.dataDir, process.env).discard();
    await removeTraces(system);
  };
  quitOrder.own({ closeWindow: () => desktop.closeWindow(), stop }, () => endWithinMs + drainMs());
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme);
  // Before the core writes to client apps' files, because it writes the launcher's path.
  await mendLauncher(host.log);
  try {
    await desktop.start();
  } catch (error) {
    await desktop.stop();
    throw error;
  }
  void host.core.start();
  return desktop;
}

async function openHost(preferences: PreferenceStore, leaving: { isRequested: boolean }): Promise<CoreHost> {
  const configHome = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const program = process.env['APPIMAGE'] ?? app.getPath('exe');
  // Electron must be told which app to run.
  const appWords = app.isPackaged ? [] : [app.getAppPath()];
  const autostart =
    process.platform === 'linux' ? linuxAutostart(configHome, [program, ...appWords]) : systemAutostart(app, appWords);
  const host = await CoreHost.open({
    env: process.env,
    version: app.getVersion(),
    askToken: true,
    pageRoot: join(import.meta.dirname, 'renderer'),
    onStop: () => app.quit(),
    resolveProxy: (url) => session.defaultSession.resolveProxy(url),
    desktop: desktopSettings({
      preferences,
      autostart,
      canUpdate: canUpdate(),
      leaveSystem: () => {
        leaving.isRequested = true;
        autostart.set(false);
        app.removeAsDefaultProtocolClient(linkScheme);
        // The page receives the response first, on a busy computer too.
        setTimeout(() => app.quit(), 500);
      },
    }),
  });
  // An uncaught error in one session must not end the others; it is logged.
  process.on('uncaughtException', (error) => host.log.error('Unexpected error', { error }));
  process.on('unhandledRejection', (error) => host.log.error('Unexpected rejection', { error }));
  return host;
}

async function listen(host: CoreHost): Promise<void> {
  await replaceRunningCore({ find: findRunningCore, listen: () => host.listen() });
}

/** Rewrites the launcher that client apps start. A failure to write it does not stop the app. */
async function mendLauncher(log: Log): Promise<void> {
  const { platform, env, resourcesPath: resources } = process;
  const program = app.getPath('exe');
  const checkout = app.isPackaged ? undefined : app.getAppPath();
  const facts = launcherFacts({ platform, program, resources, appImage: env['APPIMAGE'], checkout });
  const isLasting = app.isPackaged && !isTranslocated(program);
  if (isTranslocated(program)) void offerMove();
  const write = (shim: ShimRuntime | undefined): Promise<boolean> => {
    const place = { isLasting, cacheDir: paths.cacheDir };
    return writeLauncher(launcherPath(paths.dataDir, platform), { ...facts, shim }, place);
  };
  const onError = (error: unknown): void => log.warn('What client apps start could not be written.', { error });
  const { script } = facts;
  if (platform !== 'win32' || !isLasting || script === 'in-appimage') {
    await write(undefined).catch(onError);
    return;
  }
  const runtimes = runtimesFolder(paths.dataDir);
  const source = { program, script: script.file, runtimes };
  const runtime = await findShimRuntime(source).catch(() => undefined);
  await write(runtime).catch(onError);
  // Copying takes seconds; client apps can be served meanwhile.
  const copy = async (): Promise<ShimRuntime> => {
    const copied = await copyShimRuntime(source);
    await write(copied);
    return copied;
  };
  void (async () => removeUnusedRuntimes(runtimes, runtime ?? (await copy())))().catch(onError);
}

/** The packager writes the update URL, if there is one. */
function canUpdate(): boolean {
  return app.isPackaged && existsSync(join(process.resourcesPath, 'app-update.yml'));
}

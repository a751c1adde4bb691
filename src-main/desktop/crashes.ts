/** Logs crashes of Electron's other processes, keeps crash dumps on this computer, and reloads a crashed page once. */
import type { App, BrowserWindow, CrashReporter } from 'electron';
import type { Log } from '../core/base/log.ts';

interface CrashDeps {
  readonly app: Pick<App, 'on'>;
  readonly log: Pick<Log, 'error' | 'warn'>;
  /** Reloads this window's dashboard. */
  readonly reload: (window: BrowserWindow) => void;
}

/** A page that crashes again within this time is not reloaded, in ms. */
const reloadCooldownMs = 60_000;

/**
 * Must be called before Electron is ready. Nothing is uploaded: the dumps stay in the folder `Crashpad` of the app's
 * data.
 */
export function keepCrashDumps(crashReporter: Pick<CrashReporter, 'start'>): void {
  crashReporter.start({ uploadToServer: false });
}

export function watchCrashes({ app, log, reload }: CrashDeps): void {
  let reloadedAt = -Infinity;
  app.on('child-process-gone', (_event, { type, reason, exitCode, serviceName = '', name = serviceName }) =>
    log.error('An app process exited unexpectedly.', { type, name, reason, exitCode }),
  );
  app.on('browser-window-created', (_event, window) => {
    window.on('unresponsive', () => log.warn('The dashboard is not responding.'));
    window.webContents.on('render-process-gone', (_gone, { reason, exitCode }) => {
      if (reason === 'clean-exit') return;
      log.error('The dashboard process exited unexpectedly.', { reason, exitCode });
      if (Date.now() - reloadedAt < reloadCooldownMs || window.isDestroyed()) return;
      reloadedAt = Date.now();
      reload(window);
    });
  });
}

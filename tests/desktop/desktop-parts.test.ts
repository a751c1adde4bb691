/** The parts of the desktop app that make decisions without Electron. */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '../../src-main/core/base/errors.ts';
import { NotificationFilter } from '../../src-main/desktop/attention-notifications.ts';
import {
  confirmUnsavedClose,
  backgroundColors,
  type GuardDeps,
  guardPages,
  windowBounds,
} from '../../src-main/desktop/dashboard-window.ts';
import { describeLink, parseDeepLink, dashboardUrl } from '../../src-main/desktop/deep-links.ts';
import { type QuitDeps, QuitOrder } from '../../src-main/desktop/quit.ts';
import { replaceRunningCore } from '../../src-main/desktop/replace-running-core.ts';
import { type Updater, updateNotice, Updates, unsignedReason } from '../../src-main/desktop/updates.ts';
import { watchWakeAndNetwork } from '../../src-main/desktop/wake-monitor.ts';
import type { AttentionItem } from '../../src-main/rpc/contract.ts';

describe('a link', () => {
  test('names a view of the dashboard', () => {
    expect(parseDeepLink('tooltray://servers/git hub')).toBe('servers/git%20hub');
    expect(parseDeepLink('TOOLTRAY://Settings')).toBe('settings');
    expect(dashboardUrl('servers/a')).toBe('app://tooltray/#/servers/a');
  });

  test('falls back to the dashboard for an unknown place', () => {
    expect(['tooltray://', 'tooltray://run/rm', 'tooltray://../../etc'].map(parseDeepLink)).toEqual(['', '', '']);
  });

  test('escapes its text in the address', () => {
    expect(parseDeepLink('tooltray://servers/%22%3E%3Cscript%3E#x?y=1')).toBe('servers/%22%3E%3Cscript%3E');
    expect(parseDeepLink('tooltray://servers/%zz')).toBe('servers/%25zz');
    expect(parseDeepLink(`tooltray://servers/${'a'.repeat(600)}`)).toBeUndefined();
    expect(parseDeepLink('https://servers/')).toBeUndefined();
  });

  test('is found among the arguments of a second start', () => {
    expect(describeLink(['/opt/Tooltray/tooltray', '--flag', 'tooltray://spills'])).toBe('spills');
    expect(describeLink(['/opt/Tooltray/tooltray'])).toBeUndefined();
  });
});

describe('a page with edits', () => {
  function leaving() {
    const page = new EventEmitter();
    const answers: PromiseWithResolvers<boolean>[] = [];
    const log: string[] = [];
    confirmUnsavedClose(page as unknown as Parameters<typeof confirmUnsavedClose>[0], {
      ask: () => {
        const answer = Promise.withResolvers<boolean>();
        answers.push(answer);
        return answer.promise;
      },
      onKeep: () => log.push('kept'),
      onDiscard: () => log.push('discarded'),
    });
    const leaves = (): boolean => {
      const event = { isPrevented: false, preventDefault: () => void (event.isPrevented = true) };
      page.emit('will-prevent-unload', event);
      return event.isPrevented;
    };
    return { leaves, answers, log };
  }

  test('stays open while the user is asked, once, and closes when they discard the edits', async () => {
    const { leaves, answers, log } = leaving();
    expect([leaves(), leaves(), answers.length]).toEqual([false, false, 1]);
    answers[0]?.resolve(true);
    await vi.waitFor(() => expect(log).toEqual(['discarded']));
    expect(leaves()).toBe(true);
  });

  test('stays open when they keep the edits, and asks again the next time', async () => {
    const { leaves, answers, log } = leaving();
    leaves();
    answers[0]?.resolve(false);
    await vi.waitFor(() => expect(log).toEqual(['kept']));
    expect([leaves(), answers.length]).toEqual([false, 2]);
  });
});

describe('quitting', () => {
  function quitting({ mayClose = true, stop = async (): Promise<void> => undefined } = {}) {
    const app = new EventEmitter();
    const monitor = new EventEmitter();
    const log: string[] = [];
    const quit = (): void => {
      const event = { isPrevented: false, preventDefault: () => void (event.isPrevented = true) };
      app.emit('before-quit', event);
      log.push(event.isPrevented ? 'put off' : 'quit');
    };
    const order = new QuitOrder({ app: Object.assign(app, { quit }), monitor } as unknown as QuitDeps);
    const owned = {
      closeWindow: async () => {
        log.push('window');
        return mayClose;
      },
      stop: async () => {
        log.push('stop');
        await stop();
      },
    };
    order.own(owned, () => 20);
    return { order, quit, log, monitor, app };
  }

  test('closes the window, then stops the core, then quits', async () => {
    const { quit, log } = quitting();
    quit();
    await vi.waitFor(() => expect(log.at(-1)).toBe('quit'));
    expect(log.filter((one) => one !== 'put off')).toEqual(['window', 'stop', 'quit']);
  });

  test('is cancelled when the user keeps the window open', async () => {
    const { order, log } = quitting({ mayClose: false });
    expect(await order.prepare()).toBe(false);
    expect(log).toEqual(['window']);
  });

  test('stops waiting for a core that does not stop', async () => {
    const { order } = quitting({ stop: () => new Promise(() => undefined) });
    expect(await order.prepare()).toBe(true);
  });

  test('does not ask when the system shuts down', async () => {
    const { monitor, log } = quitting({ mayClose: false });
    monitor.emit('shutdown', { preventDefault: () => undefined });
    await vi.waitFor(() => expect(log).toEqual(['stop', 'quit']));
  });

  test('does not ask when Windows ends the session', async () => {
    const { app, log } = quitting({ mayClose: false });
    const window = new EventEmitter();
    app.emit('browser-window-created', {}, window);
    window.emit('session-end', {});
    await vi.waitFor(() => expect(log).toEqual(['stop', 'quit']));
  });
});

describe('a notification', () => {
  const item = (kind: AttentionItem['action']['kind']): AttentionItem => ({
    id: 'server-a',
    sentence: 'a: Needs sign-in.',
    server: 'a',
    action: { kind, label: '' },
  });
  const signIn = item('sign-in');

  test('is shown once, after a problem has lasted for ten seconds', () => {
    const news = new NotificationFilter();
    const told = [0, 9_000, 10_000, 20_000, 90_000].map((now) => news.next([signIn], now).length);
    expect(told).toEqual([0, 0, 1, 0, 0]);
  });

  test('is not shown for a problem that resolves itself, nor again after a brief interruption', () => {
    const news = new NotificationFilter();
    const steps: [number, AttentionItem[]][] = [
      [0, [signIn]],
      [5_000, []],
      [12_000, [signIn]],
      [22_000, [signIn]],
      [30_000, []],
      [60_000, [signIn]],
    ];
    expect(steps.map(([now, items]) => news.next(items, now).length)).toEqual([0, 0, 0, 1, 0, 0]);
  });

  test('is shown again when the problem recurs on another day', () => {
    const news = new NotificationFilter();
    const day = 24 * 60 * 60_000;
    news.next([signIn], 0);
    expect(news.next([signIn], 10_000)).toEqual([signIn]);
    news.next([], day);
    news.next([signIn], day + 1);
    expect(news.next([signIn], day + 20_000)).toEqual([signIn]);
  });

  test('is shown once for all items with one cause, and again for another cause', () => {
    const news = new NotificationFilter();
    const decide = (id: string, cause: string): AttentionItem => ({ ...item('decide'), id, cause });
    const steps = [
      [decide('inbox-1', 'change d 0'), decide('inbox-2', 'change d 0')],
      [decide('inbox-3', 'change d 0')],
      [decide('inbox-4', 'change d 1')],
    ];
    expect(steps.map((items, at) => news.next(items, at).map(({ id }) => id))).toEqual([['inbox-1'], [], ['inbox-4']]);
  });

  test('is not shown for a problem that is retried automatically', () => {
    const news = new NotificationFilter();
    news.next([item('retry')], 0);
    expect(news.next([item('retry')], 60_000)).toEqual([]);
  });
});

describe('the window', () => {
  const area = { x: 0, y: 0, width: 1280, height: 800 };

  test('opens at its last position', () => {
    const last = { x: 100, y: 50, width: 900, height: 600 };
    expect(windowBounds(last, [area])).toEqual(last);
  });

  test('opens in a visible place when its display is gone', () => {
    const last = { x: 3000, y: 50, width: 900, height: 600 };
    expect(windowBounds(last, [area])).toEqual({ width: 900, height: 600 });
  });

  test('is not larger than the display', () => {
    expect(windowBounds(undefined, [{ ...area, width: 1024, height: 700 }])).toEqual({ width: 1024, height: 700 });
  });

  test('has the page’s background color before the page is drawn', () => {
    const tokens = readFileSync(join(import.meta.dirname, '../../src-renderer/theme/tokens.css'), 'utf8');
    expect(tokens).toContain(`--paper: light-dark(${backgroundColors.light}, ${backgroundColors.dark});`);
  });
});

describe('another core of the same home', () => {
  const pollMs = 1;

  test('is asked once to stop, and waited for', async () => {
    const log: string[] = [];
    let looks = 0;
    const other = { ask: async () => void log.push('stop'), close: async () => undefined };
    await replaceRunningCore({
      find: async () => (++looks < 4 ? other : undefined),
      listen: async () => void log.push('listen'),
      pollMs,
    });
    expect(log).toEqual(['stop', 'listen']);
  });

  test('that starts between the check and the attempt to listen is asked as well', async () => {
    const log: string[] = [];
    const other = { ask: async () => void log.push('stop'), close: async () => undefined };
    const found = [undefined, other, undefined];
    let tries = 0;
    await replaceRunningCore({
      find: async () => found.shift(),
      listen: async () => {
        if (++tries === 1) throw new AppError('already_running', 'There is one.');
      },
      pollMs,
    });
    expect([tries, log]).toEqual([2, ['stop']]);
  });

  test('that does not stop is reported, with what to do', async () => {
    const other = { ask: async () => undefined, close: async () => undefined };
    const taking = replaceRunningCore({
      find: async () => other,
      listen: async () => undefined,
      pollMs,
      graceMs: 20,
    });
    const error = await taking.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'already_running' });
    expect((error as AppError).fix).toContain('serve');
  });
});

describe('updates', () => {
  interface Wishes {
    readonly setting?: 'off' | 'notify' | 'install';
    readonly refusal?: string;
    readonly isReady?: boolean;
    readonly notified?: string;
  }

  function updating({ setting = 'notify', refusal, isReady = true, notified }: Wishes = {}) {
    const log: string[] = [];
    const installMs: number[] = [];
    const listeners = new Map<string, (info: unknown) => void>();
    let last = notified;
    const updater = {
      autoDownload: true,
      autoInstallOnAppQuit: true,
      allowDowngrade: true,
      on: (event: string, listener: never) => listeners.set(event, listener),
      checkForUpdates: async () => void log.push('check'),
      downloadUpdate: async () => void log.push('download'),
      quitAndInstall: () => void log.push('install'),
    } as unknown as Updater;
    const updates = new Updates({
      updater,
      setting: () => setting,
      onError: () => undefined,
      onFound: ({ version, isReady: ready, isNew }) =>
        void log.push(`${version}${ready ? ' ready' : ''}${isNew ? ' new' : ''}`),
      prepare: async () => {
        // The core has stopped here.
        log.push('prepare');
        installMs.push(updates.maxInstallMs);
        return isReady;
      },
      restart: () => void log.push('restart'),
      lastNotified: { get: () => last, set: (version) => void (last = version) },
      refusal,
    });
    const tell = (event: 'update-available' | 'update-downloaded', version = '2.0.0'): void =>
      listeners.get(event)?.({ version });
    const fail = (): void => listeners.get('error')?.(new Error('The installer could not be started.'));
    return { updates, updater, log, installMs, tell, fail };
  }

  test('are not checked for when switched off', async () => {
    const { updates, log } = updating({ setting: 'off' });
    await updates.check();
    expect(log).toEqual([]);
  });

  test.each([
    [{ setting: 'notify' }, false],
    [{ setting: 'install' }, true],
    [{ setting: 'install', refusal: 'unsigned' }, false],
  ] as const)('with %j are downloaded automatically: %s', async (wishes, isDownloaded) => {
    const { updates, updater } = updating(wishes);
    await updates.check();
    expect(updater).toMatchObject({
      autoDownload: isDownloaded,
      autoInstallOnAppQuit: isDownloaded,
      allowDowngrade: false,
    });
  });

  test('are announced once per version, also across restarts', () => {
    const { tell, log } = updating({ notified: '1.9.0' });
    tell('update-available', '1.9.0');
    tell('update-available');
    tell('update-available');
    tell('update-downloaded');
    expect(log).toEqual(['1.9.0', '2.0.0 new', '2.0.0', '2.0.0 ready']);
  });

  test('are downloaded first, then everything stops, then the installer runs', async () => {
    const { updates, log } = updating();
    await updates.install();
    expect(log).toEqual(['download', 'prepare', 'install']);
  });

  test('are announced with a button that installs them, or with the reason why they are not installed', () => {
    const found = { version: '2.0.0', isReady: false, isNew: true, refusal: undefined };
    const buttons = [found, { ...found, isReady: true }].map((one) => updateNotice(one).button);
    expect(buttons.map((button) => button !== undefined)).toEqual([true, true]);
    expect(updateNotice({ ...found, refusal: 'unsigned' })).toMatchObject({ detail: 'unsigned', button: undefined });
  });

  test('restart the app when its installer cannot be started, and only then', async () => {
    const { updates, log, fail } = updating();
    fail();
    await updates.install();
    fail();
    expect(log).toEqual(['download', 'prepare', 'install', 'restart']);
  });

  test('keep client apps from starting the app for as long as the installer may run', async () => {
    const { updates, tell, installMs } = updating();
    await updates.check();
    tell('update-downloaded');
    expect(updates.maxInstallMs).toBe(0);
    await updates.install();
    expect(installMs).toEqual([5 * 60_000]);
    const stopped = updating({ isReady: false });
    await stopped.updates.install();
    expect(stopped.updates.maxInstallMs).toBe(0);
    const automatic = updating({ setting: 'install' });
    await automatic.updates.check();
    expect(automatic.updates.maxInstallMs).toBe(0);
    automatic.tell('update-downloaded');
    expect(automatic.updates.maxInstallMs).toBe(60_000);
  });

  test('are not downloaded twice, nor installed while the user keeps the window open', async () => {
    const { updates, log, tell } = updating({ isReady: false, notified: '2.0.0' });
    tell('update-downloaded');
    await updates.install();
    expect(log).toEqual(['2.0.0 ready', 'prepare']);
  });

  test('are refused where the signature cannot be verified', async () => {
    const { updates, log } = updating({ refusal: 'unsigned' });
    await expect(updates.install()).rejects.toMatchObject({ code: 'unsupported' });
    expect(log).toEqual([]);
    const signed = 'Identifier=app.tooltray\nTeamIdentifier=A1B2C3D4E5\n';
    const reasons = [
      unsignedReason('linux', {}, signed),
      unsignedReason('win32', {}, signed),
      unsignedReason('darwin', {}, ''),
      unsignedReason('darwin', {}, 'Identifier=app.tooltray\nSignature=adhoc\nTeamIdentifier=not set\n'),
    ];
    expect(reasons.map((reason) => reason !== undefined)).toEqual([true, true, true, true]);
    expect(unsignedReason('win32', { publisherName: ['Tooltray'] }, '')).toBeUndefined();
    expect(unsignedReason('darwin', {}, signed)).toBeUndefined();
  });
});

describe('waking up', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function watching(addresses: () => string) {
    let wakes = 0;
    const resume: (() => void)[] = [];
    const monitor = { on: (_event: string, listener: () => void) => resume.push(listener) };
    const stop = watchWakeAndNetwork({ monitor, onWake: () => wakes++, addresses });
    return { wakes: () => wakes, resume: () => resume.forEach((tell) => tell()), stop };
  }

  test('notifies three seconds after resume, once the network is up', () => {
    const { wakes, resume, stop } = watching(() => '10.0.0.2');
    resume();
    expect(wakes()).toBe(0);
    vi.advanceTimersByTime(3_000);
    expect(wakes()).toBe(1);
    stop();
  });

  test('notifies about a new network address, not about a lost one', () => {
    let address = '10.0.0.2';
    const { wakes, stop } = watching(() => address);
    address = '';
    vi.advanceTimersByTime(10_000);
    expect(wakes()).toBe(0);
    address = '192.168.1.5';
    vi.advanceTimersByTime(10_000);
    expect(wakes()).toBe(1);
    stop();
  });
});

describe('a page', () => {
  type Listener = (...args: never[]) => void;
  interface Permissions {
    ask?: (contents: unknown, permission: string, answer: (may: boolean) => void) => void;
    check?: (contents: unknown, permission: string) => boolean;
  }

  function guarded() {
    const opened: string[] = [];
    const listeners = new Map<string, Listener>();
    const permissions: Permissions = {};
    let onCreated: Listener = () => undefined;
    let onOpen = (_details: { url: string }): unknown => undefined;
    guardPages({
      app: { on: (_event: string, listener: Listener) => (onCreated = listener) },
      session: {
        setPermissionRequestHandler: (handler: never) => (permissions.ask = handler),
        setPermissionCheckHandler: (handler: never) => (permissions.check = handler),
      },
      openBrowser: (url: string) => void opened.push(url),
    } as unknown as GuardDeps);
    const contents = {
      on: (event: string, listener: Listener) => listeners.set(event, listener),
      setWindowOpenHandler: (handler: typeof onOpen) => (onOpen = handler),
    };
    onCreated(undefined as never, contents as never);
    const isStopped = (event: string, url: string): boolean => {
      let stopped = false;
      listeners.get(event)?.({ url, preventDefault: () => (stopped = true) } as never);
      return stopped;
    };
    return { opened, permissions, isStopped, open: (url: string) => onOpen({ url }) };
  }

  test('navigates nowhere but to the dashboard, in any frame', () => {
    const { isStopped } = guarded();
    const urls = [
      'app://tooltray/#/servers',
      'https://example.com/',
      'app://other/',
      'file:///etc/passwd',
      'app://tooltray.evil/',
    ];
    expect(urls.map((url) => isStopped('will-frame-navigate', url))).toEqual([false, true, true, true, true]);
    expect(isStopped('will-attach-webview', '')).toBe(true);
  });

  test('opens no window; web links go to the browser, other links nowhere', () => {
    const { open, opened } = guarded();
    const urls = ['https://example.com/', 'file:///etc/passwd', 'javascript:alert(1)'];
    expect(urls.map(open)).toEqual(urls.map(() => ({ action: 'deny' })));
    expect(opened).toEqual(['https://example.com/']);
  });

  test('is denied device permissions, but may write to the clipboard', () => {
    const { permissions } = guarded();
    const answers: boolean[] = [];
    for (const permission of ['media', 'geolocation', 'openExternal', 'clipboard-sanitized-write']) {
      permissions.ask?.(null, permission, (may) => answers.push(may));
    }
    expect(answers).toEqual([false, false, false, true]);
    expect(permissions.check?.(null, 'hid')).toBe(false);
  });
});

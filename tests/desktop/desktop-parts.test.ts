/** The parts of the desktop app that decide something without Electron. */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '../../src-main/core/base/errors.ts';
import { AttentionNews } from '../../src-main/desktop/attention-notices.ts';
import {
  askBeforeLeaving,
  grounds,
  type GuardDeps,
  guardPages,
  windowPlace,
} from '../../src-main/desktop/dashboard-window.ts';
import { placeInWords, placeOfLink, placeUrl } from '../../src-main/desktop/dashboard-places.ts';
import { takeOver } from '../../src-main/desktop/take-over.ts';
import { type Updater, Updates } from '../../src-main/desktop/updates.ts';
import { watchWake } from '../../src-main/desktop/wake.ts';
import type { AttentionItem } from '../../src-main/rpc/contract.ts';

describe('a link', () => {
  test('names a place of the dashboard', () => {
    expect(placeOfLink('tooltray://servers/git hub')).toBe('servers/git%20hub');
    expect(placeOfLink('TOOLTRAY://Settings')).toBe('settings');
    expect(placeUrl('servers/a')).toBe('app://tooltray/#/servers/a');
  });

  test('that names nothing there is leads to the dashboard as it is', () => {
    expect(['tooltray://', 'tooltray://run/rm', 'tooltray://../../etc'].map(placeOfLink)).toEqual(['', '', '']);
  });

  test('cannot smuggle anything into the address', () => {
    expect(placeOfLink('tooltray://servers/%22%3E%3Cscript%3E#x?y=1')).toBe('servers/%22%3E%3Cscript%3E');
    expect(placeOfLink('tooltray://servers/%zz')).toBe('servers/%25zz');
    expect(placeOfLink(`tooltray://servers/${'a'.repeat(600)}`)).toBeUndefined();
    expect(placeOfLink('https://servers/')).toBeUndefined();
  });

  test('is found among the words of a second start', () => {
    expect(placeInWords(['/opt/Tooltray/tooltray', '--flag', 'tooltray://spills'])).toBe('spills');
    expect(placeInWords(['/opt/Tooltray/tooltray'])).toBeUndefined();
  });
});

test('a page with edits is left only after a yes: Electron would keep its window open without a word', () => {
  const page = new EventEmitter();
  const answers = [false, true];
  askBeforeLeaving(page as unknown as Parameters<typeof askBeforeLeaving>[0], () => answers.shift() ?? false);
  const leaves = (): boolean => {
    const event = { isPrevented: false, preventDefault: () => void (event.isPrevented = true) };
    page.emit('will-prevent-unload', event);
    return event.isPrevented;
  };
  expect([leaves(), leaves()]).toEqual([false, true]);
});

describe('a notification', () => {
  const item = (kind: AttentionItem['action']['kind']): AttentionItem => ({
    id: 'server-a',
    sentence: 'a: Needs sign-in.',
    server: 'a',
    action: { kind, label: '' },
  });
  const signIn = item('sign-in');

  test('comes once, after what it tells has stood for a while', () => {
    const news = new AttentionNews();
    const told = [0, 9_000, 10_000, 20_000, 90_000].map((now) => news.next([signIn], now).length);
    expect(told).toEqual([0, 0, 1, 0, 0]);
  });

  test('does not come for what mended itself, nor again for what only flickered', () => {
    const news = new AttentionNews();
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

  test('comes again when the same is wrong another day', () => {
    const news = new AttentionNews();
    const day = 24 * 60 * 60_000;
    news.next([signIn], 0);
    expect(news.next([signIn], 10_000)).toEqual([signIn]);
    news.next([], day);
    news.next([signIn], day + 1);
    expect(news.next([signIn], day + 20_000)).toEqual([signIn]);
  });

  test('comes once for all that has one cause, and anew for another one', () => {
    const news = new AttentionNews();
    const decide = (id: string, cause: string): AttentionItem => ({ ...item('decide'), id, cause });
    const steps = [
      [decide('inbox-1', 'change d 0'), decide('inbox-2', 'change d 0')],
      [decide('inbox-3', 'change d 0')],
      [decide('inbox-4', 'change d 1')],
    ];
    expect(steps.map((items, at) => news.next(items, at).map(({ id }) => id))).toEqual([['inbox-1'], [], ['inbox-4']]);
  });

  test('does not come for what is tried again anyway', () => {
    const news = new AttentionNews();
    news.next([item('retry')], 0);
    expect(news.next([item('retry')], 60_000)).toEqual([]);
  });
});

describe('the window', () => {
  const area = { x: 0, y: 0, width: 1280, height: 800 };

  test('opens where it was', () => {
    const last = { x: 100, y: 50, width: 900, height: 600 };
    expect(windowPlace(last, [area])).toEqual(last);
  });

  test('opens where it can be seen, when its display is gone', () => {
    const last = { x: 3000, y: 50, width: 900, height: 600 };
    expect(windowPlace(last, [area])).toEqual({ width: 900, height: 600 });
  });

  test('is no bigger than the display', () => {
    expect(windowPlace(undefined, [{ ...area, width: 1024, height: 700 }])).toEqual({ width: 1024, height: 700 });
  });

  test('has the ground of the page before the page is drawn', () => {
    const tokens = readFileSync(join(import.meta.dirname, '../../src-renderer/theme/tokens.css'), 'utf8');
    expect(tokens).toContain(`--paper: light-dark(${grounds.light}, ${grounds.dark});`);
  });
});

describe('another core of the same home', () => {
  const pollMs = 1;

  test('is asked once to end, and waited for', async () => {
    const log: string[] = [];
    let looks = 0;
    const other = { ask: async () => void log.push('stop'), close: async () => undefined };
    await takeOver({
      find: async () => (++looks < 4 ? other : undefined),
      listen: async () => void log.push('listen'),
      pollMs,
    });
    expect(log).toEqual(['stop', 'listen']);
  });

  test('that comes between our look and our try is asked as well', async () => {
    const log: string[] = [];
    const other = { ask: async () => void log.push('stop'), close: async () => undefined };
    const found = [undefined, other, undefined];
    let tries = 0;
    await takeOver({
      find: async () => found.shift(),
      listen: async () => {
        if (++tries === 1) throw new AppError('already_running', 'There is one.');
      },
      pollMs,
    });
    expect([tries, log]).toEqual([2, ['stop']]);
  });

  test('that does not end is told of, with what to do', async () => {
    const other = { ask: async () => undefined, close: async () => undefined };
    const taking = takeOver({ find: async () => other, listen: async () => undefined, pollMs, patienceMs: 20 });
    const error = await taking.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'already_running' });
    expect((error as AppError).fix).toContain('serve');
  });
});

describe('updates', () => {
  function updating(setting: 'off' | 'notify' | 'install') {
    const found: string[] = [];
    let looks = 0;
    const listeners = new Map<string, (info: { version: string }) => void>();
    const updater = {
      autoDownload: true,
      autoInstallOnAppQuit: true,
      allowDowngrade: true,
      on: (event: string, listener: never) => listeners.set(event, listener),
      checkForUpdates: async () => ++looks,
      quitAndInstall: () => undefined,
    } as unknown as Updater;
    const updates = new Updates({
      updater,
      setting: () => setting,
      onError: () => undefined,
      onFound: (version, ready) => found.push(`${version} ${ready}`),
    });
    return { updates, updater, found, listeners, looks: () => looks };
  }

  test('switched off, nobody is asked', async () => {
    const { updates, looks } = updating('off');
    await updates.look();
    expect(looks()).toBe(0);
  });

  test('are fetched and installed only where the person said so', async () => {
    const told = updating('notify');
    await told.updates.look();
    expect(told.updater).toMatchObject({ autoDownload: false, autoInstallOnAppQuit: false, allowDowngrade: false });
    const installed = updating('install');
    await installed.updates.look();
    expect(installed.updater).toMatchObject({ autoDownload: true, autoInstallOnAppQuit: true });
  });

  test('are told of, and whether a restart is all that is missing', () => {
    const { listeners, found } = updating('notify');
    listeners.get('update-available')?.({ version: '2.0.0' });
    listeners.get('update-downloaded')?.({ version: '2.0.0' });
    expect(found).toEqual(['2.0.0 false', '2.0.0 true']);
  });
});

describe('waking up', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function watching(addresses: () => string) {
    let wakes = 0;
    const resume: (() => void)[] = [];
    const monitor = { on: (_event: string, listener: () => void) => resume.push(listener) };
    const stop = watchWake({ monitor, onWake: () => wakes++, addresses });
    return { wakes: () => wakes, resume: () => resume.forEach((tell) => tell()), stop };
  }

  test('gives the network a moment, then tells', () => {
    const { wakes, resume, stop } = watching(() => '10.0.0.2');
    resume();
    expect(wakes()).toBe(0);
    vi.advanceTimersByTime(3_000);
    expect(wakes()).toBe(1);
    stop();
  });

  test('a new network is told, a lost one is not', () => {
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

  test('goes nowhere but the dashboard, in none of its frames', () => {
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

  test('opens no window; links of ours go to the browser, and only to the web', () => {
    const { open, opened } = guarded();
    const urls = ['https://example.com/', 'file:///etc/passwd', 'javascript:alert(1)'];
    expect(urls.map(open)).toEqual(urls.map(() => ({ action: 'deny' })));
    expect(opened).toEqual(['https://example.com/']);
  });

  test('gets none of the machine\u2019s devices, but may copy', () => {
    const { permissions } = guarded();
    const answers: boolean[] = [];
    for (const permission of ['media', 'geolocation', 'openExternal', 'clipboard-sanitized-write']) {
      permissions.ask?.(null, permission, (may) => answers.push(may));
    }
    expect(answers).toEqual([false, false, false, true]);
    expect(permissions.check?.(null, 'hid')).toBe(false);
  });
});

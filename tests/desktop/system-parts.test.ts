/** What the app shows through the system: tray, application menu, and notifications, with recorders in place of Electron's. */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import type { MenuItemConstructorOptions } from 'electron';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { appMenu } from '../../src-main/desktop/app-menu.ts';
import type { AppState } from '../../src-main/rpc/contract.ts';
import { notes, support, trays } from './electron-recorder.ts';

const url = new URL('electron-recorder.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url, shortCircuit: true } : next(specifier, context),
});
// After the hook, which decides what they import.
const { AppTray } = await import('../../src-main/desktop/app-tray.ts');
const { Notices } = await import('../../src-main/desktop/attention-notifications.ts');

beforeEach(() => {
  trays.length = 0;
  notes.length = 0;
  support.hasNotifications = true;
});

describe('the tray', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function open(platform: NodeJS.Platform) {
    const tray = new AppTray(
      { state: {}, update: undefined },
      { icons: '/icons', platform, onAction: () => undefined },
    );
    const [made] = trays;
    const show = (state: Partial<AppState>): void => {
      tray.update({ state, update: undefined });
      vi.advanceTimersByTime(1_000);
    };
    return { menus: made?.menus ?? [], words: made?.words ?? [], show };
  }
  const saved = (tokens: number): Partial<AppState> =>
    ({
      servers: [],
      savings: { periods: { today: { net: tokens, estimatedShare: 0 } } },
    }) as unknown as Partial<AppState>;
  const paused = (isPaused: boolean): Partial<AppState> =>
    ({ servers: [], core: { paused: isPaused } }) as unknown as Partial<AppState>;

  test('has an icon with several sizes and a lasting ID on Windows', () => {
    expect(open('win32').words).toEqual([
      join('/icons', 'normal.ico'),
      expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-/),
    ]);
    trays.length = 0;
    expect(open('linux').words).toEqual([join('/icons', 'normal-linux.png')]);
  });

  test('does not replace a menu that is open, and catches up when it closes', () => {
    const { menus, show } = open('darwin');
    show(paused(false));
    const before = menus.length;
    menus.at(-1)?.emit('menu-will-show');
    show(paused(true));
    expect(menus.length).toBe(before);
    menus.at(-1)?.emit('menu-will-close');
    vi.advanceTimersByTime(1_000);
    expect(menus.length).toBe(before + 1);
  });

  test.each([
    ['linux', [1, 1, 2]],
    ['darwin', [1, 2, 3]],
  ] as const)(
    'shows new savings at most once a minute on Linux, where nothing says that a menu is open: %s',
    (platform, counts) => {
      const { menus, show } = open(platform);
      show(saved(1_000));
      const first = menus.length - 1;
      const seen = [menus.length - first];
      show(saved(2_000));
      seen.push(menus.length - first);
      vi.advanceTimersByTime(60_000);
      show(saved(3_000));
      seen.push(menus.length - first);
      expect(seen).toEqual(counts);
    },
  );
});

describe('the application menu', () => {
  const actions = {
    openSettings: () => undefined,
    installCommand: () => undefined,
    disconnect: () => undefined,
    quitUntilStarted: () => undefined,
  };
  const items = (platform: NodeJS.Platform, env = {}): MenuItemConstructorOptions[] =>
    appMenu({ platform, env }, actions).flatMap(({ submenu }) => (submenu ?? []) as MenuItemConstructorOptions[]);
  const ids = (platform: NodeJS.Platform, env = {}): unknown[] => items(platform, env).map(({ id }) => id);

  test.each(['linux', 'darwin', 'win32'] as const)('has a way to quit, also without a tray: %s', (platform) => {
    expect(items(platform).some(({ role }) => role === 'quit')).toBe(true);
    expect(ids(platform)).toEqual(expect.arrayContaining(['quit-until-started', 'disconnect']));
  });

  test('installs the command where no package brings it along', () => {
    const has = [ids('darwin'), ids('win32'), ids('linux', { APPIMAGE: '/a' }), ids('linux')];
    expect(has.map((one) => one.includes('install-command'))).toEqual([true, true, true, false]);
  });
});

describe('a system notification', () => {
  function show() {
    const log: string[] = [];
    new Notices().show('Title', 'Body', {
      onClick: () => log.push('click'),
      onFailed: () => log.push('failed'),
      actions: [{ text: 'Undo', onClick: () => log.push('undo') }],
    });
    return { log, note: notes.at(-1) };
  }

  test.each([
    ['click', {}, ['click']],
    ['action', { actionIndex: 0 }, ['undo']],
    ['failed', {}, ['failed']],
    ['close', {}, []],
  ] as const)('does what %s stands for, once', (event, details, expected) => {
    const { log, note } = show();
    note?.emit(event, details);
    note?.emit('click', {});
    expect(log).toEqual(expected);
  });

  test('fails at once on a system without notifications', () => {
    support.hasNotifications = false;
    expect(show()).toEqual({ log: ['failed'], note: undefined });
  });
});

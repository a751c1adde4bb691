/** The tray's menu: its texts and actions, for every state of the core. */
import { describe, expect, test } from 'vitest';
import type { AppState, AttentionItem } from '../../src-main/rpc/contract.ts';
import { runTrayAction, type ActDeps } from '../../src-main/desktop/desktop-app.ts';
import { toLabel, toShortNumber, type TrayMenu, trayMenu, type TrayRow } from '../../src-main/desktop/tray-menu.ts';
import { trayIcon, trayIconFile } from '../../src-main/desktop/app-tray.ts';

/** Slices with the members that the menu reads. */
function stateWith(slices: { readonly [S in keyof AppState]?: unknown }): Partial<AppState> {
  return slices as Partial<AppState>;
}

function item(server: string | undefined, kind: AttentionItem['action']['kind'], label: string): AttentionItem {
  return { id: `${server} ${kind}`, sentence: 'Line 3: a comma is missing.', server, action: { kind, label } };
}

const enabled = { enabled: true };
const saved = (net: number, estimatedShare = 0): unknown => ({ periods: { today: { net, estimatedShare } } });
const modes = {
  mode: 'search',
  modes: [
    { name: 'auto', line: 'whatever costs least' },
    { name: 'search', line: 'two tools & a search' },
  ],
};

function labels(menu: TrayMenu): string[] {
  return menu.map((row) => (row === 'separator' ? '—' : row.label));
}

function row(menu: TrayMenu, id: string): TrayRow | undefined {
  return menu.find((one): one is TrayRow => one !== 'separator' && one.id === id);
}

function menuOf(slices: Parameters<typeof stateWith>[0], version?: string): TrayMenu {
  const update = version === undefined ? undefined : { version, isReady: true, refusal: undefined };
  return trayMenu({ state: stateWith(slices), update });
}

describe('the first row', () => {
  const first = (slices: Parameters<typeof stateWith>[0]): string | undefined => labels(menuOf(slices))[0];

  test('reports that Tooltray is starting until the servers are known', () => {
    expect(first({})).toBe('Tooltray is starting…');
  });

  test('shows the number of enabled servers and the tokens saved today', () => {
    const servers = [enabled, enabled, { enabled: false }];
    expect(first({ servers, savings: saved(184_321) })).toBe('2 servers · 184.3k tokens saved today');
  });

  test('says "about" where part of the number is an estimate', () => {
    expect(first({ servers: [enabled], savings: saved(1200, 0.2) })).toBe('1 server · about 1.2k tokens saved today');
  });

  test('shows no savings where nothing was saved, or less than nothing', () => {
    expect(first({ servers: [], savings: saved(0) })).toBe('0 servers');
    expect(first({ servers: [], savings: saved(-500) })).toBe('0 servers');
  });

  test('shows that all is paused instead of the savings', () => {
    expect(first({ core: { paused: true }, servers: [enabled], savings: saved(9) })).toBe('Paused · 1 server');
  });
});

test('shows only the window, settings and quit rows before the state is known', () => {
  expect(labels(menuOf({}))).toEqual([
    'Tooltray is starting…',
    '—',
    'Open Dashboard',
    '—',
    'Settings…',
    'Quit Tooltray',
    'Quit until I start it',
  ]);
});

test('shows all rows in the order of urgency', () => {
  const attention = [item('github', 'sign-in', 'Sign in')];
  const setup = { apps: [{ installed: true, connected: 'no' }] };
  const menu = menuOf({ core: { paused: false }, servers: [enabled], attention, modes, setup }, '2.0.0');
  expect(labels(menu)).toEqual([
    '1 server',
    'Fix: github — sign in…',
    '—',
    'Open Dashboard',
    'Mode',
    'Pause all',
    'Connect an app…',
    '—',
    'Restart to update to 2.0.0',
    'Settings…',
    'Quit Tooltray',
    'Quit until I start it',
  ]);
});

test('installs into Claude Desktop with one click, and into other apps in the dashboard', () => {
  const app = (id: string, more: object = {}): object => ({
    ...{ id, name: id, installed: true, connected: 'no', problem: '', revoked: false },
    ...more,
  });
  const idsOf = (...apps: object[]): string[] =>
    menuOf({ setup: { apps } }).flatMap((one) => (one === 'separator' ? [] : one.id));
  expect(row(menuOf({ setup: { apps: [app('claude-desktop')] } }), 'install')?.action).toEqual({
    kind: 'install',
    app: 'claude-desktop',
  });
  expect(idsOf(app('claude-desktop'))).not.toContain('connect');
  expect(idsOf(app('claude-desktop'), app('cursor'))).toEqual(expect.arrayContaining(['install', 'connect']));
  // A stale entry, an unreadable file, and a revoked access are handled in the dashboard.
  for (const more of [{ connected: 'stale' }, { problem: 'not readable' }, { revoked: true }]) {
    expect(idsOf(app('claude-desktop', more))).not.toContain('install');
    expect(idsOf(app('claude-desktop', more))).toContain('connect');
  }
  expect(idsOf(app('claude-desktop', { connected: 'yes' }))).not.toContain('install');
});

describe('rows of problems', () => {
  const fixes = (...attention: AttentionItem[]): string[] =>
    labels(menuOf({ attention })).filter((label) => label.startsWith('Fix:'));

  test('shows at most three problems', () => {
    const many = ['a', 'b', 'c', 'd'].map((server) => item(server, 'retry', 'Try again'));
    expect(fixes(...many)).toEqual(['Fix: a — try again', 'Fix: b — try again', 'Fix: c — try again']);
  });

  test('shows the problem’s sentence where no server causes it', () => {
    expect(fixes(item(undefined, 'open-config', 'Open config file'))).toEqual([
      'Fix: Line 3: a comma is missing. — open config file…',
    ]);
  });

  test('omits problems that have a row of their own', () => {
    const inbox = [item('a', 'heal', 'Decide'), item(undefined, 'decide', 'Decide')];
    expect(fixes(item(undefined, 'resume', 'Resume'), item(undefined, 'connect-app', 'Mend'), ...inbox)).toEqual([]);
  });
});

test('counts inbox items in a row that opens the inbox, and has no row without any', () => {
  expect(row(menuOf({ inbox: [{}, {}, {}] }), 'inbox')).toEqual({
    id: 'inbox',
    label: 'Inbox: 3 decisions for you…',
    action: { kind: 'open', place: 'inbox' },
  });
  expect(row(menuOf({ inbox: [] }), 'inbox')).toBeUndefined();
});

test('checks the current mode, and describes each mode', () => {
  expect(row(menuOf({ modes }), 'mode')?.rows).toEqual([
    { id: 'mode-auto', label: 'Auto — whatever costs least', action: { kind: 'mode', mode: 'auto' }, chosen: false },
    {
      id: 'mode-search',
      label: 'Search — two tools && a search',
      action: { kind: 'mode', mode: 'search' },
      chosen: true,
    },
  ]);
});

test('shows Resume while paused, and Pause all otherwise', () => {
  const pause = (paused: boolean): TrayRow | undefined => row(menuOf({ core: { paused } }), 'pause');
  expect(pause(false)).toEqual({ id: 'pause', label: 'Pause all', action: { kind: 'pause', paused: true } });
  expect(pause(true)).toEqual({ id: 'pause', label: 'Resume', action: { kind: 'pause', paused: false } });
});

test('offers to connect an app while an installed one is not connected', () => {
  const offered = (...apps: object[]): boolean => row(menuOf({ setup: { apps } }), 'connect') !== undefined;
  expect(offered({ installed: true, connected: 'yes' }, { installed: false, connected: 'no' })).toBe(false);
  expect(offered({ installed: true, connected: 'stale' })).toBe(true);
});

test('removes control characters from labels and limits their length', () => {
  expect(toLabel('a\u0007b\n\u202Ec & d')).toBe('a b c && d');
  expect([...toLabel('😀'.repeat(100))]).toHaveLength(70);
});

test('shortens numbers', () => {
  expect([12, 1_234, 999_950, 2_500_000].map(toShortNumber)).toEqual(['12', '1.2k', '1M', '2.5M']);
});

describe('the icon', () => {
  test('shows a pause first, then a problem that needs the user, else the normal state', () => {
    const attention = [item('a', 'sign-in', 'Sign in')];
    expect(trayIcon(stateWith({ core: { paused: true }, attention }))).toBe('paused');
    expect(trayIcon(stateWith({ core: { paused: false }, attention }))).toBe('attention');
    expect(trayIcon(stateWith({ attention: [item(undefined, 'connect-app', 'Mend')] }))).toBe('normal');
    expect(trayIcon({})).toBe('normal');
  });

  test('is a template image on macOS, and large on Linux, where panels shrink it', () => {
    const files = (['darwin', 'linux', 'win32'] as const).map((one) => trayIconFile('/i', 'paused', one));
    expect(files).toEqual(['/i/pausedTemplate.png', '/i/paused-linux.png', '/i/paused.ico']);
  });
});

describe('a click', () => {
  async function done(action: Parameters<typeof runTrayAction>[0]): Promise<string[]> {
    const log: string[] = [];
    const deps: ActDeps = {
      ask: async (method, input) => {
        log.push(`${method} ${JSON.stringify(input)}`);
        return { url: 'https://sign.in' } as never;
      },
      openDashboard: (place) => void log.push(`open ${place}`),
      openBrowser: async (url) => void log.push(`browser ${url}`),
      restartToUpdate: async () => void log.push('restart'),
      reportInstall: (outcome) => void log.push(`installed ${outcome.undo}`),
      quit: () => void log.push('quit'),
      quitUntilStarted: async () => void log.push('quit until started'),
    };
    await runTrayAction(action, deps);
    return log;
  }
  const fixing = (...given: Parameters<typeof item>): Promise<string[]> => done({ kind: 'fix', item: item(...given) });

  test('sets the mode, or pauses', async () => {
    expect(await done({ kind: 'mode', mode: 'code' })).toEqual(['setMode {"mode":"code"}']);
    expect(await done({ kind: 'pause', paused: true })).toEqual(['setPaused {"paused":true}']);
  });

  test('fixes a problem, where that needs no more than a click', async () => {
    expect(await fixing('git hub', 'sign-in', '')).toEqual(['signIn {"server":"git hub"}', 'browser https://sign.in']);
    expect(await fixing('a', 'retry', '')).toEqual(['restart {"server":"a"}']);
    expect(await fixing('a', 'enable', '')).toEqual(['setServerEnabled {"server":"a","enabled":true}']);
  });

  test('opens the view where the problem can be fixed', async () => {
    expect(await fixing('git hub', 'view-log', '')).toEqual(['open servers/git%20hub/log']);
    expect(await fixing('a', 'edit-config', '')).toEqual(['open servers/a/config']);
    const waiting = { ...item(undefined, 'decide', ''), id: 'inbox-1a2b3c' };
    expect(await done({ kind: 'fix', item: waiting })).toEqual(['open inbox/1a2b3c']);
    // A launch from another app is never approved by a click in a menu.
    expect(await fixing('git hub', 'heal', '')).toEqual(['open inbox/server/git%20hub']);
    expect(await fixing(undefined, 'open-config', '')).toEqual(['reveal {"what":"config"}']);
  });
});

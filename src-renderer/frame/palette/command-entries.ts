/** The available commands, named like the buttons of the pages. Pure. */
import type { AppRow, ModesOverview, ServerRow, SessionStatus, SettingsFacts } from '../../../src-main/rpc/contract.ts';
import type { Slices } from '../../lib/app-state.svelte.ts';
import { hrefTo } from '../../lib/addresses.ts';
import { modeName } from '../../lib/format.ts';
import { helpKey } from '../../lib/keys.ts';
import { isRunning, restartWord } from '../../views/servers/server-words.ts';
import { modeCost } from '../../views/settings/settings-words.ts';
import type { PaletteEntry } from './palette-entry.ts';
import type { PaletteCommand } from './run-command.ts';

type Facts = Pick<Slices, 'core' | 'servers' | 'sessions' | 'setup' | 'modes' | 'team'>;

interface PageFacts {
  /** The theme that is shown. */
  readonly theme: Theme;
  /** What the last change that can be undone was; undefined if there is none. */
  readonly undo: string | undefined;
}

type Theme = SettingsFacts['theme'];
const themes: readonly Theme[] = ['system', 'light', 'dark'];

/** Commands shown before anything is typed come first. */
export function commandEntries(facts: Facts, { theme: shown, undo }: PageFacts): PaletteEntry[] {
  const { core, servers, sessions, setup, modes, team } = facts;
  const help = { ...does('help', 'Keyboard shortcuts', '', { does: 'help' }), keys: [helpKey.shown] };
  const exports = [
    does('export/csv', 'Export all calls (CSV)', 'Activity', { does: 'export', format: 'csv' }),
    does('export/json', 'Export all calls (JSON)', 'Activity', { does: 'export', format: 'json' }),
  ];
  const ofTheme = themes.map((theme) => {
    const detail = theme === shown ? 'Current' : `Now ${modeName(shown)}`;
    return does(`theme/${theme}`, `Theme: ${modeName(theme)}`, detail, { does: 'theme', theme });
  });
  const undone = undo === undefined ? [] : [does('undo', 'Undo last change', undo, { does: 'undo' })];
  // The rest concerns a single user's servers and apps.
  if (team !== null && team !== undefined) return [...undone, help, ...ofTheme, ...exports];
  return [
    ...undone,
    ...(servers ?? []).flatMap(secretCommands),
    ...(core === undefined ? [] : [pauseEntry(core.paused)]),
    leads(
      'add',
      'Add a server',
      'From your apps, a registry, a snippet, or a form',
      hrefTo('servers', [], { add: 'apps' }),
    ),
    help,
    leads('add/registry', 'Add a server from a registry', '', hrefTo('servers', [], { add: 'registry' })),
    leads('add/paste', 'Add a server from a pasted snippet', '', hrefTo('servers', [], { add: 'paste' })),
    leads('add/form', 'Add a server with a form', '', hrefTo('servers', [], { add: 'form' })),
    ...exports,
    ...ofTheme,
    ...(servers ?? []).flatMap(serverCommands),
    ...(setup?.apps ?? []).flatMap(appCommands),
    ...servedApps(sessions ?? []),
    ...(modes === undefined ? [] : modeCommands(modes)),
  ];
}

/** The row of the server has the field for the value. */
function secretCommands({ name, action }: ServerRow): PaletteEntry[] {
  if (action?.kind !== 'add-secret' || action.secret === undefined) return [];
  const label = `Set ${action.secret}…`;
  return [leads(`secret/${name}`, label, `${name} needs a value`, hrefTo('servers', [name]), 'secret value')];
}

function pauseEntry(paused: boolean): PaletteEntry {
  const [label, detail] = paused ? ['Resume all', 'Resume all servers'] : ['Pause all', 'Reject calls to every server'];
  return does('pause', label, detail, { does: 'pause', paused: !paused });
}

function serverCommands(server: ServerRow): PaletteEntry[] {
  const { name, enabled, action, signedIn } = server;
  const on = (id: string, verb: string, detail: string, command: PaletteCommand): PaletteEntry =>
    does(`${id}/${name}`, `${verb} ${name}`, detail, command);
  const isOffered = action?.kind === 'retry';
  return [
    // The suggested fix comes first; restart is not offered twice.
    ...(action === undefined || action.kind === 'add-secret'
      ? []
      : [
          on('mend', `${action.label}:`, server.summary, {
            does: 'mend',
            server: name,
            action: action.kind,
            ...(action.clears !== undefined && { clears: action.clears }),
          }),
        ]),
    ...(enabled && !isOffered ? [on('restart', restartWord(server), '', { does: 'restart', server: name })] : []),
    ...(enabled && isRunning(server)
      ? [on('stop', 'Stop', 'Starts again on the next call', { does: 'stop', server: name })]
      : []),
    ...(action?.kind === 'enable'
      ? []
      : [on('switch', enabled ? 'Disable' : 'Enable', '', { does: 'switch', server: name, on: !enabled })]),
    ...(signedIn === undefined
      ? []
      : [on('sign-out', 'Sign out of', signedIn.account, { does: 'sign-out', server: name })]),
    leads(`log/${name}`, `${name}: log`, '', hrefTo('servers', [name, 'log'])),
    leads(
      `config/${name}`,
      `${name}: configuration`,
      'Edit, test',
      hrefTo('servers', [name, 'config']),
      'config edit test',
    ),
    ...(server.transport === 'builtin'
      ? []
      : [
          leads(
            `remove/${name}`,
            `Remove ${name}…`,
            'Asks for confirmation',
            hrefTo('servers', [name, 'config'], { remove: '' }),
          ),
        ]),
  ];
}

/** Each shows the change of the app's file before anything is written. */
function appCommands({ id, name, connected, problem }: AppRow): PaletteEntry[] {
  if (problem !== '') return [];
  const sheet = (...wish: string[]): string => hrefTo('setup', ['apps', id, ...wish]);
  if (connected === 'yes')
    return [leads(`disconnect/${id}`, `Disconnect ${name}…`, 'Previews the change', sheet('disconnect'))];
  const verb = connected === 'stale' ? 'Reconnect' : 'Connect';
  return [leads(`connect/${id}`, `${verb} ${name}…`, 'Previews the change', sheet('connect'))];
}

/** Each connected app once. */
function servedApps(sessions: readonly SessionStatus[]): PaletteEntry[] {
  const names = new Map(sessions.map(({ app, appName }) => [app, appName]));
  return [...names].map(([app, name]) =>
    leads(
      `served/${app}`,
      `${name}: app settings…`,
      'Mode and result limit for this app',
      hrefTo('activity', ['sessions', 'all'], { served: app }),
      'mode limit',
    ),
  );
}

function modeCommands({ mode: before, modes }: ModesOverview): PaletteEntry[] {
  return modes.flatMap((card) => {
    const { name: mode } = card;
    if (mode === before) return [];
    const detail = `Default for all apps. ${modeCost(card)}`;
    return does(`mode/${mode}`, `Use ${modeName(mode)} mode`, detail, { does: 'mode', mode, before });
  });
}

function does(id: string, label: string, detail: string, command: PaletteCommand): PaletteEntry {
  return { id: `command/${id}`, kind: 'command', label, detail, target: { command } };
}

function leads(id: string, label: string, detail: string, href: string, words = ''): PaletteEntry {
  return { id: `command/${id}`, kind: 'command', label, detail, words, target: { href } };
}

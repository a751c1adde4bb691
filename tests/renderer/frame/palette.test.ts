/** The palette: its entries, how they match the input, and that no command skips a page's confirmation. */
import { describe, expect, test } from 'vitest';
import type { AppRow, ModesOverview } from '../../../src-main/rpc/contract.ts';
import { commandEntries } from '../../../src-renderer/frame/palette/command-entries.ts';
import { type PaletteEntry, serverEntries, viewEntries } from '../../../src-renderer/frame/palette/palette-entry.ts';
import { views } from '../../../src-renderer/lib/addresses.ts';
import { firstEntries, rankEntries } from '../../../src-renderer/frame/palette/rank-entries.ts';
import { settingEntries } from '../../../src-renderer/frame/palette/setting-entries.ts';
import { serverRow, session } from '../rows.ts';

const servers = [
  serverRow('github'),
  serverRow('tracker', { state: 'disconnected', level: 'off', summary: 'Idle' }),
  serverRow('gone', { enabled: false, state: 'disabled', level: 'off', summary: 'Off' }),
  serverRow('locked', {
    state: 'pending-sign-in',
    level: 'attention',
    summary: 'Needs sign-in',
    action: { kind: 'sign-in', label: 'Sign in' },
  }),
];
const modes: ModesOverview = {
  mode: 'search',
  modes: ['auto', 'search', 'proxy'].map((name) => ({ name, line: '', tools: 3, tokens: 40, reason: undefined })),
};
const facts = { core: undefined, servers, sessions: undefined, setup: undefined, modes, team: null };
const page = { theme: 'dark', undo: undefined } as const;
const known = [...viewEntries(views), ...serverEntries(servers), ...commandEntries(facts, page), ...settingEntries()];

function labels(typed: string, found: readonly PaletteEntry[] = []): Record<string, readonly string[]> {
  const groups = rankEntries(typed, known, found);
  return Object.fromEntries(groups.map(({ title, entries }) => [title, entries.map(({ label }) => label)]));
}

describe('commands', () => {
  const all = commandEntries(facts, page);
  const of = (server: string): readonly string[] =>
    all.filter(({ id }) => id.endsWith(`/${server}`)).map(({ label }) => label);

  test('a server has the commands of its own page', () => {
    expect(of('github')).toEqual([
      ...['Restart github', 'Stop github', 'Disable github', 'github: log', 'github: configuration', 'Remove github…'],
    ]);
    expect(of('tracker').slice(0, 2)).toEqual(['Start tracker', 'Disable tracker']);
    expect(of('gone')[0]).toBe('Enable gone');
    expect(of('locked')[0]).toBe('Sign in: locked');
  });

  test('a command that asks for confirmation opens its page instead of running', () => {
    const app = { id: 'cursor', name: 'Cursor', connected: 'yes', problem: '' } as unknown as AppRow;
    const withApp = commandEntries(
      {
        ...facts,
        setup: { apps: [app], offered: 0, firstCall: undefined, open: 0, tests: [] },
      },
      page,
    );
    const asking = withApp.filter(({ label }) => label.endsWith('…'));
    expect(asking.map(({ label }) => label)).toContain('Disconnect Cursor…');
    expect(asking.map(({ label }) => label)).toContain('Remove github…');
    expect(asking.filter(({ target }) => !('href' in target))).toEqual([]);
  });

  test('offers each connected app’s page once, however many sessions it has', () => {
    const sessions = [session('1', 'cursor'), session('2', 'cursor'), session('3', 'zed')];
    const served = commandEntries({ ...facts, sessions }, page).filter(({ id }) => id.startsWith('command/served/'));
    expect(served.map(({ target }) => target)).toEqual([
      { href: '#/activity/sessions/all?served=cursor' },
      { href: '#/activity/sessions/all?served=zed' },
    ]);
  });

  test('omits the current mode from the modes to choose', () => {
    expect(all.filter(({ id }) => id.startsWith('command/mode/')).map(({ label }) => label)).toEqual([
      'Use Auto mode',
      'Use Proxy mode',
    ]);
  });

  test('shows the state that a command changes', () => {
    const themes = all.filter(({ id }) => id.startsWith('command/theme/'));
    expect(themes.map(({ label, detail }) => [label, detail])).toEqual([
      ['Theme: System', 'Now Dark'],
      ['Theme: Light', 'Now Dark'],
      ['Theme: Dark', 'Current'],
    ]);
    const [undo] = commandEntries(facts, { ...page, undo: 'Spill deleted.' });
    expect(undo).toMatchObject({ label: 'Undo last change', detail: 'Spill deleted.' });
    expect(all.map(({ id }) => id)).not.toContain('command/undo');
  });

  test('leads to the field of a missing secret', () => {
    const action = { kind: 'add-secret', label: 'Set value', secret: 'GITHUB_TOKEN' } as const;
    const missing = serverRow('gh', { state: 'disconnected', level: 'attention', summary: 'Needs a value', action });
    const own = commandEntries({ ...facts, servers: [missing] }, page);
    expect(own.find(({ label }) => label === 'Set GITHUB_TOKEN…')?.target).toEqual({ href: '#/servers/gh' });
    expect(own.map(({ id }) => id)).not.toContain('command/mend/gh');
  });

  test('each entry has a unique id', () => {
    expect(new Set(known.map(({ id }) => id)).size).toBe(known.length);
  });
});

describe('matches', () => {
  test('contain every word, in any order and case', () => {
    expect(labels('GIT restart')).toEqual({ Commands: ['Restart github'] });
    expect(labels('restart nothing')).toEqual({});
  });

  test('list the group with the best match first: names before details', () => {
    expect(Object.keys(labels('secrets'))[0]).toBe('Settings');
    expect(labels('secrets')['Settings']).toEqual(['Secrets']);
    expect(Object.keys(labels('tracker'))[0]).toBe('Servers');
    expect(Object.keys(labels('overview'))[0]).toBe('Views');
  });

  test('list the core’s results last, in the core’s order', () => {
    const tool = (label: string): PaletteEntry => ({
      id: `tool/github/${label}`,
      kind: 'tool',
      label,
      server: 'github',
      detail: '',
      target: { href: `#/servers/github/run/${label}` },
    });
    const found = labels('github', [tool('zebra'), tool('ant')]);
    expect(Object.keys(found).at(-1)).toBe('Run a tool');
    expect(found['Run a tool']).toEqual(['zebra', 'ant']);
  });

  test('before any input, list recent choices first and not a second time', () => {
    const recent = known.filter(({ id }) => id === 'view/spills' || id === 'server/github');
    const [first, ...others] = firstEntries(recent, known);
    expect(first?.title).toBe('Recent');
    expect(first?.entries).toEqual(recent);
    expect(others.flatMap(({ entries }) => entries).filter(({ id }) => id === 'view/spills')).toEqual([]);
    expect(others.map(({ title }) => title)).toEqual(['Views', 'Commands']);
  });
});

/** Entries of the palette: places to go to and commands. Types, and the entries of places. */
import type { CallSummary, FoundTool, Snippet, SpillRow, TimelineSession } from '../../../src-main/rpc/contract.ts';
import type { Slices } from '../../lib/app-state.svelte.ts';
import { bytes, count, modeName, moment } from '../../lib/format.ts';
import { keysOfView } from '../../lib/keys.ts';
import { homeOf, hrefTo, type View, viewNames } from '../../lib/addresses.ts';
import type { PaletteCommand } from './run-command.ts';

/** Kinds of entries, in the order used for equal ranks. */
export const entryKinds = ['view', 'server', 'command', 'setting', 'tool', 'session', 'call', 'spill'] as const;
export type EntryKind = (typeof entryKinds)[number];

export const kindTitles: Readonly<Record<EntryKind, string>> = {
  view: 'Views',
  server: 'Servers',
  command: 'Commands',
  setting: 'Settings',
  tool: 'Run a tool',
  session: 'Sessions',
  call: 'Calls',
  spill: 'Spills',
};

export interface PaletteEntry {
  /** Stable for the same meaning. */
  readonly id: string;
  readonly kind: EntryKind;
  readonly label: string;
  /** For a tool: its server, shown before the label. */
  readonly server?: string;
  /** The argument that identifies a call or a spill, or what was found in its payloads. */
  readonly preview?: string;
  readonly snippet?: Snippet | undefined;
  /** Secondary text; may be empty. */
  readonly detail: string;
  /** Additional search words. */
  readonly words?: string;
  /** Pressed in sequence. */
  readonly keys?: readonly string[];
  readonly target: { readonly href: string } | { readonly command: PaletteCommand };
}

/** `views`: in the order of the sidebar. */
export function viewEntries(views: readonly View[]): PaletteEntry[] {
  const main = views.map((view): PaletteEntry => ({
    id: `view/${view}`,
    kind: 'view',
    label: viewNames[view],
    detail: '',
    keys: keysOfView(view),
    target: { href: hrefTo(view, homeOf(view)) },
  }));
  const parts = [
    { id: 'calls', label: 'All calls', detail: 'Activity: calls of all sessions', href: ['activity'] },
    { id: 'decided', label: 'History', detail: 'Inbox: past decisions', href: ['inbox', 'history'] },
    { id: 'apps', label: 'AI apps', detail: 'Apps: connect or disconnect', href: ['setup', 'apps'] },
    { id: 'import', label: 'Import servers', detail: 'Apps: from your apps', href: ['setup', 'servers'] },
  ] as const;
  return [
    ...main,
    // Not part of a team's dashboard.
    ...parts
      .filter(() => views.includes('setup'))
      .map(({ id, label, detail, href: [view, ...path] }): PaletteEntry => ({
        id: `view/${id}`,
        kind: 'view',
        label,
        detail,
        words: detail,
        target: { href: hrefTo(view, path) },
      })),
  ];
}

export function serverEntries(servers: Slices['servers']): PaletteEntry[] {
  return (servers ?? []).map(({ name, summary, transport }) => ({
    id: `server/${name}`,
    kind: 'server',
    label: name,
    detail: summary,
    words: `${summary} ${transport}`,
    target: { href: hrefTo('servers', [name]) },
  }));
}

export interface FoundThings {
  readonly tools: readonly FoundTool[];
  readonly sessions: readonly TimelineSession[];
  readonly calls: readonly CallSummary[];
  readonly spills: readonly SpillRow[];
}

export function foundEntries({ tools, sessions, calls, spills }: FoundThings, now: number): PaletteEntry[] {
  return [
    ...tools.map(({ server, tool, description }): PaletteEntry => ({
      id: `tool/${server}/${tool}`,
      kind: 'tool',
      label: tool,
      server,
      detail: description,
      target: { href: hrefTo('servers', [server, 'run', tool]) },
    })),
    ...sessions.map(({ id, appName, mode, from, steps, isLive }): PaletteEntry => ({
      id: `session/${id}`,
      kind: 'session',
      label: appName,
      detail: `${isLive ? 'active, ' : ''}${modeName(mode)} mode, ${moment(from, now, true)}, ${count(steps, 'step')}`,
      target: { href: hrefTo('activity', ['sessions', id]) },
    })),
    ...calls.map(({ id, server, tool, preview, snippet, appName, at }): PaletteEntry => ({
      id: `call/${id}`,
      kind: 'call',
      label: tool,
      server,
      preview,
      snippet,
      detail: `${appName}, ${moment(at, now, true)}`,
      target: { href: hrefTo('activity', [String(id)]) },
    })),
    ...spills.map(({ id, server, tool, preview, bytes: size, app, at }): PaletteEntry => ({
      id: `spill/${id}`,
      kind: 'spill',
      label: tool,
      server,
      preview,
      detail: `${bytes(size)}, ${app}, ${moment(at, now, true)}`,
      target: { href: hrefTo('spills', [id]) },
    })),
  ];
}

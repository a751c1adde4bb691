/** The subtitle of a view: a short summary of its contents. Pure. */
import type { HealthLevel, ServerRow, SessionStatus, SetupFacts } from '../../src-main/rpc/contract.ts';
import type { View } from './addresses.ts';
import type { Slices } from './app-state.svelte.ts';
import { count, list, modeName, whole } from './format.ts';

export type SubtitleFacts = Pick<
  Slices,
  'core' | 'servers' | 'sessions' | 'modes' | 'team' | 'inbox' | 'setup' | 'spills'
>;

/** Empty before the state is known. A pause is always mentioned first, because calls fail until it ends. */
export function subtitleOf(view: View, facts: SubtitleFacts): string {
  return [...(facts.core?.paused === true ? ['Paused'] : []), ...parts(view, facts)].join(' · ');
}

function parts(view: View, facts: SubtitleFacts): readonly string[] {
  const { servers, sessions, modes, team, inbox, setup, spills } = facts;
  switch (view) {
    case 'overview':
      // In a team, only the apps of this replica are known.
      return [
        ...(sessions === undefined || team ? [] : [activeApps(sessions)]),
        ...(modes === undefined ? [] : [`${modeName(modes.mode)} mode`]),
      ];
    case 'activity':
      return sessions === undefined || team ? [] : [activeSessions(sessions.length)];
    case 'servers':
      return servers === undefined ? [] : [formatServers(servers)];
    case 'setup':
      return setup === undefined ? [] : [formatApps(setup)];
    case 'inbox':
      return inbox === undefined ? [] : [inbox.length === 0 ? 'Nothing to review' : `${whole(inbox.length)} to review`];
    case 'spills':
      return spills === undefined ? [] : ['Large results kept on disk'];
    default:
      return [];
  }
}

const levelWords: readonly (readonly [HealthLevel, (many: number) => string])[] = [
  ['ok', () => 'ready'],
  ['busy', () => 'starting'],
  ['attention', (many) => (many === 1 ? 'needs you' : 'need you')],
  ['error', () => 'stopped'],
  ['off', () => 'off'],
];

/** `6 ready, 2 need you and 2 stopped`. */
export function formatServers(servers: readonly ServerRow[]): string {
  if (servers.length === 0) return 'No servers yet';
  return list(
    levelWords.flatMap(([level, words]) => {
      const many = servers.filter((one) => one.level === level).length;
      return many === 0 ? [] : [`${many} ${words(many)}`];
    }),
  );
}

function activeApps(sessions: readonly SessionStatus[]): string {
  const apps = [...new Set(sessions.map(({ appName }) => appName))];
  if (apps.length === 0) return 'No active apps';
  return `${apps.length > 3 ? count(apps.length, 'app') : list(apps)} active`;
}

function activeSessions(many: number): string {
  return many === 0 ? 'No live session' : `${count(many, 'session')} live`;
}

function formatApps({ apps }: SetupFacts): string {
  const connected = apps.filter((app) => app.connected !== 'no').length;
  const found = apps.length - connected;
  return `${connected} connected${found > 0 ? `, ${found} more found` : ''}`;
}

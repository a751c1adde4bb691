/** How things stand, in one sentence for the top of every view. Pure. */
import type { HealthLevel, ServerRow, SessionStatus } from '../../src-main/rpc/contract.ts';
import type { Slices } from './app-state.svelte.ts';
import { count, list } from './format.ts';

export type HeadlineFacts = Pick<Slices, 'core' | 'servers' | 'sessions' | 'modes' | 'team'>;

/** `7 servers healthy · Claude Desktop and Cursor in session · Search mode`. Empty before anything is known. */
export function headline({ core, servers, sessions, modes, team }: HeadlineFacts): string {
  return [
    ...(servers === undefined ? [] : [core?.paused === true ? 'Paused: no server runs' : serversInWords(servers)]),
    // A team's page knows those of its own replica alone: it would say that nobody is there who is at another.
    ...(sessions === undefined || team ? [] : [appsInWords(sessions)]),
    ...(modes === undefined ? [] : [`${modeName(modes.mode)} mode`]),
  ].join(' · ');
}

export function modeName(mode: string): string {
  return mode.charAt(0).toUpperCase() + mode.slice(1);
}

export function serversInWords(servers: readonly ServerRow[]): string {
  if (servers.length === 0) return 'No servers yet';
  const inUse = servers.filter(({ state }) => state !== 'disabled');
  if (inUse.length === 0) return 'All servers switched off';
  const at = (...levels: HealthLevel[]): number => inUse.filter(({ level }) => levels.includes(level)).length;
  const ill = at('error', 'attention');
  if (ill > 0) return `${ill} of ${count(inUse.length, 'server')} ${ill === 1 ? 'needs' : 'need'} attention`;
  return list([
    ...(at('ok') > 0 || at('busy', 'off') === 0 ? [`${count(at('ok'), 'server')} healthy`] : []),
    ...(at('busy') > 0 ? [`${at('busy')} starting`] : []),
    // Switched on but not running: asleep.
    ...(at('off') > 0 ? [`${at('off')} asleep`] : []),
  ]);
}

function appsInWords(sessions: readonly SessionStatus[]): string {
  const apps = [...new Set(sessions.map(({ appName }) => appName))];
  if (apps.length === 0) return 'No app in session';
  return `${apps.length > 3 ? count(apps.length, 'app') : list(apps)} in session`;
}

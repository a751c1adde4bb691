/** The state of the core in words: pure, so that it is tested without a page. */
import type { CoreState, HealthLevel, ServerStatus } from '../../src-main/rpc/contract.ts';

/** The shapes a mark can have, so that colour is never the only difference. */
export type MarkShape = 'disc' | 'half' | 'triangle' | 'cross' | 'ring';

/** Most urgent first. */
const urgency: readonly HealthLevel[] = ['error', 'attention', 'busy', 'ok', 'off'];

const shapes: Readonly<Record<HealthLevel, MarkShape>> = {
  ok: 'disc',
  busy: 'half',
  attention: 'triangle',
  error: 'cross',
  off: 'ring',
};

/** One sentence for the top of the page: `7 servers healthy · 2 sessions · mode search`. */
export function headline(state: CoreState): string {
  return [serversInWords(state.servers), count(state.sessions.length, 'session'), `mode ${state.mode}`].join(' · ');
}

/** Servers that need a person first, those switched off last, alphabetical within. */
export function illFirst(servers: readonly ServerStatus[]): ServerStatus[] {
  const rank = (server: ServerStatus): number => urgency.indexOf(server.level);
  return servers.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

export function markShape(level: HealthLevel): MarkShape {
  return shapes[level];
}

/** `1 session`, `2 sessions`, `1,204 tools`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** A moment (ms since 1970) as the time of day, in the way of the person's own system. */
export function clock(ms: number): string {
  return new Date(ms).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit', second: '2-digit' });
}

function serversInWords(servers: readonly ServerStatus[]): string {
  if (servers.length === 0) return 'No servers yet';
  const inUse = servers.filter((server) => server.state !== 'disabled');
  if (inUse.length === 0) return 'All servers switched off';
  const at = (...levels: HealthLevel[]): number => inUse.filter(({ level }) => levels.includes(level)).length;
  const ill = at('error', 'attention');
  if (ill > 0) return `${ill} of ${count(inUse.length, 'server')} ${ill === 1 ? 'needs' : 'need'} attention`;
  const healthy = `${count(at('ok'), 'server')} healthy`;
  const others = [
    ...(at('busy') > 0 ? [`${at('busy')} starting`] : []),
    // Switched on but not running: asleep.
    ...(at('off') > 0 ? [`${at('off')} asleep`] : []),
  ];
  return [healthy, ...others].join(', ');
}

/** Descriptions of apps' access in the settings. Pure. */
import type { AccessRow, HealthLevel, SessionStatus } from '../../../src-main/rpc/contract.ts';
import { ago } from '../../lib/format.ts';

const ways: Readonly<Record<AccessRow['via'], string>> = {
  stdio: 'stdio (command)',
  http: 'HTTP (own endpoint)',
  none: 'Not configured',
};

/** Its state, as a mark and a word, and the action that changes it. */
export function accessMark({ revoked }: AccessRow): { level: HealthLevel; word: string; change: 'Revoke' | 'Allow' } {
  if (revoked !== undefined) return { level: 'off', word: 'Revoked', change: 'Allow' };
  return { level: 'ok', word: 'Allowed', change: 'Revoke' };
}

/** `HTTP (own endpoint) · allowed 3 days ago`. */
export function accessFacts({ via, since, revoked }: AccessRow, now: number): string {
  if (revoked !== undefined) return `Revoked ${ago(revoked, now)}`;
  return since === undefined ? ways[via] : `${ways[via]} · allowed ${ago(since, now)}`;
}

/** `Active now`, `2 h ago`, `Never`. */
export function lastSeen({ app, seen }: AccessRow, sessions: readonly SessionStatus[], now: number): string {
  if (sessions.some((session) => session.app === app)) return 'Active now';
  if (seen === undefined) return 'Never';
  const [first = '', ...rest] = ago(seen, now);
  return first.toUpperCase() + rest.join('');
}

/** Descriptions of profiles and their tokens in the settings. Pure. */
import type { HealthLevel, ProfileRow, ProfileTokenRow } from '../../../src-main/rpc/contract.ts';
import { ago, list } from '../../lib/format.ts';

export const tokenDays = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
] as const;

/** Personal access tokens of a team expire within 30 days. */
export const personalTokenDays = tokenDays.filter(({ value }) => Number(value) <= 30);

export type TokenDays = (typeof tokenDays)[number]['value'];

/** Expiry of a token created at `now`, in ms since 1970. */
export function expiryTime(days: TokenDays, now: number): number {
  return now + Number(days) * 86_400_000;
}

/** `All servers`, `github and jira`. */
export function serversOf({ servers }: ProfileRow): string {
  if (servers === undefined) return 'All servers';
  return servers.length === 0 ? 'No servers' : list(servers);
}

/** `All tools`, `Only read-only tools; not github:delete`. */
export function rulesOf({ rules }: ProfileRow): string {
  const [first = '', ...rest] = rules.join('; ');
  return first === '' ? 'All tools' : first.toUpperCase() + rest.join('');
}

/** `None`, `Cursor and Claude Desktop`. */
export function appsOf({ apps }: ProfileRow): string {
  return apps.length === 0 ? 'None' : list(apps.map(({ appName }) => appName));
}

export function tokenMark({ state }: ProfileTokenRow): { level: HealthLevel; word: string } {
  if (state === 'active') return { level: 'ok', word: 'Active' };
  return { level: 'off', word: state === 'revoked' ? 'Revoked' : 'Expired' };
}

/** `created 3 days ago`, `created 3 days ago, revoked just now`. */
export function tokenFacts({ since, revoked }: ProfileTokenRow, now: number): string {
  return revoked === undefined
    ? `created ${ago(since, now)}`
    : `created ${ago(since, now)}, revoked ${ago(revoked, now)}`;
}

/** Expiry date with the year, because a token may be valid for a year. */
export function endOf({ expiresAt }: Pick<ProfileTokenRow, 'expiresAt'>): string {
  return new Date(expiresAt).toLocaleDateString([], { day: 'numeric', month: 'long', year: 'numeric' });
}

/** What is wrong with the name of a new profile; empty if it is valid or empty. */
export function profileNameProblem(name: string, taken: readonly string[]): string {
  if (name === '') return '';
  if (!/^[\w.-]{1,60}$/.test(name)) return 'Use up to 60 letters, digits, dots, dashes and underscores.';
  return taken.includes(name) ? 'A profile with this name already exists.' : '';
}

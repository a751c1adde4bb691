/** Descriptions of a team's users and tokens. Pure. */
import type { HealthLevel, UserRow, AccessTokenRow } from '../../../src-main/rpc/contract.ts';
import { ago, count } from '../../lib/format.ts';

export function personMark({ isSuspended }: UserRow): { readonly level: HealthLevel; readonly word: string } {
  return isSuspended ? { level: 'off', word: 'Suspended' } : { level: 'ok', word: 'Active' };
}

/** `Service account`, `ana@example.org, groups: platform, sales`. */
export function personFacts({ email, isService, groups }: UserRow): string {
  const facts = [
    ...(isService ? ['Service account'] : []),
    ...(email === '' ? [] : [email]),
    ...(groups.length === 0 ? [] : [`groups: ${groups.join(', ')}`]),
  ];
  return facts.join(', ');
}

export function tokenMark({ state }: AccessTokenRow): { readonly level: HealthLevel; readonly word: string } {
  if (state === 'active') return { level: 'ok', word: 'Active' };
  return { level: 'off', word: state === 'revoked' ? 'Revoked' : 'Expired' };
}

/** The label that its owner gave it. */
export function tokenName({ label }: AccessTokenRow): string {
  return label === '' ? 'Unnamed token' : label;
}

export function tokenFacts({ id, profile, readOnly, createdAt, lastUsedAt }: AccessTokenRow, now: number): string {
  const bounds = [...(profile === '' ? [] : [`profile ${profile}`]), ...(readOnly ? ['read-only'] : [])];
  return [
    ...bounds,
    `created ${ago(createdAt, now)}`,
    lastUsedAt === undefined ? 'never used' : `last used ${ago(lastUsedAt, now)}`,
    id,
  ].join(', ');
}

/** With the year, because a token may last one. */
export function dayOf(at: number): string {
  return new Date(at).toLocaleDateString([], { day: 'numeric', month: 'long', year: 'numeric' });
}

export function tokensInWords(tokens: number): string {
  return tokens === 0 ? 'None' : count(tokens, 'token');
}

export function peopleInWords(people: number): string {
  return count(people, 'user');
}

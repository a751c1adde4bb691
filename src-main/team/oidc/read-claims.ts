/** Derives a user's identity from the issuer's claims. */
import { isObject } from '../../core/base/json.ts';
import type { Claims } from './issuer.ts';

export interface ClaimRules {
  /** Claim with the user's groups: its full name, or else a path separated by dots. */
  readonly groupsClaim: string;
  /** Group whose members are administrators; undefined: the issuer does not determine roles. */
  readonly adminGroup: string | undefined;
}

/** A user's identity as stated by the issuer. */
export interface Identity {
  readonly issuer: string;
  /** Never reassigned to another user. */
  readonly subject: string;
  /** Candidate names, best first; never empty. */
  readonly names: readonly string[];
  /** Only if verified by the issuer. */
  readonly email: string | undefined;
  /** undefined if this token does not contain groups. */
  readonly groups: readonly string[] | undefined;
  /** undefined if this token does not say, or the issuer does not determine roles. */
  readonly role: 'admin' | 'member' | undefined;
  /** Time of issue, in ms since 1970. */
  readonly saidAt: number;
}

const maxGroups = 500;

export function identityFromClaims(claims: Claims, issuer: string, { groupsClaim, adminGroup }: ClaimRules): Identity {
  const groups = groupsIn(claims, groupsClaim);
  const { email, email_verified: isVerified, sub, iat = 0 } = claims;
  const address = typeof email === 'string' && /^[^\s@]{1,200}@[^\s@]{1,200}$/.test(email) ? email : undefined;
  const said = [claims['preferred_username'], claims['username'], claims['upn'], address, claims['name'], sub];
  return {
    issuer,
    subject: sub,
    names: said.flatMap((name) => (typeof name === 'string' ? (nameOf(name) ?? []) : [])).concat('somebody'),
    email: isVerified === true ? address : undefined,
    groups,
    role: groups === undefined || adminGroup === undefined ? undefined : roleIn(groups, adminGroup),
    saidAt: iat * 1000,
  };
}

/** Client that the token was issued to; undefined if not stated. */
export function clientIdFromClaims(claims: Claims): string | undefined {
  const said = [claims['client_id'], claims['azp'], claims['appid'], claims['cid']];
  return said.find((id): id is string => typeof id === 'string' && id !== '' && id.length <= 2_000);
}

/** RFC 9068, 2.2.3; some issuers use a list or another name. undefined if there is no scope claim. */
export function scopesFromClaims(claims: Claims): ReadonlySet<string> | undefined {
  const said = claims['scope'] ?? claims['scp'];
  if (typeof said === 'string') return new Set(said.split(' ').filter((one) => one !== ''));
  return Array.isArray(said) ? new Set(said.filter((one) => typeof one === 'string')) : undefined;
}

function groupsIn(claims: Claims, name: string): readonly string[] | undefined {
  const said = Object.hasOwn(claims, name)
    ? claims[name]
    : name
        .split('.')
        .reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), claims);
  if (typeof said === 'string') return [said];
  if (!Array.isArray(said)) return undefined;
  return [...new Set(said.filter((group) => typeof group === 'string'))].slice(0, maxGroups).sort();
}

function roleIn(groups: readonly string[], adminGroup: string): NonNullable<Identity['role']> {
  return groups.includes(adminGroup) ? 'admin' : 'member';
}

/** A valid user name; undefined if nothing is left. */
function nameOf(said: string): string | undefined {
  const name = said
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N} ._@+'-]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, 90)
    .trim();
  return name === '' ? undefined : name;
}

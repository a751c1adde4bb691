/** Derives a user's identity from the claims of the issuer. */
import { isObject } from '../../core/base/json.ts';
import type { Claims } from './issuer.ts';

export interface ClaimRules {
  /** The claim that names somebody's groups: by its whole name, else by a path of names with dots between. */
  readonly groupsClaim: string;
  /** Who is in it is an administrator, and nobody else who signs in; undefined: the issuer does not say who is. */
  readonly adminGroup: string | undefined;
}

/** A user's identity as the issuer states it. */
export interface Identity {
  readonly issuer: string;
  /** Never another user's there. */
  readonly subject: string;
  /** Candidate names, the best first; never empty. */
  readonly names: readonly string[];
  /** Only where the issuer says that it is theirs. */
  readonly email: string | undefined;
  /** undefined: this token does not say. */
  readonly groups: readonly string[] | undefined;
  /** undefined: this token does not say, or the issuer is not asked. */
  readonly role: 'admin' | 'member' | undefined;
  /** When it was said, in ms since 1970. */
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

/** The program that the token was given to, the same for all its tokens; undefined: it does not say. */
export function clientIdFromClaims(claims: Claims): string | undefined {
  const said = [claims['client_id'], claims['azp'], claims['appid'], claims['cid']];
  return said.find((id): id is string => typeof id === 'string' && id !== '' && id.length <= 2_000);
}

/** RFC 9068, 2.2.3; some issuers write a list, or call it otherwise. undefined: it says nothing of scopes. */
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

/** A name valid for `Users`; undefined if nothing is left. */
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

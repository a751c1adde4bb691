/** Whom an access token of the issuer lets in, and to what. */
import { createHash } from 'node:crypto';
import { onlyReading } from '../../core/profiles/profile-scope.ts';
import type { Claims, Issuer } from '../issuer/issuer.ts';
import { type ClaimRules, clientIn, type Identity, identityIn, scopesIn } from '../issuer/read-claims.ts';
import type { Admitted, IssuedPeople } from './issued-people.ts';
import { boundsOf, type Judged } from './people-gate.ts';
import type { People } from './people.ts';
import { allRights, callRight } from './rights.ts';

interface IssuedTokensParts {
  readonly issuer: Pick<Issuer, 'name' | 'accessToken' | 'isNamedIn'>;
  readonly rules: ClaimRules;
  readonly issued: Pick<IssuedPeople, 'admit'>;
  readonly people: Pick<People, 'grants'>;
  /** What tokens are for, in its own words. */
  readonly audiences: readonly string[];
  /** Where `/mcp` is for client apps: a token for an address below it opens what is below that one. */
  readonly resource: () => string;
  /** Hears of somebody who came for the first time. */
  readonly met: (admitted: Admitted, identity: Identity) => void;
}

export class IssuedTokens {
  readonly #parts: IssuedTokensParts;

  constructor(parts: IssuedTokensParts) {
    this.#parts = parts;
  }

  /** Whether it says that it is the issuer's. */
  isNamedIn(token: string): boolean {
    return this.#parts.issuer.isNamedIn(token);
  }

  /** Rejects with AppError server_unreachable for the issuer, store_unreachable. */
  async judge(token: string): Promise<Judged> {
    const { issuer, rules, issued, people, met } = this.#parts;
    const claims = await issuer.accessToken(token, (audience) => this.#pathOf(audience) !== undefined);
    if (claims === undefined) return { why: 'unknown' };
    if (claims === 'over') return { why: 'over' };
    const scopes = scopesIn(claims) ?? new Set();
    // Asked before anybody is made of it.
    if (!allRights.some((right) => scopes.has(right))) return { why: 'scope', needed: allRights.join(' ') };
    const identity = identityIn(claims, issuer.name, rules);
    const admitted = await issued.admit(identity);
    if (admitted === undefined) return { why: 'stranger' };
    const { user, how } = admitted;
    if (how !== 'known') met(admitted, identity);
    if (user.isOff) return { why: 'off' };
    const paths = [claims.aud ?? []].flat().flatMap((audience) => this.#pathOf(audience) ?? []);
    return {
      ...{ user: user.id, token: programOf(claims, token), tokenId: undefined },
      ownBounds: scopes.has(callRight) ? [] : [onlyReading],
      lacks: scopes.has(callRight) ? undefined : callRight,
      groupBounds: boundsOf(user, await people.grants()),
      until: claims.exp * 1000,
      ...(!paths.includes('') && { paths }),
    };
  }

  /** Below `/mcp`, without a slash at the end; undefined: it is not ours. */
  #pathOf(audience: string): string | undefined {
    const { audiences, resource } = this.#parts;
    if (audiences.length > 0) return audiences.includes(audience) ? '' : undefined;
    const [own, said] = [canonical(resource()), canonical(audience)];
    if (own === undefined || said === undefined) return undefined;
    return said === own || said.startsWith(`${own}/`) ? said.slice(own.length) : undefined;
  }
}

/**
 * Whose is what outlives a request: the same over all tokens that a person's program gets one after the other. Where the issuer does not
 * say which program it is, two of them must not be one, so each token is a program.
 */
function programOf(claims: Claims, token: string): string {
  const client = clientIn(claims);
  if (client !== undefined) return `client ${client}`;
  return `one token ${createHash('sha256').update(token).digest('base64url')}`;
}

/** Source: RFC 8707, 2; MCP 2026-07-28, basic/authorization, "Canonical Server URI". */
function canonical(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { origin, pathname, search, hash } = new URL(uri);
  return search === '' && hash === '' ? origin + pathname.replace(/\/+$/, '') : undefined;
}

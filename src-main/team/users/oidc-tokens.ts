/** Determines the user and the rights of an issuer's access token. */
import { createHash } from 'node:crypto';
import { readOnlyProfile } from '../../core/edition.ts';
import type { Claims, OidcIssuer } from '../oidc/issuer.ts';
import {
  type ClaimRules,
  clientIdFromClaims,
  type Identity,
  identityFromClaims,
  scopesFromClaims,
} from '../oidc/read-claims.ts';
import type { Provisioned, OidcUsers } from './oidc-users.ts';
import { tokenProfilesOf, type AuthenticationResult } from './authenticator.ts';
import type { UserStore } from './user-store.ts';
import { allScopes, callScope } from './scopes.ts';

interface OidcTokensDeps {
  readonly issuer: Pick<OidcIssuer, 'name' | 'accessToken' | 'issued'>;
  readonly rules: ClaimRules;
  readonly issued: Pick<OidcUsers, 'provision'>;
  readonly people: Pick<UserStore, 'grants'>;
  readonly audiences: readonly string[];
  /** URL of `/mcp` for client apps: a token for a URL below it is valid only for that path. */
  readonly resource: () => string;
  /** Called for each user who signs in for the first time. */
  readonly met: (admitted: Provisioned, identity: Identity) => void;
}

export class OidcTokens {
  readonly #parts: OidcTokensDeps;

  constructor(parts: OidcTokensDeps) {
    this.#parts = parts;
  }

  /** Whether it claims to be the issuer's. */
  isNamedIn(token: string): boolean {
    return this.#parts.issuer.issued(token);
  }

  /** Rejects with AppError `server_unreachable` for the issuer, `store_unreachable`. */
  async judge(token: string): Promise<AuthenticationResult> {
    const { issuer, rules, issued, people, met } = this.#parts;
    const claims = await issuer.accessToken(token, (audience) => this.#pathOf(audience) !== undefined);
    if (claims === undefined) return { why: 'unknown' };
    if (claims === 'over') return { why: 'over' };
    const scopes = scopesFromClaims(claims) ?? new Set();
    // Checked before the user is created.
    if (!allScopes.some((right) => scopes.has(right))) return { why: 'scope', needed: allScopes.join(' ') };
    const identity = identityFromClaims(claims, issuer.name, rules);
    const admitted = await issued.provision(identity);
    if (admitted === undefined) return { why: 'stranger' };
    const { user, how } = admitted;
    if (how !== 'known') met(admitted, identity);
    if (user.isSuspended) return { why: 'off' };
    const signedOutAt = user.signedOutAt?.getTime() ?? 0;
    // The claim has whole seconds.
    if (identity.saidAt <= signedOutAt) return { why: 'over' };
    const paths = [claims.aud ?? []].flat().flatMap((audience) => this.#pathOf(audience) ?? []);
    return {
      user: user.id,
      token: clientNameOf(claims, token),
      tokenId: undefined,
      ownBounds: scopes.has(callScope) ? [] : [readOnlyProfile],
      lacks: scopes.has(callScope) ? undefined : callScope,
      groupBounds: tokenProfilesOf(user, await people.grants()),
      until: claims.exp * 1000,
      signedOutAt,
      ...(!paths.includes('') && { paths }),
    };
  }

  /** Path below `/mcp`, without a trailing slash; undefined if the audience is not ours. */
  #pathOf(audience: string): string | undefined {
    const { audiences, resource } = this.#parts;
    if (audiences.length > 0) return audiences.includes(audience) ? '' : undefined;
    const [own, said] = [canonical(resource()), canonical(audience)];
    if (own === undefined || said === undefined) return undefined;
    return said === own || said.startsWith(`${own}/`) ? said.slice(own.length) : undefined;
  }
}

/**
 * Owner of data that outlives a request: the same for successive tokens of a user's client. If the issuer does not
 * identify the client, each token counts as its own, because two clients must not be mixed.
 */
function clientNameOf(claims: Claims, token: string): string {
  const client = clientIdFromClaims(claims);
  if (client !== undefined) return `client ${client}`;
  return `one token ${createHash('sha256').update(token).digest('base64url')}`;
}

/** Source: RFC 8707, 2; MCP 2026-07-28, basic/authorization, "Canonical Server URI". */
function canonical(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { origin, pathname, search, hash } = new URL(uri);
  return search === '' && hash === '' ? origin + pathname.replace(/\/+$/, '') : undefined;
}

/**
 * Authentication of a replica: personal access tokens, and an issuer's tokens if there is one. Composition; no logic.
 */
import type { IncomingMessage } from 'node:http';
import type { CoreGroups } from '../core/edition.ts';
import type { TeamHttpOptions, TeamHostContext } from '../host/team-host.ts';
import type { ChangeFeed } from './database/change-feed.ts';
import type { Database } from './database/database.ts';
import { type Challenge, createRequestAuthenticator } from './http/authenticate-request.ts';
import type { TrustedProxies } from './http/trusted-proxies.ts';
import { type AccessAudit, createAccessAudit } from './http/access-audit.ts';
import { ResourceMetadata } from './http/resource-metadata.ts';
import { createScopeCheck } from './http/require-scopes.ts';
import { type OidcClient, OidcIssuer } from './oidc/issuer.ts';
import type { ClaimRules } from './oidc/read-claims.ts';
import { FailedLoginLimiter } from './users/failed-login-limiter.ts';
import { OidcUsers } from './users/oidc-users.ts';
import { OidcTokens } from './users/oidc-tokens.ts';
import { UserStore } from './users/user-store.ts';
import { Authenticator } from './users/authenticator.ts';
import { AccessTokenStore } from './users/access-tokens.ts';
import { allScopes } from './users/scopes.ts';

/** The identity provider of the team's users. */
export interface IssuerSettings extends ClaimRules {
  /** Exact issuer identifier. */
  readonly issuer: string;
  /** Accepted audiences of access tokens; empty: the URL of `/mcp` for client apps. */
  readonly audiences: readonly string[];
  /** Whether users are created at their first sign-in. */
  readonly takesNew: boolean;
  /** Accept only access tokens with the type `at+jwt`. */
  readonly needsType: boolean;
  /** Users authenticate through the issuer only; personal access tokens are valid for service accounts only. */
  readonly isSsoOnly?: boolean | undefined;
  /**
   * Client ID of the dashboard; its secret, if any, is in the environment. undefined: no dashboard sign-in at the
   * issuer.
   */
  readonly clientId?: string | undefined;
}

/** Variable with the dashboard's client secret at the issuer. */
export const oidcSecretVariable = 'TOOLTRAY_OIDC_SECRET';

/** An opened issuer and its users. */
export interface OpenIssuer {
  readonly tokens: OidcIssuer;
  readonly people: OidcUsers;
  readonly rules: ClaimRules;
  /** Whether users can sign in to the dashboard at the issuer. */
  readonly hasClient: boolean;
}

interface IdentityDeps {
  readonly host: TeamHostContext;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sql: Database['sql'];
  readonly changes: ChangeFeed;
  readonly proxies: TrustedProxies;
  readonly settings: IssuerSettings | undefined;
  /** Returns the URL of `/mcp` for client apps, once it listens. */
  readonly resource: () => string;
  /** Available once the core is created. */
  readonly core: () => Pick<CoreGroups, 'trust' | 'clients'>;
  /** Called when a user authenticates with a token of the issuer. */
  readonly came?: ((user: string, token: string, until: number) => void) | undefined;
}

export interface OpenIdentity extends Pick<TeamHttpOptions, 'letIn' | 'refuseRequest' | 'follow'> {
  readonly people: UserStore;
  readonly tokens: AccessTokenStore;
  readonly gate: Authenticator;
  /** The issuer and its users; undefined if there is none. */
  readonly issuer: OpenIssuer | undefined;
  readonly notes: AccessAudit;
  /** Tells client apps where to get tokens; undefined: nowhere. */
  readonly metadata: ResourceMetadata | undefined;
  readonly close: () => Promise<void>;
}

/** Throws AppError `bad_request` for an invalid issuer. */
export function openIdentity(of: IdentityDeps): OpenIdentity {
  const { host, env, sql, changes, proxies, settings, resource, core, came } = of;
  const [people, tokens] = [new UserStore(sql), new AccessTokenStore(sql)];
  const issuer: OpenIssuer | undefined = settings && {
    tokens: new OidcIssuer({ ...settings, client: clientOf(settings, env), env }),
    people: new OidcUsers(sql, settings),
    rules: settings,
    hasClient: settings.clientId !== undefined,
  };
  const notes = createAccessAudit(() => core().trust.audit);
  const issued =
    issuer &&
    new OidcTokens({
      issuer: issuer.tokens,
      issued: issuer.people,
      people,
      resource,
      rules: issuer.rules,
      audiences: settings?.audiences ?? [],
      met: notes.met,
    });
  const gate = new Authenticator({
    changes,
    people,
    tokens,
    log: host.log.child('people'),
    failures: new FailedLoginLimiter(),
    issued,
    isSsoOnly: settings?.isSsoOnly,
  });
  const metadata = settings && new ResourceMetadata(settings.issuer, resource);
  const challenge = (request: IncomingMessage): Challenge =>
    metadata === undefined ? {} : { resource_metadata: metadata.urlFor(request), scope: allScopes.join(' ') };
  return {
    letIn: createRequestAuthenticator({ gate, proxies, challenge, refused: notes.refused, came }),
    refuseRequest: createScopeCheck({ core: () => core().clients.services, challenge }),
    follow: (open, end) => gate.onRevoked(open, end),
    people,
    tokens,
    gate,
    issuer,
    metadata,
    notes,
    close: async () => {
      await gate.close();
      issuer?.tokens.close();
    },
  };
}

function clientOf({ clientId }: IssuerSettings, env: IdentityDeps['env']): OidcClient | undefined {
  return clientId === undefined ? undefined : { id: clientId, secret: env[oidcSecretVariable] || undefined };
}

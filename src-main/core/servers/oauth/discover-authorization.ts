/** Discovers the authorization server of a server from their metadata; fails if a sign-in would not be safe. */
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type OAuthDiscoveryState,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import { isObject } from '../../base/json.ts';
import type { OAuthClient } from '../../config/server-config.ts';
import type { FetchLike } from '../network/http-fetch.ts';
import { quoteForeignText, oauthError } from './oauth-errors.ts';

/** The sign-in parameters of a 401 or 403. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
}

export interface AuthorizationServerInfo {
  /** The authorization server's issuer identifier, verbatim; its grants are valid nowhere else. */
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The resource that the tokens are for (RFC 8707). */
  readonly resource: string;
  readonly resourceMetadata: OAuthProtectedResourceMetadata | undefined;
  /** The state stored with a grant. */
  readonly discovery: OAuthDiscoveryState;
}

interface FindOptions {
  readonly serverName: string;
  readonly serverUrl: string;
  readonly client?: OAuthClient | undefined;
  readonly challenge: Challenge;
  readonly fetch: FetchLike;
}

/** `header`: the value of WWW-Authenticate. */
export function parseChallenge(header: string | undefined): Challenge {
  if (header === undefined) return {};
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(
    new Response(null, { headers: { 'www-authenticate': header } }),
  );
  return { resourceMetadataUrl, scope };
}

/** A member that only some kinds of metadata have. */
export function memberOf(metadata: AuthorizationServerMetadata, name: string): unknown {
  return (metadata as Readonly<Record<string, unknown>>)[name];
}

/** Rejects with AppError, or with the SDK's error. */
export async function discoverAuthorization(options: FindOptions): Promise<AuthorizationServerInfo> {
  const { serverName, serverUrl, client, challenge } = options;
  const resourceMetadata = await readResource(options);
  const named = resourceMetadata?.authorization_servers ?? [];
  // Without metadata, the server is its own authorization server (2025-03-26).
  const first = named[0] ?? new URL('/', serverUrl).href;
  const authorizationServerUrl = named.find((one) => one === client?.issuer) ?? first;
  const found = await readMetadata(options, authorizationServerUrl);
  const metadata =
    found ?? (client?.authServerMetadataUrl === undefined ? defaultPaths(authorizationServerUrl) : undefined);
  if (metadata === undefined) {
    throw oauthError(
      serverName,
      `cannot be signed in to: ${quoteForeignText(first)} does not publish authorization server metadata`,
      {
        fix: askOperator,
      },
    );
  }
  requireOurWay(serverName, metadata, client);
  const { resourceMetadataUrl } = challenge;
  return {
    issuer: metadata.issuer,
    metadata,
    resource: resourceOf(resourceMetadata, serverUrl),
    resourceMetadata,
    discovery: {
      authorizationServerUrl,
      authorizationServerMetadata: metadata,
      ...(resourceMetadata && { resourceMetadata }),
      ...(resourceMetadataUrl && { resourceMetadataUrl: resourceMetadataUrl.href }),
    },
  };
}

/**
 * Default endpoints of an authorization server without metadata: below the root of its address, with PKCE, which all
 * clients use. Source: MCP 2025-03-26, basic/authorization ("Fallbacks for Servers without Metadata Discovery").
 */
function defaultPaths(authorizationServerUrl: string): AuthorizationServerMetadata {
  const { origin } = new URL(authorizationServerUrl);
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
  };
}

const askOperator = 'Ask its operator, or set an API key in its headers as Authorization.';

/** RFC 9728; undefined if the server has no such document. */
async function readResource(options: FindOptions): Promise<OAuthProtectedResourceMetadata | undefined> {
  const { serverName, serverUrl, challenge, fetch } = options;
  const { resourceMetadataUrl } = challenge;
  const found = await discoverOAuthProtectedResourceMetadata(
    serverUrl,
    resourceMetadataUrl && { resourceMetadataUrl },
    fetch,
  ).catch((error: unknown) => {
    // A network error, or a refused address.
    if (error instanceof TypeError) throw error;
    return undefined;
  });
  if (found === undefined) return undefined;
  if (!checkResourceAllowed({ requestedResource: serverUrl, configuredResource: found.resource })) {
    const what = `cannot be signed in to: its tokens are for ${quoteForeignText(found.resource)}, which is another resource`;
    throw oauthError(serverName, what, { fix: askOperator });
  }
  return found;
}

/**
 * Reads from the address in the config, else from the well-known addresses, whose issuer must equal the requested one.
 */
async function readMetadata(
  { client, fetch }: FindOptions,
  authorizationServerUrl: string,
): Promise<AuthorizationServerMetadata | undefined> {
  const { authServerMetadataUrl } = client ?? {};
  let said: unknown;
  const fetchFn: FetchLike = async (wellKnown, init) => {
    const response = await fetch(authServerMetadataUrl ?? wellKnown, init);
    if (!response.ok) return response;
    said = await response
      .clone()
      .json()
      .catch(() => undefined);
    // Hosts of single-page apps answer any address with their page.
    return isObject(said) ? response : new Response(null, { status: 404 });
  };
  const read = await discoverAuthorizationServerMetadata(authServerMetadataUrl ?? authorizationServerUrl, {
    fetchFn,
    skipIssuerValidation: authServerMetadataUrl !== undefined,
  });
  // The SDK keeps only known members of an OpenID document, which omits the revocation endpoint.
  return read === undefined || !isObject(said) ? read : { ...said, ...read };
}

/**
 * The resource of the tokens: as the server states it, else its address. RFC 8707 section 2: no fragment, and no query,
 * which may contain keys.
 */
export function resourceOf(said: OAuthProtectedResourceMetadata | undefined, serverUrl: string): string {
  if (said !== undefined) return said.resource;
  const { origin, pathname } = new URL(serverUrl);
  return pathname === '/' ? origin : `${origin}${pathname}`;
}

function requireOurWay(
  serverName: string,
  metadata: AuthorizationServerMetadata,
  client: OAuthClient | undefined,
): void {
  const { issuer, response_types_supported: types, code_challenge_methods_supported: methods } = metadata;
  if (client?.issuer !== undefined && client.issuer !== issuer) {
    const what = `now uses the issuer ${quoteForeignText(issuer)}, but the client in its entry belongs to ${quoteForeignText(client.issuer)}`;
    throw oauthError(serverName, what, {
      fix: 'No credentials were sent. Set a client of the new issuer in its entry.',
    });
  }
  // An absent member means no support (MCP 2025-11-25 and 2026-07-28, Authorization Code Protection).
  if (methods?.includes('S256') !== true) {
    const what = `cannot be signed in to safely: ${quoteForeignText(issuer)} does not declare support for PKCE with S256`;
    throw oauthError(serverName, what, { fix: askOperator });
  }
  if (!types.includes('code')) {
    const what = `cannot be signed in to: ${quoteForeignText(issuer)} does not support the authorization code flow`;
    throw oauthError(serverName, what, { fix: askOperator });
  }
}

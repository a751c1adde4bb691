/** Refreshes an access token without the user, at the authorization server that granted it. */
import { OAuthError, refreshAuthorization, type StoredOAuthTokens } from '@modelcontextprotocol/client';
import { AppError } from '../../base/errors.ts';
import type { OAuthClient } from '../../config/server-config.ts';
import type { FetchLike } from '../network/http-fetch.ts';
import { clientAuthentication, withSecret } from './client-registration.ts';
import { resourceOf } from './discover-authorization.ts';
import type { Grant } from './grant-store.ts';

interface RefreshOptions {
  readonly serverName: string;
  readonly serverUrl: string;
  readonly client?: OAuthClient | undefined;
  readonly fetch: FetchLike;
}

/** Errors that end the grant, so that a retry is useless. Source: RFC 6749 section 5.2. */
const final = new Set([
  'access_denied',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
]);

/**
 * Undefined if the user has to sign in again. Rejects with AppError `server_unreachable` for temporary failures. The
 * SDK's `auth` is not used here: it would ask the user to sign in when the network is down.
 */
export async function refreshTokens(
  grant: Grant,
  { serverName, serverUrl, client: configured, fetch }: RefreshOptions,
): Promise<StoredOAuthTokens | undefined> {
  const { tokens, discovery } = grant;
  const { authorizationServerMetadata: metadata, resourceMetadata } = discovery;
  const client = withSecret(grant.client, configured);
  if (tokens.refresh_token === undefined) return undefined;
  try {
    const fresh = await refreshAuthorization(discovery.authorizationServerUrl, {
      ...(metadata && { metadata }),
      resource: resourceOf(resourceMetadata, serverUrl),
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      addClientAuthentication: clientAuthentication(client),
      fetchFn: fetch,
    });
    // Omitted fields keep their granted values.
    return { ...tokens, ...fresh };
  } catch (error) {
    if (OAuthError.isInstance(error) && final.has(error.code)) return undefined;
    const reason = error instanceof Error && error.cause instanceof AppError ? error.cause.message : undefined;
    const why = reason ?? 'The authorization server returned an unexpected response.';
    throw new AppError('server_unreachable', `${serverName}: the token could not be refreshed. ${why}`, {
      data: { renewal: true },
      cause: error,
    });
  }
}

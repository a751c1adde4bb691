/**
 * Revokes tokens at the authorization server that granted them (RFC 7009), and deletes the client that we registered
 * there (RFC 7592).
 */
import type { OAuthClient } from '../../config/server-config.ts';
import type { FetchLike } from '../network/http-fetch.ts';
import { clientAuthentication, withSecret } from './client-registration.ts';
import { memberOf } from './discover-authorization.ts';
import type { Grant, Registration } from './grant-store.ts';

/** `nothing`: there were no tokens; `unable`: revocation is not supported; `failed`: it was attempted. */
export interface RevocationResult {
  readonly how: 'nothing' | 'revoked' | 'unable' | 'failed';
}

interface RevokeOptions {
  readonly client: OAuthClient | undefined;
  readonly fetch: FetchLike;
}

/** Never rejects: the user is signed out locally in any case. */
export async function revokeGrant(grant: Grant, { client, fetch }: RevokeOptions): Promise<RevocationResult> {
  const { tokens, discovery } = grant;
  const metadata = discovery.authorizationServerMetadata;
  const endpoint = metadata && memberOf(metadata, 'revocation_endpoint');
  if (typeof endpoint !== 'string') return { how: 'unable' };
  const authenticate = clientAuthentication(withSecret(grant.client, client));
  const revoke = async (token: string, hint: string): Promise<boolean> => {
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' });
    const params = new URLSearchParams({ token, token_type_hint: hint });
    await authenticate(headers, params, endpoint, metadata);
    return fetch(endpoint, { method: 'POST', headers, body: params }).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  // The refresh token first, because most servers then revoke the other one, too. An access token that cannot be
  // revoked expires.
  const { refresh_token: refresh, access_token: access } = tokens;
  const isRefreshGone = refresh === undefined || (await revoke(refresh, 'refresh_token'));
  const isAccessGone = await revoke(access, 'access_token');
  return { how: isRefreshGone && (isAccessGone || refresh !== undefined) ? 'revoked' : 'failed' };
}

/** Never rejects, because an unused client is harmless. Source: RFC 7592 section 2.3. */
export async function deleteClient(registration: Registration | undefined, fetch: FetchLike): Promise<void> {
  const { management } = registration ?? {};
  if (management === undefined) return;
  const { uri, token } = management;
  await fetch(uri, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } }).catch(() => undefined);
}

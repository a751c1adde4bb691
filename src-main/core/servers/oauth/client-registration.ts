/**
 * Our identity at an authorization server, in order of preference: registered by the user, a client ID metadata
 * document, registered dynamically.
 */
import {
  type AddClientAuthentication,
  type OAuthClientInformationMixed,
  registerClient,
  selectClientAuthMethod,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type { OAuthClient } from '../../config/server-config.ts';
import { isObject } from '../../base/json.ts';
import type { FetchLike } from '../network/http-fetch.ts';
import type { AuthorizationServerInfo } from './discover-authorization.ts';
import { clientRequiredError, quoteForeignText, oauthError } from './oauth-errors.ts';
import type { Registration } from './grant-store.ts';

export interface OAuthClientIdentity {
  readonly client: StoredOAuthClientInformation;
  /** `own`: registered dynamically at this authorization server, which can be repeated. */
  readonly how: 'configured' | 'document' | 'own';
  /** The registration to store; undefined if it is unchanged. */
  readonly registration?: Registration;
}

interface IdentityOptions {
  readonly serverName: string;
  readonly client?: OAuthClient | undefined;
  readonly documentUrl?: string | undefined;
  /** An earlier registration; valid only at its authorization server and with its redirect URI. */
  readonly registration: Registration | undefined;
  readonly redirectUrl: string;
  readonly authorization: AuthorizationServerInfo;
  readonly fetch: FetchLike;
}

/** Rejects with AppError, or with the SDK's error. */
export async function resolveClientIdentity(options: IdentityOptions): Promise<OAuthClientIdentity> {
  const { serverName, client, documentUrl: document, registration, redirectUrl, authorization } = options;
  const { issuer, metadata } = authorization;
  if (client?.clientId !== undefined) return configured(client, options);
  if (metadata.client_id_metadata_document_supported === true && document !== undefined) {
    return { client: { client_id: document, token_endpoint_auth_method: 'none', issuer }, how: 'document' };
  }
  const known = registration?.client;
  if (known?.issuer === issuer && registration?.redirectUrl === redirectUrl) return { client: known, how: 'own' };
  if (metadata.registration_endpoint === undefined) throw clientRequiredError(serverName, issuer, redirectUrl);
  return registerOAuthClient(options);
}

/**
 * Registers again. Without `scope`: an authorization server that receives one binds the client to it, so that no wider
 * scope can be requested later (RFC 7591 section 2). With one, for servers that reject undeclared scopes.
 */
export async function registerOAuthClient(options: IdentityOptions, scope?: string): Promise<OAuthClientIdentity> {
  const { authorization, redirectUrl, fetch } = options;
  const { issuer, metadata, discovery } = authorization;
  let management: Registration['management'];
  const registered = await registerClient(discovery.authorizationServerUrl, {
    metadata,
    clientMetadata: {
      client_name: 'Tooltray',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // A program on a user's machine cannot keep a secret from its user (RFC 8252).
      token_endpoint_auth_method: 'none',
      // A redirect to a public https address leads to a web site.
      application_type: redirectUrl.startsWith('https:') ? 'web' : 'native',
    },
    ...(scope !== undefined && { scope }),
    // The SDK's schema drops members that are not in RFC 7591.
    fetchFn: async (url, init) => {
      const response = await fetch(url, init);
      management = await managementOf(response.clone());
      return response;
    },
  });
  const client = { ...registered, issuer };
  return { client, how: 'own', registration: { client, redirectUrl, ...(management && { management }) } };
}

async function managementOf(response: Response): Promise<Registration['management']> {
  const body: unknown = await response.json().catch(() => undefined);
  if (!isObject(body)) return undefined;
  const { registration_client_uri: uri, registration_access_token: token } = body;
  return typeof uri === 'string' && URL.canParse(uri) && typeof token === 'string' ? { uri, token } : undefined;
}

/** The secret stays in the entry; only the place where the client is valid is stored. */
function configured(client: OAuthClient, options: IdentityOptions): OAuthClientIdentity {
  const { serverName, registration, redirectUrl, authorization } = options;
  const { issuer } = authorization;
  const registered = registration?.client;
  if (client.issuer === undefined && registered?.client_id === client.clientId && registered?.issuer !== issuer) {
    const what = `now uses the issuer ${quoteForeignText(issuer)}, but its client belongs to ${quoteForeignText(registered?.issuer ?? '')}`;
    const fix = `No credentials were sent. If the server moved, sign out, then sign in with a client of the new issuer.`;
    throw oauthError(serverName, what, { fix });
  }
  const known: StoredOAuthClientInformation = { client_id: client.clientId ?? '', issuer };
  return {
    client: withSecret(known, client),
    how: 'configured',
    registration: { client: known, redirectUrl },
  };
}

/** The client with the secret from its entry. */
export function withSecret(
  known: StoredOAuthClientInformation,
  client: OAuthClient | undefined,
): StoredOAuthClientInformation {
  if (client?.clientSecret === undefined || client.clientId !== known.client_id) return known;
  return { ...known, client_secret: client.clientSecret };
}

/** The client without the secret from its entry, which is not stored twice. */
export function withoutSecret(
  known: StoredOAuthClientInformation,
  client: OAuthClient | undefined,
): StoredOAuthClientInformation {
  if (client?.clientId !== known.client_id) return known;
  const { client_secret: _secret, ...rest } = known;
  return rest;
}

/**
 * Client authentication at the token and revocation endpoints. Source: RFC 6749 section 2.3.1, which requires both
 * parts to be form-encoded.
 */
export function clientAuthentication(client: OAuthClientInformationMixed): AddClientAuthentication {
  return (headers, params, _url, metadata) => {
    const { client_id: id, client_secret: secret } = client;
    const method = selectClientAuthMethod(client, metadata?.token_endpoint_auth_methods_supported ?? []);
    if (method === 'client_secret_basic' && secret !== undefined) {
      headers.set(
        'authorization',
        `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`,
      );
      return;
    }
    params.set('client_id', id);
    if (method === 'client_secret_post' && secret !== undefined) params.set('client_secret', secret);
  };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

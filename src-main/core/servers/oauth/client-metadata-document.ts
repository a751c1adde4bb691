/**
 * The client ID metadata document that describes Tooltray to authorization servers which accept an https address as
 * client ID: the content to publish there, and its callback ports. Sources:
 * draft-ietf-oauth-client-id-metadata-document; MCP 2025-11-25 and 2026-07-28, Client Registration; RFC 8252 section
 * 7.3.
 */
import { callbackPath } from './callback-listener.ts';

/**
 * Callback ports while the document is the client ID. If the document names no port, any should match, but many
 * authorization servers compare exactly. So it names these too, none of which a system assigns by itself.
 */
export const callbackPorts: readonly number[] = [8691, 8692, 8693, 8694, 8695];

/**
 * `redirectUrl` is the address of a shared core, which receives the callback itself; undefined for a program on a
 * user's machine.
 */
export function clientMetadataDocument(url: string, redirectUrl?: string): object {
  const ofMachine = ['', ...callbackPorts.map((port) => `:${port}`)].map(
    (port) => `http://127.0.0.1${port}${callbackPath}`,
  );
  return {
    client_id: url,
    client_name: 'Tooltray',
    // Omitted, it would default to `web`, which forbids loopback addresses (OpenID Connect Registration section 2).
    application_type: redirectUrl === undefined ? 'native' : 'web',
    redirect_uris: redirectUrl === undefined ? ofMachine : [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

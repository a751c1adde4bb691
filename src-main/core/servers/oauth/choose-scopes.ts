/** Chooses the scopes of a sign-in. Source: MCP 2026-07-28, Scope Selection Strategy and Step-Up Authorization Flow. */
import { computeScopeUnion } from '@modelcontextprotocol/client';
import type { OAuthClient } from '../../config/server-config.ts';
import type { AuthorizationServerInfo } from './discover-authorization.ts';

interface ScopeFacts {
  readonly client?: OAuthClient | undefined;
  /** The scopes that the server's challenge requests. */
  readonly challenged: string | undefined;
  /** Scopes of an earlier sign-in that is still valid, which a further scope must not revoke. */
  readonly before: string | undefined;
  /** Scopes that the user explicitly approved. */
  readonly agreed: string | undefined;
  readonly authorization: AuthorizationServerInfo;
}

/** The value of `scope`; undefined: none is sent. */
export function chooseScopes({ client, challenged, before, agreed, authorization }: ScopeFacts): string | undefined {
  const { metadata, resourceMetadata } = authorization;
  const written = client?.scopes.join(' ');
  const wanted = challenged || resourceMetadata?.scopes_supported?.join(' ');
  const scope = computeScopeUnion(written || computeScopeUnion(before, wanted), agreed);
  // Only if the authorization server supports it; requested alone, it would replace the default scopes.
  const mayStay = metadata.scopes_supported?.includes('offline_access') === true;
  return mayStay && scope !== undefined ? computeScopeUnion(scope, 'offline_access') : scope;
}

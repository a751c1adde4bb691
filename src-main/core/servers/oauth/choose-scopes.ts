/** Which rights a sign-in asks for. Source: MCP 2026-07-28, Scope Selection Strategy and Step-Up Authorization Flow. */
import { computeScopeUnion } from '@modelcontextprotocol/client';
import type { OAuthClient } from '../../config/server-config.ts';
import type { AuthorizationServerInfo } from './discover-authorization.ts';

interface ScopeFacts {
  readonly client?: OAuthClient | undefined;
  /** The scopes that the server's refusal asks for. */
  readonly challenged: string | undefined;
  /** Asked for before, in a sign-in that still counts: one more right must not cost those. */
  readonly before: string | undefined;
  /** Rights that the user agreed to in so many words. */
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

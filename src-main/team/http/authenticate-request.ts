/**
 * Authenticates a client app's request by its token, or tells it how to get one. Source: MCP 2025-11-25 and
 * 2026-07-28, basic/authorization.
 */
import type { IncomingMessage } from 'node:http';
import {
  type Authenticated,
  httpRefusal,
  type HttpRefusal,
  refusalOf,
  requestPath,
  retryLater,
  rpcCode,
} from '../../core/edition.ts';
import { AppError, type ErrorCode } from '../../core/base/errors.ts';
import {
  type AuthenticationResult,
  type AuthenticatedUser,
  tokenDigest,
  type Authenticator,
  type AuthenticationFailure,
} from '../users/authenticator.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

interface RequestAuthenticatorDeps {
  readonly gate: Pick<Authenticator, 'authenticate'>;
  readonly proxies: TrustedProxies;
  /** Content of `WWW-Authenticate` besides the error: the resource metadata and the scope to request. */
  readonly challenge: (request: IncomingMessage) => Challenge;
  /** Called for each rejected token with its origin. */
  readonly refused?: (why: AuthenticationFailure['why'], address: string) => void;
  /** Called when a user authenticates with the issuer's token, with its expiry in ms since 1970. */
  readonly came?: ((user: string, token: string, until: number) => void) | undefined;
}

export type Challenge = Readonly<Record<string, string>>;

const retryAfterSeconds = 5;
/** Errors during which no token can be verified. */
const issuerUnavailable: ReadonlySet<ErrorCode> = new Set(['store_unreachable', 'server_unreachable']);

/** Never rejects. */
export function createRequestAuthenticator({ gate, proxies, challenge, refused, came }: RequestAuthenticatorDeps) {
  return async (request: IncomingMessage): Promise<Authenticated | HttpRefusal> => {
    const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (given === undefined) return unauthorized(challenge(request));
    try {
      const { address } = proxies.clientOf(request);
      const known = await gate.authenticate(given, address);
      const judged: AuthenticationResult =
        'user' in known && !allowsPath(known, requestPath(request)) ? { why: 'unknown' } : known;
      if ('user' in judged) {
        if (judged.tokenId === undefined) came?.(judged.user, given, judged.until);
        return entryPathOf(judged);
      }
      refused?.(judged.why, address);
      return errorResponseFor(judged, challenge(request));
    } catch (error) {
      if (error instanceof AppError && issuerUnavailable.has(error.code))
        return retryLater(503, error, retryAfterSeconds);
      return refusalOf(error);
    }
  };
}

/** A token for one endpoint is not valid for others. */
function allowsPath({ paths }: AuthenticatedUser, requestedPath: string): boolean {
  const path = requestedPath.replace(/^\/mcp/, '');
  return paths?.some((one) => path === one || path.startsWith(`${one}/`)) !== false;
}

/** Each set of permissions has its own `holder`. */
function entryPathOf(known: AuthenticatedUser): Authenticated {
  const { user, token, lacks, until } = known;
  const bounds = [...new Set([...known.ownBounds, ...known.groupBounds])].sort();
  const person = { user, token, bounds, ...(lacks !== undefined && { lacks }) };
  // The issuer's next token may have other rights, and continues the sessions of this one.
  const isIssued = known.tokenId === undefined;
  const effectiveBounds = isIssued ? known.groupBounds : bounds;
  return {
    holder: `person ${JSON.stringify([user, token, effectiveBounds])}`,
    token: tokenDigest(known),
    person,
    ...(isIssued && { until }),
  };
}

function errorResponseFor(refused: AuthenticationFailure, challenge: Challenge): HttpRefusal {
  switch (refused.why) {
    case 'unknown':
      return {
        ...httpRefusal(401, rpcCode.aborted, 'Invalid token. Use another token, or sign in again.'),
        headers: ['www-authenticate', bearer({ error: 'invalid_token', ...challenge })],
      };
    case 'over':
      return {
        ...httpRefusal(401, rpcCode.aborted, 'This token has expired. Refresh it, or sign in again.'),
        headers: ['www-authenticate', bearer({ error: 'invalid_token', ...challenge })],
      };
    case 'scope':
      return insufficientScope(refused.needed, challenge);
    case 'off':
      return httpRefusal(403, rpcCode.aborted, 'Your account is suspended. Contact an admin.');
    case 'stranger':
      return httpRefusal(403, rpcCode.aborted, 'You are not a member of this team. Ask an admin to add you.');
    case 'too often': {
      const why = new AppError('session_limit', 'Too many failed requests from your address.', {
        fix: 'Wait a minute.',
      });
      return retryLater(429, why, refused.seconds);
    }
  }
}

/**
 * The client app should request more scopes (RFC 6750, 3.1; MCP 2026-07-28, basic/authorization, "Scope Challenge
 * Handling").
 */
export function insufficientScope(scope: string, challenge: Challenge): HttpRefusal {
  return {
    ...httpRefusal(403, rpcCode.aborted, `Insufficient scope. Required: ${scope}.`),
    headers: ['www-authenticate', bearer({ error: 'insufficient_scope', ...challenge, scope })],
  };
}

/** No error code, because no token was sent (RFC 6750, 3.1). */
function unauthorized(challenge: Challenge): HttpRefusal {
  return {
    ...httpRefusal(401, rpcCode.aborted, 'Authentication required: Authorization: Bearer <token>.'),
    headers: ['www-authenticate', bearer(challenge)],
  };
}

function bearer(params: Challenge): string {
  const words = Object.entries({ realm: 'tooltray', ...params }).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${words.join(', ')}`;
}

/** Parses an entry's OAuth settings, in any product's spelling. */
import { z } from 'zod';
import type { OAuthClient } from './server-config.ts';
import { describeIssue } from './issue-text.ts';
import { clientMetadataUrlProblem, zodOptions } from './schema.ts';

const loose = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** The fields of `oauth` in a server entry, under our own names. */
export const oauthSchema = z
  .looseObject({
    clientId: z.string(),
    clientSecret: z.string(),
    redirectUri: z.string(),
    callbackPort: z.int().min(1).max(65_535),
    scopes: z.union([z.string(), z.array(z.string().min(1))]),
    extraParams: z.record(z.string(), loose),
    issuer: z.string(),
    authServerMetadataUrl: z.string(),
    clientMetadataUrl: z.string(),
    account: z.string(),
    tokenExchange: z.strictObject({
      tokenEndpoint: z.string(),
      audience: z.string().min(1).optional(),
      resource: z.string().min(1).optional(),
    }),
  })
  .partial();

/**
 * Keys of other products → ours. MCPProxy: with underscores; Cursor (under `auth`): in capitals; opencode: scope;
 * Codex: callback_url.
 */
const spellings: ReadonlyMap<string, string> = new Map([
  ['CLIENT_ID', 'clientId'],
  ['CLIENT_SECRET', 'clientSecret'],
  ['scope', 'scopes'],
  ['callback_url', 'redirectUri'],
]);

/** Keys of other products without effect here. */
const harmless: ReadonlySet<string> = new Set(['enabled', 'type', 'oauth']);

const lost: ReadonlyMap<string, string> = new Map(
  ['authorizationUrl', 'tokenUrl', 'authorization_url', 'token_url'].map((key) => [
    key,
    'The authorization server is discovered from the server. To override it, set "authServerMetadataUrl".',
  ]),
);

type Report = (severity: 'error' | 'warning', key: string, reason: string, suggestion?: string) => void;

/** Reports problems with the key as written; omits unusable values. */
export function parseOAuthClient(written: Readonly<Record<string, unknown>>, report: Report): OAuthClient {
  const keys = new Map(Object.keys(written).map((key) => [ownName(key), key]));
  const keyOf = (field: string): string => keys.get(field) ?? field;
  const named = Object.entries(written)
    .filter(([, value]) => value !== null && value !== '')
    .map(([key, value]) => [ownName(key), value] as const);
  for (const [field] of named) {
    if (Object.hasOwn(oauthSchema.shape, field) || harmless.has(field)) continue;
    report('warning', keyOf(field), 'This OAuth setting has no effect.', lost.get(keyOf(field)));
  }
  const checked = oauthSchema.safeParse(Object.fromEntries(named), zodOptions);
  for (const issue of checked.error?.issues ?? [])
    report('error', keyOf(String(issue.path[0] ?? '')), describeIssue(issue));
  const read = checked.data ?? {};
  const { clientId, clientSecret, issuer, account } = read;
  const { scopes = [], extraParams = {}, authServerMetadataUrl, clientMetadataUrl } = read;
  const redirectUri = read.redirectUri ?? portAddress(read.callbackPort);
  if (redirectUri !== undefined && !/^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?\//.test(redirectUri)) {
    const reason = 'The redirect URI must be an address of this machine: http://127.0.0.1:PORT/path.';
    report('error', keyOf('redirectUri'), reason, 'Register such a redirect URI, or remove the setting.');
  }
  if (authServerMetadataUrl !== undefined && !isDocument(authServerMetadataUrl)) {
    const reason = 'An address that begins with https:// and names a document is expected here.';
    report('error', keyOf('authServerMetadataUrl'), reason);
  }
  const problem = clientMetadataUrl === undefined ? undefined : clientMetadataUrlProblem(clientMetadataUrl);
  if (problem !== undefined) report('error', keyOf('clientMetadataUrl'), problem);
  const { tokenExchange } = read;
  if (tokenExchange !== undefined && !isSafe(tokenExchange.tokenEndpoint))
    report('error', keyOf('tokenExchange'), 'A "tokenEndpoint" that begins with https:// is expected here.');
  return {
    clientId,
    clientSecret,
    redirectUri,
    extraParams,
    scopes: typeof scopes === 'string' ? scopes.split(/[\s,]+/).filter((scope) => scope !== '') : scopes,
    ...(issuer !== undefined && { issuer }),
    ...(account !== undefined && { account }),
    ...(authServerMetadataUrl !== undefined && { authServerMetadataUrl }),
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    ...(tokenExchange !== undefined && { tokenExchange }),
  };
}

/** Whether keys and tokens may be sent there: without TLS only to this machine. */
function isSafe(url: string): boolean {
  return /^https:\/\/[^/\s]/.test(url) || /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?\//.test(url);
}

/** `client_id` and similar keys are ours with underscores. */
function ownName(key: string): string {
  return spellings.get(key) ?? key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the redirect address in Claude Code's notation. */
function portAddress(port: number | undefined): string | undefined {
  return port === undefined ? undefined : `http://localhost:${port}/callback`;
}

/** Whether it can be a client ID metadata document; on this machine for a server under development. */
function isDocument(url: string): boolean {
  return /^https:\/\/[^/\s]+\/./.test(url) || /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?\/./.test(url);
}

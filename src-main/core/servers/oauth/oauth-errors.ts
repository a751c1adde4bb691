/** Errors of sign-ins. All require an action of the user, so all are `server_unauthorized`. */
import { IssuerMismatchError, OAuthError, RegistrationRejectedError } from '@modelcontextprotocol/client';
import { AppError } from '../../base/errors.ts';
import { isObject, tryParsePlainJson } from '../../base/json.ts';
import { maskText } from '../../base/mask.ts';
import { signInCommand } from '../network/http-errors.ts';

const maxQuotedChars = 200;

/** `what`: the end of a sentence that begins with the server's name; `fix`: by default, to sign in again. */
export function oauthError(serverName: string, what: string, { cause, fix }: { cause?: unknown; fix?: string } = {}) {
  return new AppError('server_unauthorized', `${serverName} ${what}.`, {
    fix: fix ?? `Sign in again: ${signInCommand(serverName)}.`,
    cause,
  });
}

/** The authorization server has no client registered for Tooltray, so the user must register one. */
export function clientRequiredError(serverName: string, issuer: string, redirectUrl: string): AppError {
  const { protocol, hostname, pathname } = new URL(redirectUrl);
  const where = protocol === 'https:' ? redirectUrl : `http://${hostname}${pathname} (any port)`;
  return oauthError(serverName, `does not support dynamic client registration at ${quoteForeignText(issuer)}`, {
    fix:
      `Register a client with the redirect URI ${where}, and set its ID in the server's entry: ` +
      `"oauth": { "clientId": "…" }. Or set an API key in the server's headers as Authorization.`,
  });
}

/** Any error on the way to tokens, without response bodies: those may contain secrets. */
export function toOAuthError(serverName: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof Error && error.cause instanceof AppError) return error.cause;
  if (OAuthError.isInstance(error)) return refusal(serverName, error);
  if (RegistrationRejectedError.isInstance(error)) return rejected(serverName, error);
  if (IssuerMismatchError.isInstance(error)) {
    const what = 'could not be signed in to: the response names a different issuer';
    return oauthError(serverName, what, { cause: error });
  }
  const what = `could not be signed in to: its authorization server ${unexpected(error)}`;
  return oauthError(serverName, what, { cause: error });
}

/** The defect of a response, as the end of a sentence: member names and a status, never the response's content. */
function unexpected(error: unknown): string {
  const members = wrongMembers(error);
  if (members !== undefined) return members === '' ? 'returned an unexpected response' : `returned no valid ${members}`;
  if (error instanceof SyntaxError) return 'returned invalid JSON';
  const [, status] = /\bHTTP (\d{3})\b/.exec(error instanceof Error ? error.message : '') ?? [];
  return status === undefined ? 'returned an unexpected response' : `returned HTTP ${status}`;
}

/** Maximum number of members that are named. */
const maxMembers = 3;

/** The members that the SDK's schemas find missing or wrong; undefined for any other error. */
function wrongMembers(error: unknown): string | undefined {
  const issues = error instanceof Error ? (error as { readonly issues?: unknown }).issues : undefined;
  if (!Array.isArray(issues)) return undefined;
  const names = issues.map((issue: unknown) =>
    isObject(issue) && Array.isArray(issue['path']) ? issue['path'].join('.') : '',
  );
  return [...new Set(names)]
    .filter((name) => /^[\w.]{1,60}$/.test(name))
    .slice(0, maxMembers)
    .join(', ');
}

function refusal(serverName: string, error: OAuthError): AppError {
  if (error.code === 'access_denied')
    return oauthError(serverName, 'could not be signed in to: access was denied', { cause: error });
  // The SDK reports other bodies as server_error with the body as the message.
  const said = error.code === 'server_error' ? '' : quoteForeignText(error.message);
  const what = `rejected the sign-in: ${quoteForeignText(error.code)}${said === '' ? '' : ` (${said})`}`;
  return oauthError(serverName, what, { cause: error });
}

/** Reports only the code of the body (RFC 7591 section 3.2.2). */
function rejected(serverName: string, error: RegistrationRejectedError): AppError {
  const code = registrationCode(error.body);
  const what = `did not register Tooltray (HTTP ${error.status}${code === undefined ? '' : `, ${code}`})`;
  const fix = 'Register a client with its operator and set its ID in the server’s entry: "oauth": { "clientId": "…" }.';
  return oauthError(serverName, what, { cause: error, fix });
}

function registrationCode(body: string): string | undefined {
  const value = tryParsePlainJson(body);
  const code = isObject(value) ? value['error'] : undefined;
  return typeof code === 'string' && /^[a-z_]{1,60}$/.test(code) ? code : undefined;
}

/** Returns foreign text on one line, without secrets and truncated. */
export function quoteForeignText(text: string): string {
  const clean = maskText(text.replace(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ').trim());
  return clean.slice(0, maxQuotedChars).replace(/\.$/, '');
}

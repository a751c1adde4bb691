/** What goes wrong while signing in, in one voice: all of it waits for the person, so all of it is `server_unauthorized`. */
import { OAuthError, RegistrationRejectedError } from '@modelcontextprotocol/client';
import { AppError } from '../../base/errors.ts';
import { maskText } from '../../base/mask.ts';
import { signInCommand } from '../network/http-errors.ts';

const maxQuotedChars = 200;

/** `what` ends a sentence that begins with the server's name. */
export function signInError(serverName: string, what: string, cause?: unknown): AppError {
  return new AppError('server_unauthorized', `${serverName} ${what}.`, {
    fix: `Sign in again: ${signInCommand(serverName)}.`,
    cause,
  });
}

/** Anything thrown on the way to tokens, told without the bodies of answers: those may hold what must stay secret. */
export function describeSignInFailure(serverName: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof Error && error.cause instanceof AppError) return error.cause;
  if (OAuthError.isInstance(error)) return refusal(serverName, error);
  if (RegistrationRejectedError.isInstance(error) || /dynamic client registration/.test(String(error))) {
    return new AppError(
      'server_unauthorized',
      `${serverName} does not let programs like Tooltray register themselves.`,
      {
        fix: "Get a key from its operator and put it into the server's headers as Authorization.",
        cause: error,
      },
    );
  }
  const kind = error instanceof Error ? error.name : 'Error';
  return signInError(
    serverName,
    `could not be signed in to, because its sign-in answered in an unexpected way (${kind})`,
    error,
  );
}

function refusal(serverName: string, error: OAuthError): AppError {
  if (error.code === 'access_denied')
    return signInError(serverName, 'was not signed in to: the request was denied', error);
  // A body that is no OAuth error comes as server_error with the body as its text.
  const said = error.code === 'server_error' ? '' : quote(error.message);
  return signInError(serverName, `refused the sign-in: ${quote(error.code)}${said === '' ? '' : ` (${said})`}`, error);
}

function quote(text: string): string {
  const clean = maskText(text.replace(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ').trim());
  return clean.slice(0, maxQuotedChars).replace(/\.$/, '');
}

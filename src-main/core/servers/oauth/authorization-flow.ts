/**
 * One sign-in on this machine, from the URL for the browser to the tokens, with the callback listener and a time
 * limit.
 */
import { AppError } from '../../base/errors.ts';
import { isSameToken } from '../../base/core-proof.ts';
import { CallbackListener } from './callback-listener.ts';
import { callbackPorts } from './client-metadata-document.ts';
import { toOAuthError, oauthError } from './oauth-errors.ts';
import {
  startPendingAuthorization,
  completeAuthorization,
  type AuthorizationState,
  type PendingAuthorizationOptions,
} from './pending-authorization.ts';

export interface AuthorizationFlow {
  /** The sign-in URL for a browser: https, or http on this machine. */
  readonly url: string;
  /** Resolves when the tokens are stored. Rejects with AppError: denied, refused, timed out, cancelled. */
  readonly done: Promise<void>;
  readonly cancel: () => void;
}

export interface AuthorizationFlowOptions extends PendingAuthorizationOptions {
  /** Timeout for the user, in ms. */
  readonly waitMs: number;
}

/** Resolves when the user can open the URL. Rejects with AppError `server_unauthorized` or `server_unreachable`. */
export async function startAuthorizationFlow(options: AuthorizationFlowOptions): Promise<AuthorizationFlow> {
  const { serverName, waitMs, registration, client, documentUrl } = options;
  const done = Promise.withResolvers<void>();
  const flow: { now?: AuthorizationState } = {};
  const listener = await CallbackListener.open({
    knowsState: (state) => flow.now !== undefined && isSameToken(state, flow.now.state),
    wishedPorts: [
      ...(registration === undefined ? [] : [Number(new URL(registration.redirectUrl).port)]),
      ...(documentUrl === undefined ? [] : callbackPorts),
    ],
    registered: client?.redirectUri === undefined ? undefined : new URL(client.redirectUri),
    onCallback: async (params) => {
      try {
        if (flow.now === undefined) throw oauthError(serverName, 'was not signed in to');
        const came = await completeAuthorization(params, flow.now, options);
        if ('next' in came) {
          flow.now = came.next;
          return { goTo: came.next.url };
        }
        done.resolve();
        return came;
      } catch (error) {
        const oauthError = toOAuthError(serverName, error);
        done.reject(oauthError);
        throw oauthError;
      }
    },
  });
  const late = (): void =>
    done.reject(oauthError(serverName, `could not be signed in to: no sign-in within ${minutes(waitMs)}`));
  const timer = setTimeout(late, waitMs);
  const end = (): void => {
    clearTimeout(timer);
    listener.close();
  };
  done.promise.then(end, end);
  try {
    flow.now = await startPendingAuthorization(options, listener.redirectUrl);
    return {
      url: flow.now.url,
      done: done.promise,
      cancel: () => done.reject(new AppError('cancelled', 'The sign-in was cancelled.')),
    };
  } catch (error) {
    const oauthError = toOAuthError(serverName, error);
    done.reject(oauthError);
    throw oauthError;
  }
}

function minutes(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

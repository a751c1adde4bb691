/**
 * Handles a user's own sign-in to a remote server: if it is missing, the caller receives the link; if the app can open
 * links, the user is asked, and the call continues after the sign-in. Source: MCP 2025-11-25 and 2026-07-28,
 * Elicitation, URL mode.
 */
import { randomUUID } from 'node:crypto';
import { AppError, toAppError } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import type { HttpServerConfig } from '../config/server-config.ts';
import type { Person } from '../security/principal.ts';
import { awaitWithProgress } from '../wire/await-with-progress.ts';
import { scalarOf } from '../wire/raw-json.ts';
import type { Transport } from '../wire/transport.ts';
import type { CallContext } from './in-flight-calls.ts';
import type { ListingFailure } from './first-listing.ts';
import { labelServerRequest } from './server-initiated-requests.ts';
import type { ServerState } from './server-state.ts';

/** Each user's access to remote servers; provided by the edition. */
export interface PerUserAccess {
  /** Opens a connection with this user's sign-in; throws AppError at the limit of connections. */
  readonly connect: (config: HttpServerConfig, person: Person) => Transport;
  /** Idle time after which such a connection is closed, in ms. */
  readonly idleMs: number;
  /** The sign-in link for this user and refusal; undefined if signing in would not help. Rejects with AppError. */
  readonly link: (config: HttpServerConfig, person: Person, refused: AppError) => Promise<string | undefined>;
  /** Resolves when the user has signed in again. Rejects if `signal` is aborted. */
  readonly onSignedIn: (config: HttpServerConfig, person: Person, signal: AbortSignal) => Promise<void>;
}

interface OwnSignInParts {
  readonly config: HttpServerConfig;
  readonly access: PerUserAccess;
  readonly personOf: (context: CallContext) => Person;
  /** Sends a notification to the session that received the request. */
  readonly notify: (method: string, params: JsonObject, sessionId: string) => void;
}

/** How long a call waits for a user who has started to sign in, in ms; most client apps time out earlier. */
const signInTimeoutMs = 3 * 60_000;

export class PerUserSignIn {
  readonly #parts: OwnSignInParts;
  /** Users with an open prompt: one at a time is enough. */
  readonly #promptedUsers = new Set<string>();

  constructor(parts: OwnSignInParts) {
    this.#parts = parts;
  }

  /**
   * Returns the result of `attempt`. If it needs a sign-in, repeats it after that. Rejects like `attempt`, with the
   * link.
   */
  async withSignIn<T>(context: CallContext, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      const link = await this.#linkFor(error, context);
      if (link === undefined) throw this.#withoutLink(error);
      // The server rejected the request unprocessed, so it may be repeated.
      if (await this.#signsIn(context, link)) return this.#again(context, attempt);
      throw withLink(this.#parts.config.name, error, link);
    }
  }

  async #again<T>(context: CallContext, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      const link = await this.#linkFor(error, context);
      throw link === undefined ? error : withLink(this.#parts.config.name, error, link);
    }
  }

  /** If tokens are exchanged for those of users, the error does not ask the user to sign in there. */
  #withoutLink(error: unknown): unknown {
    const isRefused =
      error instanceof AppError && error.code === 'server_unauthorized' && 'status' in (error.data ?? {});
    if (!isRefused || this.#parts.config.oauth?.tokenExchange === undefined) return error;
    const fix = 'The server rejects the exchanged token. Ask the administrator of Tooltray to check tokenExchange.';
    return new AppError(error.code, error.message, { fix, cause: error, ...(error.data && { data: error.data }) });
  }

  async #linkFor(error: unknown, context: CallContext): Promise<string | undefined> {
    if (!(error instanceof AppError) || error.code !== 'server_unauthorized') return undefined;
    const { access, config, personOf } = this.#parts;
    return access.link(config, personOf(context), error);
  }

  /** Whether the user has signed in after their app asked them. */
  async #signsIn(context: CallContext, link: string): Promise<boolean> {
    const { access, config, personOf } = this.#parts;
    const person = personOf(context);
    const key = JSON.stringify(person);
    if (!opensLinks(context) || this.#promptedUsers.has(key)) return false;
    this.#promptedUsers.add(key);
    const over = new AbortController();
    const signedIn = access.onSignedIn(config, person, AbortSignal.any([context.signal, over.signal]));
    // Rejections are ignored if nobody waits.
    signedIn.catch(() => undefined);
    try {
      const elicitationId = randomUUID();
      if (!(await this.#agrees(context, link, elicitationId))) return false;
      const isThrough = await this.#wait(signedIn, context, over);
      // 2026-07-28 has no such notification.
      if (isThrough && !context.acceptsInputRequired)
        this.#parts.notify('notifications/elicitation/complete', { elicitationId }, context.sessionId);
      return isThrough;
    } finally {
      over.abort('no longer awaited');
      this.#promptedUsers.delete(key);
    }
  }

  async #agrees(context: CallContext, url: string, elicitationId: string): Promise<boolean> {
    const { config } = this.#parts;
    const message = `Sign in to ${config.name} with your own account. Only your calls use it.`;
    const params = labelServerRequest(config.name, 'elicitation/create', { mode: 'url', message, url, elicitationId });
    const answer = await context.askClient('elicitation/create', params, context.signal);
    return scalarOf(answer, 'action') === 'accept';
  }

  async #wait(signedIn: Promise<void>, context: CallContext, over: AbortController): Promise<boolean> {
    const { name } = this.#parts.config;
    const timer = setTimeout(() => over.abort('timed out'), signInTimeoutMs);
    const message = (seconds: number): string => `Waiting for the sign-in to ${name}, ${seconds} s`;
    try {
      const coming = signedIn.then(
        () => true,
        () => false,
      );
      return await awaitWithProgress(coming, { limitMs: signInTimeoutMs, message }, context);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Whether the app opens links; `{}` means forms only. */
function opensLinks({ clientCapabilities }: CallContext): boolean {
  return isObject(objectOrEmpty(clientCapabilities['elicitation'])['url']);
}

function withLink(server: string, error: unknown, link: string): AppError {
  const { data, message } = toAppError(error);
  return new AppError('server_unauthorized', message, {
    fix: `Show the calling user this personal sign-in link, valid for 15 minutes, and call again after the sign-in: ${link}`,
    cause: error,
    data: { ...data, server, signIn: link },
  });
}

/** The state of a server whose lists could not be read yet, usually because no user has signed in. */
export function unlistedState(server: string, failure: ListingFailure): ServerState {
  if (failure.error.code !== 'server_unauthorized') return { kind: 'error', ...failure };
  const why = `${server} needs a sign-in per user, and no user has signed in yet.`;
  const fix = 'Its tools are listed after the first sign-in.';
  return { kind: 'pending-sign-in', error: new AppError('server_unauthorized', why, { fix, data: { server } }) };
}

/**
 * Scopes that a server requests beyond the granted ones (403 `insufficient_scope`), which need the user's approval.
 * Source: MCP 2026-07-28, Step-Up Authorization Flow.
 */
import { AppError } from '../../base/errors.ts';
import { joinNames } from '../../trust/inbox/entry-consequences.ts';
import { describeScopes, splitScope } from './describe-scopes.ts';
import type { StoredAuthorization } from './grant-store.ts';

/** The scopes requested from the user for one server. */
export interface RequestedScopes {
  /** The missing scopes. */
  readonly scopes: readonly string[];
  /** ms since 1970. */
  readonly at: number;
}

/** Maximum number of requests for scopes that were granted already; afterwards the problem is another one. */
const maxRepeats = 2;
/** Maximum number of scopes in a request, because nobody reads more before deciding. */
const maxScopes = 50;

export class ScopeRequests {
  readonly #server: string;
  readonly #onChange: () => void;
  /** How often the scopes of a challenge have been granted, by scope set. */
  readonly #granted = new Map<string, number>();
  #wanted: RequestedScopes | undefined;
  #isOnTheWay = false;

  constructor(server: string, onChange: () => void) {
    this.#server = server;
    this.#onChange = onChange;
  }

  get wanted(): RequestedScopes | undefined {
    return this.#wanted;
  }

  /** Records what a 403 requests, and returns the error for the caller; undefined if it names no scopes. */
  onInsufficientScope(challenged: string | undefined, stored: StoredAuthorization): AppError | undefined {
    const requested = splitScope(challenged).slice(0, maxScopes);
    const { grant, refused } = stored;
    if (requested.length === 0 || grant === undefined) return undefined;
    const given = new Set(splitScope(grant.tokens.scope ?? grant.requestedScope));
    const missing = requested.filter((scope) => !given.has(scope));
    if (missing.length === 0 || (this.#granted.get(keyOf(missing)) ?? 0) >= maxRepeats) return this.#useless(requested);
    if (missing.some((scope) => refused?.scopes.includes(scope))) return this.#refusal(missing, saidNo);
    if (this.#isOnTheWay) return this.#refusal(missing, onTheWay);
    if (this.#wanted === undefined || keyOf(this.#wanted.scopes) !== keyOf(missing)) {
      this.#wanted = { scopes: missing, at: Date.now() };
      this.#onChange();
    }
    return this.#refusal(missing, wasRequested);
  }

  /** Whether a sign-in for the requested scopes is in progress. */
  set isOnTheWay(isOnTheWay: boolean) {
    this.#isOnTheWay = isOnTheWay;
  }

  /** Records the scopes that a sign-in granted. */
  onGranted(requested: string | undefined): void {
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    const given = new Set(splitScope(requested));
    if (!wanted.scopes.every((scope) => given.has(scope))) return;
    const key = keyOf(wanted.scopes);
    this.#granted.set(key, (this.#granted.get(key) ?? 0) + 1);
    this.forget();
  }

  /** Removes the pending request. */
  forget(): void {
    if (this.#wanted === undefined) return;
    this.#wanted = undefined;
    this.#onChange();
  }

  #useless(requested: readonly string[]): AppError {
    const text = `${this.#server} rejects this although the user has granted its scopes: ${inWords(requested)}.`;
    return refusal(text, 'Continue without it; ask its operator what is missing.', requested);
  }

  #refusal(missing: readonly string[], next: string): AppError {
    const text = `${this.#server} requires more scopes than the user has granted: ${inWords(missing)}.`;
    return refusal(text, next, missing);
  }
}

const wasRequested = 'Tooltray is asking the user. Continue without it; call again after they approve.';
const onTheWay = 'The user is signing in to grant them. Call again after that.';
const saidNo = 'The user declined. Continue without it.';

function inWords(scopes: readonly string[]): string {
  return joinNames(describeScopes(scopes).map(({ text }) => text));
}

function refusal(text: string, fix: string, scopes: readonly string[]): AppError {
  return new AppError('server_unauthorized', text, { fix, data: { status: 403, scopes } });
}

function keyOf(scopes: readonly string[]): string {
  return [...scopes].sort().join(' ');
}

/** The reason why a server cannot respond, as an error for callers of its tools, and in a few words for lists. */
import { AppError, joinSentences, addFix } from '../base/errors.ts';
import { maskText } from '../base/mask.ts';
import { settleWithin } from '../base/settle-within.ts';
import type { LeaseHandle } from '../config/server-config.ts';
import { reviewCommand } from '../config/server-holds.ts';
import { awaitWithProgress } from '../wire/await-with-progress.ts';
import type { CallContext } from './in-flight-calls.ts';
import { clearDamagedFolder } from './launch/package-runner.ts';
import { signInCommand } from './network/http-errors.ts';
import { formatSeconds, type ServerState } from './server-state.ts';
import type { ServerLog } from './transports/server-log.ts';

export type UnavailabilityKind =
  | 'unusable'
  | 'off'
  | 'setup'
  | 'in-review'
  | 'paused'
  | 'starting'
  | 'sign-in'
  | 'failed';

export interface ServerUnavailability {
  readonly kind: UnavailabilityKind;
  /** The state, its cause and a fix. */
  readonly error: AppError;
  /** For lists of servers: `starting, 12 s`. */
  readonly brief: string;
  /** Whether it is starting, so that a caller may wait for a result. */
  readonly coming?: boolean;
}

interface StatusInput {
  readonly name: string;
  readonly state: ServerState;
  /** Whether its tools are known, so that a call may start it. */
  readonly listed: boolean;
  /** Why its config entry is invalid, if it is. */
  readonly flaw?: string | undefined;
  /** Why it is not running although its entry is enabled. */
  readonly held?: LeaseHandle | undefined;
  /** A launch configuration found elsewhere that the user could apply, as a sentence. */
  readonly knownFix?: string | undefined;
  /** The error for calls while all servers are paused; undefined if they are not. */
  readonly pause?: AppError | undefined;
  /** Now, in ms since 1970. */
  readonly now: number;
}

/** Maximum length of a cause in a list, in characters; calling a tool returns it in full. */
const maxSummaryLength = 80;

/** Number of consecutive failures from which on a server counts as not responding. */
const persistentFailureCount = 3;

/** A problem that only the user can solve, in a few words; undefined if it may pass. */
export function persistentProblem(state: ServerState): string | undefined {
  switch (state.kind) {
    case 'pending-sign-in':
    case 'authenticating':
      return 'needs sign-in';
    case 'error':
    case 'connecting':
    case 'installing':
    case 'discovering':
      return state.failures >= persistentFailureCount ? 'not responding' : undefined;
    case 'ready':
    case 'disabled':
    case 'disconnected':
      return undefined;
  }
}

/** Undefined for a server that responds or that a call would start. */
export function unavailabilityOf({
  name,
  state,
  listed,
  flaw,
  held,
  knownFix,
  pause,
  now,
}: StatusInput): ServerUnavailability | undefined {
  if (flaw !== undefined) return { kind: 'unusable', error: unusable(name, flaw), brief: 'its entry has an error' };
  if (state.kind === 'disabled') {
    if (held === undefined) return { kind: 'off', error: serverDisabledError(name), brief: 'disabled' };
    if (held === 'setup') return { kind: 'setup', error: needsSetup(name), brief: 'needs setup' };
    return {
      kind: 'in-review',
      error: inReview(name, held),
      brief: held === 'review' ? 'waits for review' : 'blocked',
    };
  }
  if (pause !== undefined) return { kind: 'paused', error: pause, brief: 'paused' };
  switch (state.kind) {
    case 'connecting':
    case 'discovering': {
      if (state.error !== undefined) return again(name, addFix(state.error, knownFix));
      const age = `${Math.max(0, Math.round((now - state.since) / 1000))} s`;
      return { kind: 'starting', error: starting(name, age), brief: `starting, ${age}`, coming: true };
    }
    case 'installing': {
      const age = `${Math.max(0, Math.round((now - state.since) / 1000))} s`;
      return { kind: 'starting', error: installing(name, age), brief: `installing, ${age}` };
    }
    case 'pending-sign-in':
      return { kind: 'sign-in', error: state.error, brief: 'needs sign-in' };
    case 'authenticating':
      return { kind: 'sign-in', error: signInPendingError(name), brief: 'signing in' };
    case 'error':
      return failed(
        name,
        addFix(state.error, knownFix),
        `Next retry in ${Math.max(1, Math.round((state.retryAt - now) / 1000))} s.`,
      );
    case 'disconnected':
      return listed ? undefined : { kind: 'starting', error: starting(name, '0 s'), brief: 'starting', coming: true };
    case 'ready':
      return undefined;
  }
}

function unusable(server: string, flaw: string): AppError {
  return new AppError('config_invalid', `The entry of ${server} in the config cannot be used: ${flaw}`, {
    fix: 'The user can correct it; tooltray config validate shows where.',
  });
}

export function serverDisabledError(server: string): AppError {
  return new AppError('server_disabled', `${server} is disabled.`, {
    fix: `The user can enable it: tooltray enable ${server}.`,
  });
}

function needsSetup(server: string): AppError {
  return new AppError('server_disabled', `${server} needs setup: a value that its entry requires is not set.`, {
    fix: `Continue without it. The user can set the value; tooltray config validate ${server} shows which.`,
  });
}

/** The error for a server in review, or blocked after it. */
function inReview(server: string, held: 'review' | 'blocked'): AppError {
  const said = held === 'review' ? "needs the user's review before it starts" : 'was blocked by the user';
  return new AppError('server_disabled', `${server} ${said}.`, {
    fix: `Continue without it. The user or an administrator can accept it: ${reviewCommand(server)}.`,
  });
}

export function signInPendingError(server: string): AppError {
  return new AppError('server_unauthorized', `${server} is waiting for a sign-in in the browser.`, {
    fix: `Call again when that is done. To restart the sign-in: ${signInCommand(server)}.`,
  });
}

/** Error for a server that needs a new sign-in. */
export function signedOutError(server: string): AppError {
  return new AppError('server_unauthorized', `The user has signed out of ${server}.`, {
    fix: `Continue without it. To sign in again: ${signInCommand(server)}.`,
  });
}

function starting(server: string, age: string): AppError {
  return new AppError('server_starting', `${server} is still starting (${age}).`, { fix: 'Call again shortly.' });
}

/** Interval at which a waiting caller checks for an installation, in ms. */
const installPollMs = 250;

/**
 * Returns the result of `coming`. Rejects with AppError `server_starting` if a package must be fetched, which may take
 * minutes.
 */
export async function unlessInstalling<T>(name: string, stateOf: () => ServerState, coming: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = coming.finally(() => (isSettled = true));
  settled.catch(() => undefined);
  while (!isSettled) {
    const state = stateOf();
    if (state.kind === 'installing') throw installing(name, formatSeconds(Date.now() - state.since));
    await settleWithin(settled, installPollMs);
  }
  return coming;
}

/** Removes the damaged package that the server's failure names. Rejects with the system's error. */
export async function clearPackage(state: ServerState, log: ServerLog): Promise<void> {
  const folder = state.kind === 'error' ? state.error.data?.['damagedFolder'] : undefined;
  if (typeof folder !== 'string') return;
  const isCleared = await clearDamagedFolder(folder);
  log.appendEvent(
    isCleared
      ? `Removed ${folder}, which contained an incomplete package.`
      : `${folder} is not an npx folder and was not removed.`,
  );
}

function installing(server: string, age: string): AppError {
  return new AppError('server_starting', `${server} is being installed (${age}).`, {
    fix: 'Continue without it, or call again in a few minutes.',
  });
}

/** The error for a server that failed and is being retried. */
function again(server: string, error: AppError): ServerUnavailability {
  return { ...failed(server, error, 'Retrying now.'), coming: true };
}

function failed(server: string, error: AppError, next: string): ServerUnavailability {
  const masked = new AppError(error.code, maskText(error.message), {
    fix: error.fix === undefined ? next : joinSentences(error.fix, next),
    cause: error,
    ...(error.data && { data: error.data }),
  });
  return { kind: 'failed', error: masked, brief: causeOf(server, error) };
}

/** The cause without the server's name, shortened for a list. */
function causeOf(server: string, { message }: AppError): string {
  const text = maskText(message);
  const rest = text.startsWith(server) ? text.slice(server.length).replace(/^[:\s]+/, '') : text;
  const whole = rest.replace(/\.$/, '');
  return whole.length <= maxSummaryLength ? whole : `${whole.slice(0, maxSummaryLength - 1).trimEnd()}…`;
}

/** `limitMs`: time limit of the start. Rejects as `coming` does, or with AppError cancelled. */
export function awaitStart<T>(
  server: string,
  limitMs: number,
  coming: Promise<T>,
  context: Pick<CallContext, 'signal' | 'onProgress'>,
): Promise<T> {
  return awaitWithProgress(coming, { limitMs, message: (seconds) => `${server} is starting, ${seconds} s` }, context);
}

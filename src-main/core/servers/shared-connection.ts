/** The connection that all sessions share: opened on demand, checked for loss, retried after a pause. */
import { setTimeout as delay } from 'node:timers/promises';
import { AppError, toAppError } from '../base/errors.ts';
import { RpcError } from '../wire/message.ts';
import type { Connection } from './connection.ts';
import { isSessionLost } from './lost-session.ts';
import { signInPendingError, serverDisabledError } from './server-availability.ts';
import type { ServerState } from './server-state.ts';
import type { AuthorizationFlow } from './oauth/authorization-flow.ts';

export interface SharedConnectionOptions {
  readonly server: string;
  readonly enabled: boolean;
  readonly pause: PauseSwitch;
  readonly now: () => number;
  /** Random number from 0 to 1, for the jitter. */
  readonly random: () => number;
  /** Opens and initializes a connection; `closed` is called when it ends. */
  readonly open: (closed: (connection: Connection, error?: Error) => void) => Promise<Connection>;
  /** Called when a connection is open; its listing is read next. */
  readonly onOpen: (connection: Connection) => void;
  readonly onClose: () => void;
  /** For the log: the server has forgotten our session, and a new one is opened. */
  readonly onRenew: () => void;
  /** Whether a package is being fetched for the connection. */
  readonly isInstalling: () => boolean;
  readonly onState: () => void;
  /**
   * For the log: the connection could not be opened or was lost. `retryMs`: time until the next attempt; undefined:
   * the user must act.
   */
  readonly onFailed: (error: AppError, retryMs: number | undefined) => void;
}

/** A connection that lasted this long resets the back-off, in ms. */
const minStableMs = 30_000;
/**
 * A call does not reconnect to a server that failed within this time, unless that was the first failure. If the server
 * exited with code 0, the call waits for this time. In ms.
 */
const failureCooldownMs = 500;
/** A start that takes longer counts as an installation, in ms. */
const shownAsInstallMs = 3000;
const installPollMs = 500;
/** How long pending requests may take on a connection whose session is lost, in ms. */
const renewedWithinMs = 2000;

export class SharedConnection {
  readonly #options: SharedConnectionOptions;
  #state: ServerState;
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #failures = 0;
  #failedAt = 0;
  /** The connection was lost for the first time, so the next caller opens a new one at once. */
  #mayReopen = false;
  /** The connection was lost because the server exited with code 0. */
  #exitedCleanly = false;
  /** Number of sessions lost before anything was read. */
  #renewals = 0;
  /** A process that is still ending may hold ports, locks or profiles that the next one needs. */
  #ending: Promise<unknown> = Promise.resolve();
  #retryTimer: NodeJS.Timeout | undefined;
  #attempt: Promise<AuthorizationFlow> | undefined;
  #stopped = false;
  /** While `close` waits for the end of an opening, which then counts as no failure. */
  #isClosing = false;
  /** Whether the next start is a restart: the server was ready before and did not fall asleep. */
  #isRepeat = false;
  #restarts = 0;

  constructor(options: SharedConnectionOptions) {
    this.#options = options;
    this.#state = { kind: options.enabled ? 'disconnected' : 'disabled' };
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Number of restarts, after a failure or by the user; idle stops are not counted. */
  get restarts(): number {
    return this.#restarts;
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Returns the connection, opened if needed. Rejects with AppError that names the server. */
  connect(): Promise<Connection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    const { server, now, pause } = this.#options;
    const state = this.#state;
    if (state.kind === 'disabled') return Promise.reject(serverDisabledError(server));
    if (this.#stopped) return Promise.reject(new AppError('server_not_started', `${server} was stopped.`));
    if (pause.isOn) return Promise.reject(pause.pausedError(server));
    if (state.kind === 'pending-sign-in') return Promise.reject(state.error);
    if (state.kind === 'authenticating') return Promise.reject(signInPendingError(server));
    const waitMs = this.#mayReopen ? 0 : this.#failedAt + failureCooldownMs - now();
    const rests = state.kind === 'error' && waitMs > 0;
    if (rests && !this.#exitedCleanly) return Promise.reject(state.error);
    const opening = (): Promise<Connection> => (rests ? delay(waitMs).then(() => this.#open()) : this.#open());
    this.#opening ??= opening().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** Called when the listing is read. */
  markReady(): void {
    if (this.#connection === undefined) return;
    this.#renewals = 0;
    this.#set({ kind: 'ready', since: this.#state.kind === 'ready' ? this.#state.since : this.#options.now() });
  }

  /** Called when the connection ended or became unusable. */
  onLost(connection: Connection, error: Error | undefined): void {
    if (connection !== this.#connection) return;
    this.#isRepeat = true;
    this.#drop();
    if (isSessionLost(error) && this.#renewals === 0 && !this.#stopped) return this.#renew(connection);
    this.#end(connection);
    if (this.#stopped) return;
    const { now } = this.#options;
    if (this.#state.kind === 'ready' && now() - this.#state.since > minStableMs) this.#failures = 0;
    this.#mayReopen = this.#failures === 0;
    this.#exitedCleanly = isCleanExit(error);
    this.#fail(error ?? new AppError('server_exited', 'The server ended the connection.'));
  }

  /** Closes, resets the back-off and opens again; waits if a connection is being opened. */
  async reopen(): Promise<void> {
    if (this.#opening === undefined) {
      this.#isRepeat ||= this.#connection !== undefined;
      await this.close();
      this.#failures = 0;
      this.#failedAt = 0;
    }
    await this.connect();
  }

  /**
   * Closes and starts a sign-in; the state then changes to `ready` or back to `pending-sign-in`. Concurrent callers
   * share the attempt. Rejects with the reason if none can start.
   */
  authenticate(begin: () => Promise<AuthorizationFlow>): Promise<AuthorizationFlow> {
    const { server, now } = this.#options;
    if (this.#state.kind === 'disabled') return Promise.reject(serverDisabledError(server));
    if (this.#attempt !== undefined) return this.#attempt;
    const attempt = this.#hangUp().then(() => {
      if (this.#attempt !== attempt) throw new AppError('cancelled', `${server} is being stopped or restarted.`);
      this.#set({ kind: 'authenticating', since: now() });
      return begin();
    });
    this.#attempt = attempt;
    const isCurrent = (): boolean => this.#attempt === attempt;
    attempt
      .then(({ done }) => done)
      .then(
        () => (isCurrent() ? this.reopen() : undefined),
        (error: unknown) => (isCurrent() ? this.#notSignedIn(error) : undefined),
      )
      // The state reports the error.
      .catch(() => undefined);
    return attempt;
  }

  /** Closes the connection; the next request opens it again. */
  async close(): Promise<void> {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    attempt?.then(
      ({ cancel }) => cancel(),
      () => undefined,
    );
    await this.#hangUp();
  }

  /** Stops retrying until a user has signed in. */
  awaitSignIn(error: AppError): void {
    if (this.#state.kind !== 'disabled') this.#set({ kind: 'pending-sign-in', error });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.close();
  }

  async #hangUp(): Promise<void> {
    this.#isClosing = true;
    if (this.#opening !== undefined) await this.#opening.catch(() => undefined);
    this.#isClosing = false;
    clearTimeout(this.#retryTimer);
    const connection = this.#connection;
    this.#drop();
    if (connection !== undefined) this.#end(connection);
    // Set before the wait, because a caller may open a new connection meanwhile, which must stay open.
    if (this.#state.kind !== 'disabled') this.#set({ kind: 'disconnected' });
    await this.#ending;
  }

  #notSignedIn(error: unknown): void {
    this.#attempt = undefined;
    this.#set({ kind: 'pending-sign-in', error: withServerName(this.#options.server, error) });
  }

  /** Opens a new session at once, because losing the session is no failure of the server. */
  #renew(connection: Connection): void {
    this.#renewals++;
    this.#options.onRenew();
    void connection.closeWhenDone(renewedWithinMs);
    this.#set({ kind: 'disconnected' });
    // The state reports the error.
    this.connect().catch(() => undefined);
  }

  async #open(): Promise<Connection> {
    if (this.#stopped) throw new AppError('server_not_started', `${this.#options.server} was stopped.`);
    clearTimeout(this.#retryTimer);
    this.#mayReopen = false;
    this.#exitedCleanly = false;
    const before = this.#state.kind === 'error' ? { error: this.#state.error } : {};
    this.#set({ kind: 'connecting', since: this.#options.now(), failures: this.#failures, ...before });
    const watch = setInterval(() => this.#inspectInstall(), installPollMs).unref();
    try {
      await this.#ending;
      const connection = await this.#options.open((one, error) => this.onLost(one, error));
      this.#connection = connection;
      if (this.#isRepeat) this.#restarts++;
      this.#isRepeat = false;
      this.#set({ kind: 'discovering', since: this.#options.now(), failures: this.#failures, ...before });
      this.#options.onOpen(connection);
      return connection;
    } catch (error) {
      throw this.#fail(error);
    } finally {
      clearInterval(watch);
    }
  }

  /** Shows an installation only after a delay: a fetch takes minutes, and an installed server responds before this. */
  #inspectInstall(): void {
    const state = this.#state;
    const { now, isInstalling } = this.#options;
    if (state.kind !== 'connecting' && state.kind !== 'installing') return;
    const kind = isInstalling() && now() - state.since >= shownAsInstallMs ? 'installing' : 'connecting';
    if (kind !== state.kind) this.#set({ ...state, kind });
  }

  /** Records a failure and schedules the next attempt; after a rejected sign-in it waits for the user. */
  #fail(error: unknown): AppError {
    const { server, now, random } = this.#options;
    const named = withServerName(server, error);
    if (this.#isClosing) return named;
    this.#failures++;
    this.#failedAt = now();
    if (this.#stopped) return named;
    if (named.code === 'server_unauthorized') {
      this.#options.onFailed(named, undefined);
      this.#set({ kind: 'pending-sign-in', error: named });
      return named;
    }
    const delayMs = backoffMs(this.#failures, random);
    this.#options.onFailed(named, delayMs);
    this.#set({ kind: 'error', error: named, failures: this.#failures, retryAt: now() + delayMs });
    this.#retryTimer = setTimeout(() => void this.connect().catch(() => undefined), delayMs);
    return named;
  }

  #end(connection: Connection): void {
    this.#ending = Promise.all([this.#ending, connection.close()]);
  }

  #drop(): void {
    if (this.#connection === undefined) return;
    this.#connection = undefined;
    this.#options.onClose();
  }

  #set(state: ServerState): void {
    this.#state = state;
    this.#options.onState();
  }
}

function isCleanExit(error: Error | undefined): boolean {
  return error instanceof AppError && error.code === 'server_exited' && error.data?.['code'] === 0;
}

// Back-off of retries: doubles from one second to five minutes, with jitter so that servers do not reconnect in step.

const firstMs = 1000;
const maxMs = 5 * 60_000;

/** Delay before the attempt after `failures` consecutive failures (at least 1), in ms; `random` returns 0 to 1. */
export function backoffMs(failures: number, random: () => number): number {
  const base = Math.min(firstMs * 2 ** (failures - 1), maxMs);
  return Math.round(base * (0.75 + random() * 0.5));
}

/** Adds the server's name to any failure of a connection. */
export function withServerName(server: string, error: unknown): AppError {
  const known = toAppError(error, error instanceof RpcError ? 'server_protocol' : 'server_unreachable');
  if (known.data?.['server'] === server) return known;
  return new AppError(known.code, known.message.startsWith(server) ? known.message : `${server}: ${known.message}`, {
    ...(known.fix !== undefined && { fix: known.fix }),
    cause: known.cause ?? error,
    data: { ...known.data, server },
  });
}

/** Pauses all servers on request of the user: nothing is started or called meanwhile. */
export class PauseSwitch {
  #isOn = false;

  get isOn(): boolean {
    return this.#isOn;
  }

  set(isOn: boolean): void {
    this.#isOn = isOn;
  }

  /** The error for requests while paused. */
  pausedError(server: string): AppError {
    return new AppError('paused', `Tooltray is paused, so ${server} is not running.`, {
      fix: 'The user can resume it in the tray or the dashboard, or with: tooltray resume.',
    });
  }
}

// Detects that a server has been idle, so that it may be stopped.

interface IdleWatchOptions {
  /** Idle time in ms; undefined: never. */
  readonly idleMs: number | undefined;
  readonly now: () => number;
  /** Returns whether a request is still pending, however old. */
  readonly isBusy: () => boolean;
  readonly onIdle: () => void;
}

export class IdleTimer {
  readonly #options: IdleWatchOptions;
  #usedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: IdleWatchOptions) {
    this.#options = options;
  }

  used(): void {
    this.#usedAt = this.#options.now();
  }

  /** Starts or continues; ends by itself after the server was idle. */
  start(): void {
    const { idleMs } = this.#options;
    this.used();
    if (idleMs === undefined || this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#look(idleMs), Math.max(10, idleMs / 4));
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(idleMs: number): void {
    const { now, isBusy, onIdle } = this.#options;
    if (now() - this.#usedAt < idleMs || isBusy()) return;
    this.stop();
    onIdle();
  }
}

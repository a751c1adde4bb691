/**
 * Subscriptions of sessions to one server over its shared connection: reference-counted resource updates, and the most
 * verbose log level that a session requested. Sent as the server's protocol requires.
 */
import { errorText } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import type { Result } from '../wire/message.ts';
import { tasksExtension } from './extension-set.ts';
import type { Connection } from './connection.ts';
import type { Handshake } from './handshake.ts';

/** RFC 5424, least severe first; MCP's logging levels. */
export const logLevels: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

const defaultRelistenMs = 2000;
const maxRelistenDelayMs = 5 * 60_000;
/** A stream that lasted this long did not fail, in ms. */
const minStableMs = 30_000;

export class ServerSubscriptions {
  readonly #connection: () => Connection | undefined;
  readonly #announce: (method: string) => void;
  readonly #sessionsByUri = new Map<string, Set<string>>();
  readonly #levelBySession = new Map<string, string>();
  /** Number of subscribers of each task. */
  readonly #tasks = new Map<string, number>();
  #era: Handshake['era'] = 'legacy';
  #capabilities: JsonObject = {};
  #listening: AbortController | undefined;
  readonly #relistenMs: number;
  /** Number of consecutive short streams. */
  #briefStreams = 0;

  /** `announce`: called with a list_changed method when changes may have been missed. */
  constructor(
    connection: () => Connection | undefined,
    announce: (method: string) => void,
    relistenMs: number = defaultRelistenMs,
  ) {
    this.#connection = connection;
    this.#announce = announce;
    this.#relistenMs = relistenMs;
  }

  /** Renews all subscriptions on a new connection. */
  opened(handshake: Handshake): void {
    this.#era = handshake.era;
    this.#capabilities = handshake.capabilities;
    this.#briefStreams = 0;
    if (this.#era === 'modern') this.#listen();
    else {
      for (const uri of this.#sessionsByUri.keys()) this.#quietly('resources/subscribe', { uri });
      if (this.#levelBySession.size > 0) this.#sendLevel();
    }
  }

  /** Whether a session is subscribed to a resource. */
  get isUsed(): boolean {
    return this.#sessionsByUri.size > 0 || this.#tasks.size > 0;
  }

  /** Returns a function that unsubscribes; undefined if the server does not report tasks. */
  subscribeTask(taskId: string): (() => void) | undefined {
    if (this.#era !== 'modern' || !isObject(objectOrEmpty(this.#capabilities['extensions'])[tasksExtension]))
      return undefined;
    const count = (by: number): void => {
      const before = this.#tasks.get(taskId) ?? 0;
      if (before + by > 0) this.#tasks.set(taskId, before + by);
      else this.#tasks.delete(taskId);
      if (before === 0 || before + by === 0) this.#listen();
    };
    count(1);
    return () => count(-1);
  }

  sessions(uri: string): ReadonlySet<string> {
    return this.#sessionsByUri.get(uri) ?? new Set();
  }

  async add(uri: string, sessionId: string): Promise<Result> {
    const known = this.#sessionsByUri.get(uri);
    if (known !== undefined) {
      known.add(sessionId);
      return {};
    }
    this.#sessionsByUri.set(uri, new Set([sessionId]));
    try {
      return await this.#tell('resources/subscribe', uri);
    } catch (error) {
      this.#sessionsByUri.delete(uri);
      throw error;
    }
  }

  async remove(uri: string, sessionId: string): Promise<Result> {
    const known = this.#sessionsByUri.get(uri);
    if (known?.delete(sessionId) !== true || known.size > 0) return {};
    this.#sessionsByUri.delete(uri);
    return this.#tell('resources/unsubscribe', uri);
  }

  setLogLevel(level: string, sessionId: string): void {
    this.#levelBySession.set(sessionId, level);
    this.#sendLevel();
  }

  endSession(sessionId: string): void {
    if (this.#levelBySession.delete(sessionId)) this.#sendLevel();
    for (const uri of [...this.#sessionsByUri.keys()]) {
      void this.remove(uri, sessionId).catch(() => undefined);
    }
  }

  async #tell(method: string, uri: string): Promise<Result> {
    if (this.#era === 'legacy') return (await this.#connection()?.request(method, { uri })) ?? {};
    this.#listen();
    return {};
  }

  #sendLevel(): void {
    if (this.#era !== 'legacy' || !isObject(this.#capabilities['logging'])) return;
    const wanted = logLevels.find((level) => [...this.#levelBySession.values()].includes(level));
    if (wanted !== undefined) this.#quietly('logging/setLevel', { level: wanted });
  }

  #quietly(method: string, params: JsonObject): void {
    this.#connection()
      ?.request(method, params)
      .catch(() => undefined);
  }

  /**
   * Opens the `subscriptions/listen` request of 2026-07-28 with all current subscriptions, and closes the previous
   * one.
   */
  #listen(): void {
    const connection = this.#connection();
    const before = this.#listening;
    const stream = new AbortController();
    this.#listening = stream;
    before?.abort('replaced by a new subscription');
    const notifications = this.#filter();
    if (connection === undefined || Object.keys(notifications).length === 0) return;
    const openedAt = performance.now();
    const ended = (): void => {
      if (stream.signal.aborted || connection !== this.#connection()) return;
      this.#briefStreams = performance.now() - openedAt > minStableMs ? 0 : this.#briefStreams + 1;
      setTimeout(() => {
        if (stream.signal.aborted || connection !== this.#connection()) return;
        this.#listen();
        this.#announce('notifications/tools/list_changed');
      }, this.#pauseMs()).unref();
    };
    connection
      .request('subscriptions/listen', { notifications }, undefined, {
        signal: stream.signal,
        timeoutMs: Infinity,
        // A shared connection declares nothing that some app cannot do; subscribers to tasks have declared them.
        ...(this.#tasks.size > 0 && { extensions: { [tasksExtension]: {} } }),
      })
      .then(ended, (error: unknown) => {
        // A server without the method is polled instead.
        if (!/method not found/i.test(errorText(error))) ended();
      });
  }

  /** Grows for a server that ends every stream at once, because each new stream means that its lists are read again. */
  #pauseMs(): number {
    return Math.min(this.#relistenMs * 2 ** Math.max(0, this.#briefStreams - 1), maxRelistenDelayMs);
  }

  #filter(): JsonObject {
    const has = (capability: string, flag: string): boolean => {
      const value = this.#capabilities[capability];
      return isObject(value) && value[flag] === true;
    };
    return {
      ...(has('tools', 'listChanged') && { toolsListChanged: true }),
      ...(has('prompts', 'listChanged') && { promptsListChanged: true }),
      ...(has('resources', 'listChanged') && { resourcesListChanged: true }),
      ...(this.#tasks.size > 0 && { taskIds: [...this.#tasks.keys()] }),
      ...(this.#sessionsByUri.size > 0 && { resourceSubscriptions: [...this.#sessionsByUri.keys()] }),
    };
  }
}

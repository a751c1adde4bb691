/**
 * One person's process of one server, and the lines on which replicas use it: one introduction with it, which each line is told; ids of
 * its requests apart; what it asks goes to the line that is calling. All lines are of the same person.
 */
import { AppError } from '../../core/base/errors.ts';
import { isObject, type JsonObject, objectOf } from '../../core/base/json.ts';
import { type CallContext, CallsInFlight } from '../../core/servers/calls-in-flight.ts';
import { type Handshake, shakeHands } from '../../core/servers/handshake.ts';
import { type ClientIdentity, metaOf } from '../../core/wire/eras.ts';
import { type Result, rpcCode, RpcError } from '../../core/wire/message.ts';
import { Peer } from '../../core/wire/peer.ts';
import type { Transport } from '../../core/wire/transport.ts';

export interface PersonalChildOptions {
  readonly server: string;
  /** Not started. */
  readonly transport: Transport;
  readonly identity: ClientIdentity;
  /** For the process to start and to answer its first request, in ms. */
  readonly initTimeoutMs: number;
  /** Nobody used it for so long, in ms: it ends. */
  readonly idleMs: number;
  /** In ms, of a clock that only goes forward. */
  readonly now: () => number;
  /** Whether it may still be heard; after that nothing of it is passed on. */
  readonly mayAnswer: () => boolean;
  /** Once, when it has ended. */
  readonly onGone: () => void;
}

interface Line {
  readonly id: string;
  readonly peer: Peer;
  /** Of resources that it wants to hear of. */
  readonly uris: Set<string>;
}

/** Of ours, and what is asked again and again: no sign that a person needs it. */
const noUse = /^(?:ping|server\/discover|initialize|subscriptions\/listen|[a-z]+\/(?:templates\/)?list)$/;

export class PersonalChild {
  readonly #options: PersonalChildOptions;
  readonly #peer: Peer;
  readonly #calls = new CallsInFlight();
  readonly #lines = new Set<Line>();
  readonly #stopping = new AbortController();
  readonly #left = Promise.withResolvers<void>();
  readonly #idle: NodeJS.Timeout;
  #greeting: Promise<Handshake> | undefined;
  #usedAt: number;
  #using = 0;
  #count = 0;
  #isLeaving = false;
  #ending: Promise<void> | undefined;

  constructor(options: PersonalChildOptions) {
    this.#options = options;
    this.#usedAt = options.now();
    this.#peer = new Peer(options.transport, {
      onRequest: (method, params, { signal }) => this.#asked(method, params, signal),
      onNotification: (method, params) => this.#heard(method, params),
      onClose: (error) => void this.end(error instanceof AppError ? error : gone(options.server)),
    });
    this.#idle = setInterval(() => this.#look(), Math.max(10, options.idleMs / 4));
    this.#idle.unref();
  }

  /** Takes a line on, once the process has answered. Rejects with AppError why it does not; the line is not touched then. */
  async serve(transport: Transport): Promise<void> {
    await this.#greet();
    if (this.#ending !== undefined || this.#isLeaving) throw justEnding(this.#options.server);
    this.#usedAt = this.#options.now();
    const line: Line = {
      id: String(++this.#count),
      uris: new Set(),
      peer: new Peer(transport, {
        onRequest: (method, params, { id, signal }) => this.#ask(line, method, params, Number(id), signal),
        onNotification: (method, params) => this.#told(method, params),
        onClose: () => this.#leave(line),
      }),
    };
    this.#lines.add(line);
    await line.peer.start();
  }

  /** Lets its lines ask elsewhere, and ends when the last of them has its answers. Never rejects. */
  leave(): Promise<void> {
    this.#isLeaving = true;
    for (const { peer } of this.#lines) peer.notify(leavingMethod);
    if (this.#lines.size === 0) return this.end(gone(this.#options.server));
    return this.#left.promise;
  }

  /** What is in flight is told `why`, and nothing of it is heard any more. Never rejects. */
  end(why: AppError): Promise<void> {
    if (this.#ending === undefined) {
      const ended = Promise.withResolvers<void>();
      this.#ending = ended.promise;
      void this.#end(why).finally(ended.resolve);
    }
    return this.#ending;
  }

  async #end(why: AppError): Promise<void> {
    clearInterval(this.#idle);
    this.#stopping.abort('the process is being ended');
    const lines = [...this.#lines];
    this.#lines.clear();
    // First of all: the time in which it may run may be short.
    const closed = this.#peer.close(why);
    await Promise.all([closed, ...lines.map(({ peer }) => peer.dismiss(why))]);
    this.#options.onGone();
    this.#left.resolve();
  }

  #greet(): Promise<Handshake> {
    const { identity, initTimeoutMs } = this.#options;
    if (this.#greeting !== undefined) return this.#greeting;
    this.#using++;
    const options = { identity, timeoutMs: initTimeoutMs, signal: this.#stopping.signal };
    this.#greeting = shakeHands(this.#peer, options)
      .catch((error: unknown) => {
        void this.end(error instanceof AppError ? error : gone(this.#options.server));
        throw error;
      })
      .finally(() => this.#using--);
    return this.#greeting;
  }

  async #ask(line: Line, method: string, params: JsonObject, id: number, signal: AbortSignal): Promise<Result> {
    if (this.#ending !== undefined) throw gone(this.#options.server);
    const { era, raw } = await this.#greet();
    if (method === 'ping') return {};
    if (method === (era === 'modern' ? 'server/discover' : 'initialize')) return raw;
    if (method === 'server/discover' || method === 'initialize') {
      throw new RpcError(rpcCode.methodNotFound, `The server does not know ${method}.`);
    }
    const isUse = !noUse.test(method) || hearsResources(method, params);
    if (isUse) this.#using++;
    this.#usedAt = isUse ? this.#options.now() : this.#usedAt;
    const key = this.#begin(line, signal);
    let answered = true;
    try {
      const answer = await this.#pass(line, method, params, signal);
      this.#assertHeard();
      return answer;
    } catch (error) {
      answered = error instanceof RpcError;
      throw error;
    } finally {
      this.#calls.remove(key, answered);
      if (isUse) this.#using--;
      if (isUse) this.#usedAt = this.#options.now();
    }
  }

  async #pass(line: Line, method: string, params: JsonObject, signal: AbortSignal): Promise<Result> {
    const { uri } = params;
    const isOthers = [...this.#lines].some((one) => one !== line && one.uris.has(String(uri)));
    if (method === 'resources/unsubscribe') line.uris.delete(String(uri));
    if (isOthers && /^resources\/(?:un)?subscribe$/.test(method)) {
      if (method === 'resources/subscribe') line.uris.add(String(uri));
      return {};
    }
    const token = metaOf(params)['progressToken'];
    const onProgress = (progress: JsonObject): void => {
      if (this.#options.mayAnswer()) line.peer.notify('notifications/progress', { ...progress, progressToken: token });
    };
    const answer = await this.#peer.request(method, params, {
      signal,
      ...(token !== undefined && { onProgress }),
    });
    if (method === 'resources/subscribe') line.uris.add(String(uri));
    return answer;
  }

  #begin(line: Line, signal: AbortSignal): number {
    const key = ++this.#count;
    const context: CallContext = {
      sessionId: line.id,
      clientInfo: {},
      clientCapabilities: {},
      signal,
      onLog: (message) => line.peer.notify('notifications/message', message),
      askClient: (method, params, given) => line.peer.request(method, params, { signal: given }),
      acceptsInputRequired: true,
    };
    this.#calls.add(key, context);
    return key;
  }

  async #asked(method: string, params: JsonObject, signal: AbortSignal): Promise<Result> {
    if (method === 'ping') return {};
    const context = await this.#calls.whoseRequest(undefined, signal);
    this.#assertHeard();
    if (context !== undefined) return context.askClient(method, params, signal);
    if (method === 'roots/list') return { roots: [] };
    throw new RpcError(rpcCode.methodNotFound, `${method} could not be put to one client app for certain.`);
  }

  #heard(method: string, params: JsonObject): void {
    if (!this.#options.mayAnswer()) return;
    const whose = method === 'notifications/message' ? this.#calls.whose(undefined) : undefined;
    if (whose !== undefined) whose.onLog(params);
    else for (const { peer } of this.#lines) peer.notify(method, params);
  }

  /** Of the introduction each line has its own end; all else is for the process. */
  #told(method: string, params: JsonObject): void {
    if (method !== 'notifications/initialized') this.#peer.notify(method, params);
  }

  #leave(line: Line): void {
    this.#lines.delete(line);
    if (this.#ending !== undefined) return;
    if (this.#isLeaving && this.#lines.size === 0) return void this.end(gone(this.#options.server));
    for (const uri of line.uris) {
      const isOthers = [...this.#lines].some(({ uris }) => uris.has(uri));
      if (!isOthers) void this.#peer.request('resources/unsubscribe', { uri }).catch(() => undefined);
    }
  }

  #look(): void {
    const { idleMs, now } = this.#options;
    const isHeard = [...this.#lines].some(({ uris }) => uris.size > 0);
    if (this.#using > 0 || isHeard || now() - this.#usedAt < idleMs) return;
    void this.end(new AppError('server_exited', 'It was not used for a while and has ended.'));
  }

  #assertHeard(): void {
    if (!this.#options.mayAnswer()) throw gone(this.#options.server);
  }
}

/** A stream of 2026-07-28 on which somebody waits for a resource. */
function hearsResources(method: string, params: JsonObject): boolean {
  if (method !== 'subscriptions/listen') return false;
  const wanted = objectOf(params['notifications'])['resourceSubscriptions'];
  return Array.isArray(wanted) ? wanted.length > 0 : isObject(wanted);
}

/** On a line: ask elsewhere from now on. */
export const leavingMethod = 'notifications/tooltray/leaving';

/** To whoever wanted a line, and has asked nothing yet. */
function justEnding(server: string): AppError {
  return new AppError('server_starting', `${server}: the process of this person is just ending.`, {
    fix: 'Try again in a few seconds.',
    data: { runner: '' },
  });
}

/** To whoever had asked it something: what runs twice is worse than what has to be looked up. */
export function gone(server: string): AppError {
  return new AppError('server_exited', `${server}: the process of this person has ended while it was used.`, {
    fix: 'The call may or may not have been carried out: check before you repeat it.',
  });
}

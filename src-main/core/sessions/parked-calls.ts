/**
 * Lets a client of protocol 2026-07-28 answer requests that a stateful server sends during a call. The call is parked,
 * the request is returned as `input_required`, and the client's retry with our `requestState` resumes the call. Source:
 * MCP 2026-07-28, multi-round-trip requests.
 */
import { randomBytes } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import type { CallContext } from '../servers/in-flight-calls.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { awaitReply } from '../wire/abortable-reply.ts';

/** State of the current attempt: a parked call outlives its attempts. */
export interface RequestRound {
  readonly signal: AbortSignal;
  readonly notify: (method: string, params: JsonObject) => void;
  /** Progress token of this attempt: a client issues a new one for each. */
  readonly progressToken?: unknown;
}

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly answer: (answer: Result) => void;
  readonly refuse: (error: Error) => void;
}

/** Identity that may resume a parked call. */
export interface ParkedCallOwner {
  readonly key: string;
}

const statePrefix = 'tooltray.';
const expiryTimeoutMs = 10 * 60_000;
const maxParked = 1000;
const stateBytes = 18;

export class ParkedCalls {
  readonly #parked = new Map<string, { asker: string; call: ParkableCall; timer: NodeJS.Timeout }>();

  /** Number of calls that wait for their client. */
  get count(): number {
    return this.#parked.size;
  }

  static isOwnState(state: unknown): state is string {
    return typeof state === 'string' && state.startsWith(statePrefix);
  }

  /** Starts a call whose server-initiated requests park it. */
  start(asker: ParkedCallOwner, round: RequestRound, start: (call: ParkableCall) => Promise<Result>): Promise<Result> {
    const call = new ParkableCall(round);
    call.run(start(call));
    return this.#next(asker, call);
  }

  /**
   * Resumes a parked call. Rejects with RpcError -32602 if the state is unknown, expired or belongs to another client.
   */
  async resume(asker: ParkedCallOwner, round: RequestRound, state: string, responses: unknown): Promise<Result> {
    const parked = this.#parked.get(state);
    if (parked?.asker !== asker.key)
      throw new RpcError(rpcCode.invalidParams, 'This requestState is unknown or expired. Start a new call.');
    this.#parked.delete(state);
    clearTimeout(parked.timer);
    parked.call.reply(round, objectOrEmpty(responses));
    return this.#next(asker, parked.call);
  }

  async #next(asker: ParkedCallOwner, call: ParkableCall): Promise<Result> {
    const step = await call.next();
    if (step.kind === 'done') return step.result;
    if (this.#parked.size >= maxParked) {
      call.abandon('too many calls are waiting for input');
      throw new AppError('session_limit', 'Too many calls are waiting for input from their client apps.', {
        fix: 'Try again later.',
      });
    }
    const state = statePrefix + randomBytes(stateBytes).toString('base64url');
    const timer = setTimeout(() => {
      this.#parked.delete(state);
      call.abandon('the request was not answered in time');
    }, expiryTimeoutMs).unref();
    this.#parked.set(state, { asker: asker.key, call, timer });
    return { resultType: 'input_required', inputRequests: step.questions, requestState: state };
  }
}

/** The state between two attempts. */
const nobody: RequestRound = { signal: new AbortController().signal, notify: () => undefined };

type Step = { kind: 'done'; result: Result } | { kind: 'asks'; questions: JsonObject };

/** A call that can be parked. Its signal aborts if an attempt is cancelled, not if an attempt ends. */
export class ParkableCall {
  readonly #controller = new AbortController();
  readonly #questions = new Map<string, Question>();
  #round: RequestRound;
  #result: Promise<Result> = Promise.resolve({});
  #wake: (why: 'asks') => void = () => undefined;
  #requests = 0;

  constructor(round: RequestRound) {
    this.#round = round;
    this.#follow(round);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Notifies through the current attempt. */
  readonly notify = (method: string, params: JsonObject): void => {
    const { notify, progressToken } = this.#round;
    if (method !== 'notifications/progress') notify(method, params);
    else if (progressToken !== undefined) notify(method, { ...params, progressToken });
  };

  /** Rejects with AppError `cancelled` if the server cancels its request. */
  readonly ask: CallContext['askClient'] = (method, params, signal) =>
    awaitReply(signal, (settle) => {
      const key = `q${++this.#requests}`;
      this.#questions.set(key, { method, params, ...settle });
      this.#wake('asks');
      return () => void this.#questions.delete(key);
    });

  run(result: Promise<Result>): void {
    this.#result = result;
    result.catch(() => undefined);
  }

  async next(): Promise<Step> {
    const done = this.#result.then((result) => ({ kind: 'done', result }) as const);
    let first: Step | 'asks';
    // A request that was cancelled at once does not count.
    do {
      const inputRequired = new Promise<'asks'>((resolve) => {
        this.#wake = resolve;
        if (this.#questions.size > 0) resolve('asks');
      });
      first = await Promise.race([done, inputRequired]);
    } while (first === 'asks' && this.#questions.size === 0);
    if (first !== 'asks') return first;
    // The attempt ends with the request it returns, and over HTTP its signal aborts; that does not cancel the call.
    this.#round = nobody;
    const questions = [...this.#questions].map(([key, { method, params }]) => [key, { method, params }]);
    return { kind: 'asks', questions: Object.fromEntries(questions) as JsonObject };
  }

  reply(round: RequestRound, responses: JsonObject): void {
    this.#round = round;
    this.#follow(round);
    for (const [key, question] of [...this.#questions]) {
      const response = responses[key];
      if (!isObject(response)) continue;
      question.answer(response);
    }
  }

  abandon(reason: string): void {
    for (const question of [...this.#questions.values()]) question.refuse(new RpcError(rpcCode.aborted, reason));
    this.#controller.abort(reason);
  }

  #follow(round: RequestRound): void {
    const end = (): void => {
      if (this.#round === round) this.abandon('the client app cancelled the call');
    };
    if (round.signal.aborted) end();
    else round.signal.addEventListener('abort', end);
  }
}

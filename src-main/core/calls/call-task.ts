/**
 * A slow call as a task, for apps that support tasks: the same call for which other apps receive a handle. Source: the
 * extension `io.modelcontextprotocol/tasks` of 2026-07-28 (SEP-2663).
 */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { tasksExtension } from '../servers/extension-set.ts';
import type { Result, RpcError } from '../wire/message.ts';
import { awaitReply } from '../wire/abortable-reply.ts';
import { toObject } from '../wire/raw-json.ts';
import type { CallerContext } from './call-tool.ts';
import { resultOfFailure } from './error-result.ts';
import type { SlowCall } from './slow-call.ts';

/** Whether the client app of this request accepts a task as the result. */
export function supportsTasks({ clientCapabilities, acceptsInputRequired }: CallerContext): boolean {
  return acceptsInputRequired && isObject(objectOrEmpty(clientCapabilities['extensions'])[tasksExtension]);
}

/** Returns the same caller without tasks, for calls whose result could not be fetched later. */
export function withoutTasks<T extends CallerContext>(context: T): T {
  if (!supportsTasks(context)) return context;
  const { [tasksExtension]: _tasks, ...extensions } = objectOrEmpty(context.clientCapabilities['extensions']);
  return { ...context, clientCapabilities: { ...context.clientCapabilities, extensions } };
}

/** Receives the status of a task. */
export type TaskStatusListener = (state: JsonObject) => void;

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly answer: (answer: JsonObject) => void;
}

const statusPollIntervalMs = 1000;
/** Input that a server requested at the end of an attempt. */
interface WantedInput {
  readonly result: Result;
  /**
   * Open requests by the key given to the client app. `key` is the server's own, which it may reuse in the next
   * attempt.
   */
  readonly open: Map<string, { readonly key: string; readonly request: unknown }>;
  /** Responses by the server's keys. */
  readonly responses: Record<string, JsonObject>;
}

/** Longest progress message that is repeated in the status, in characters. */
const maxMessageLength = 200;

export class CallTask {
  readonly #id: string;
  readonly #call: SlowCall;
  readonly #retainMs: number;
  readonly #createdAt = new Date().toISOString();
  readonly #questions = new Map<string, Question>();
  readonly #listeners = new Set<TaskStatusListener>();
  /** Keys of server-initiated requests; none is used twice during a task. */
  readonly #keys = new Set<string>();
  #wanted: WantedInput | undefined;
  #updatedAt = Date.now();
  #isCancelled = false;

  /** `retainMs`: how long the result stays available. */
  constructor(id: string, call: SlowCall, retainMs: number) {
    this.#id = id;
    this.#call = call;
    this.#retainMs = retainMs;
    call.waiters.keepQuestions((method, params, signal) => this.#ask(method, params, signal));
  }

  /** The owner of the call (`Principal.owner`). */
  get owner(): string {
    return this.#call.context.principal.owner;
  }

  /** Returned instead of the call's result. */
  toCreateResult(): JsonObject {
    return { resultType: 'task', ...this.#task('working') };
  }

  /** The task's current status, including the input the server requests. */
  toStatus(): JsonObject {
    if (this.#isCancelled) return this.#task('cancelled');
    const { result } = this.#call;
    const inputRequests = this.#openQuestions(result);
    if (inputRequests !== undefined) return { ...this.#task('input_required'), inputRequests };
    if (result === undefined) return this.#task('working');
    const { failure } = this.#call;
    if (failure !== undefined) return this.#failed(failure);
    return { ...this.#task('completed'), result: toObject(result) };
  }

  /**
   * Passes responses to the server-initiated requests; ignores unknown ones. Returns the input for the retry of the
   * call, if it waits for one.
   */
  answer(responses: JsonObject): JsonObject | undefined {
    for (const [key, question] of [...this.#questions]) {
      const answer = responses[key];
      if (!isObject(answer)) continue;
      question.answer(answer);
    }
    const { result } = this.#call;
    if (!this.#call.needsInput || result === undefined) return undefined;
    const { open, responses: replies } = this.#wantedBy(result);
    const before = open.size;
    for (const [own, { key }] of [...open]) {
      const answer = responses[own];
      if (!isObject(answer)) continue;
      open.delete(own);
      replies[key] = answer;
    }
    // The next attempt needs all of them.
    if (open.size > 0) {
      if (open.size < before) this.notifyListeners();
      return undefined;
    }
    const { requestState } = toObject(result);
    return { inputResponses: replies, ...(requestState !== undefined && { requestState }) };
  }

  cancelled(): void {
    this.#isCancelled = true;
    this.notifyListeners();
  }

  /** Whether a listener receives each change of the status. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /**
   * `listener` receives each status from now on, and the current one at once unless the task is working. Returns a
   * function that unsubscribes it.
   */
  subscribe(listener: TaskStatusListener): () => void {
    const state = this.toStatus();
    if (state['status'] !== 'working') listener(state);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The status has changed: notifies the listeners with the same content as `tasks/get`. */
  notifyListeners(): void {
    this.#updatedAt = Date.now();
    if (this.#listeners.size === 0) return;
    const state = this.toStatus();
    for (const listener of this.#listeners) listener(state);
  }

  /** Rejects with AppError cancelled when the server withdraws its request or the call ends. */
  #ask(method: string, params: JsonObject, signal: AbortSignal): Promise<Result> {
    const key = this.#newKey('question');
    return awaitReply(signal, ({ answer }) => {
      this.#questions.set(key, { method, params, answer });
      this.notifyListeners();
      return () => {
        this.#questions.delete(key);
        // A task that ended notifies by itself.
        if (!this.#isCancelled) this.notifyListeners();
      };
    });
  }

  #openQuestions(result: Result | undefined): JsonObject | undefined {
    if (this.#call.needsInput && result !== undefined)
      return Object.fromEntries([...this.#wantedBy(result).open].map(([own, { request }]) => [own, request]));
    if (this.#questions.size === 0) return undefined;
    return Object.fromEntries([...this.#questions].map(([key, { method, params }]) => [key, { method, params }]));
  }

  /** The input that the call needs before its next attempt (2026-07-28). */
  #wantedBy(result: Result): WantedInput {
    if (this.#wanted?.result !== result) {
      const requests = Object.entries(objectOrEmpty(toObject(result)['inputRequests']));
      const open = new Map(requests.map(([key, request]) => [this.#newKey(key), { key, request }]));
      this.#wanted = { result, open, responses: {} };
    }
    return this.#wanted;
  }

  #newKey(wished: string): string {
    let key = wished;
    for (let at = 2; this.#keys.has(key); at++) key = `${wished}~${at}`;
    this.#keys.add(key);
    return key;
  }

  #failed(failure: RpcError): JsonObject {
    return { ...this.#task('failed', failure.message), ...resultOfFailure(failure, false) };
  }

  #task(status: string, message = this.#call.waiters.progress?.['message']): JsonObject {
    const { elapsedMs } = this.#call;
    return {
      taskId: this.#id,
      status,
      ...(typeof message === 'string' && { statusMessage: message.slice(0, maxMessageLength) }),
      createdAt: this.#createdAt,
      lastUpdatedAt: new Date(this.#updatedAt).toISOString(),
      // The task may run for any time; its result is retained for this long afterwards.
      ttlMs: Math.round(elapsedMs) + this.#retainMs,
      pollIntervalMs: statusPollIntervalMs,
    };
  }
}

/** One request of ours in flight: settled by its answer, by its time limit, by whoever gives it up, or by the end of the line. */
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Deadline, Deadlines } from './deadlines.ts';
import type { RequestId, Result } from './message.ts';
import type { RequestOptions } from './peer.ts';
import type { SendOptions } from './transport.ts';

/** What a request needs of the line it went out on. */
export interface RequestLine {
  readonly deadlines: Deadlines;
  /** It waits no more. */
  forget(id: number): void;
  notify(method: string, params: JsonObject, options: SendOptions): void;
}

export class PendingRequest implements SendOptions {
  readonly method: string;
  readonly answer: Promise<Result>;
  readonly #id: number;
  readonly #options: RequestOptions;
  readonly #line: RequestLine;
  readonly #deadline: Deadline | undefined;
  #resolve!: (result: Result) => void;
  #reject!: (error: Error) => void;
  #controller: AbortController | undefined;
  #givenUp: AppError | undefined;

  constructor(id: number, method: string, options: RequestOptions, line: RequestLine) {
    this.method = method;
    this.#id = id;
    this.#options = options;
    this.#line = line;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    options.signal?.addEventListener('abort', this, { once: true });
    const { timeoutMs } = options;
    if (timeoutMs === undefined) return;
    this.#deadline = line.deadlines.watch(timeoutMs, () => this.#abandon(timedOut(method, timeoutMs)));
  }

  get headers(): Readonly<Record<string, string>> | undefined {
    return this.#options.headers;
  }

  get relatedRequestId(): RequestId | undefined {
    return this.#options.relatedRequestId;
  }

  /** Made when a transport looks at it: most never do, and one for each call kept the garbage collector busy. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#givenUp !== undefined) this.#controller.abort(this.#givenUp);
    return this.#controller.signal;
  }

  progress(params: JsonObject): void {
    if (this.#deadline !== undefined) this.#line.deadlines.touch(this.#deadline);
    this.#options.onProgress?.(params);
  }

  resolve(result: Result): void {
    this.#settled();
    this.#resolve(result);
  }

  reject(error: Error): void {
    this.#settled();
    this.#reject(error);
  }

  /** The signal that came with the request was aborted. */
  handleEvent(): void {
    this.#abandon(cancelled(this.#options.signal as AbortSignal));
  }

  #abandon(error: AppError): void {
    const { cancelBy, relatedRequestId } = this.#options;
    if (cancelBy !== 'signal') {
      // Over HTTP on the stream that the request went out on: there may be no other.
      const params = { requestId: this.#id, reason: error.message };
      this.#line.notify('notifications/cancelled', params, { relatedRequestId });
    }
    this.reject(error);
    this.#givenUp = error;
    this.#controller?.abort(error);
  }

  #settled(): void {
    this.#line.forget(this.#id);
    if (this.#deadline !== undefined) this.#line.deadlines.forget(this.#deadline);
    this.#options.signal?.removeEventListener('abort', this);
  }
}

/** Why a request was not sent, or not waited for any longer. */
export function cancelled(signal: AbortSignal): AppError {
  const reason = typeof signal.reason === 'string' ? signal.reason : 'the call was cancelled';
  return new AppError('cancelled', `Cancelled: ${reason}.`);
}

function timedOut(method: string, timeoutMs: number): AppError {
  return new AppError('call_timeout', `No answer to ${method} within ${timeoutMs / 1000} s.`);
}

/** The dashboard over Electron's IPC: the same requests and state stream, for Tooltray's own windows only. */
import { AppError } from '../core/base/errors.ts';
import type { RpcFailure, StateChange } from './contract.ts';
import { toRpcFailure } from './dashboard-routes.ts';
import type { StatePublisher } from './state-publisher.ts';

/** The parts of a sender used here: Electron's `event.sender` with its frame. */
export interface IpcSender {
  readonly id: number;
  /** URL of the requesting frame; undefined if it is gone. */
  readonly url: string | undefined;
  /** The window's main frame, not an embedded one. */
  readonly isMainFrame: boolean;
  send(channel: string, message: unknown): void;
  onGone(listener: () => void): void;
}

type IpcResponse = { readonly value: Record<string, unknown> } | { readonly error: RpcFailure };

interface IpcServerOptions {
  /** Origin of the dashboard: `app://tooltray/`. */
  readonly origin: string;
  readonly publisher: StatePublisher;
  readonly ask: (method: string, input: unknown, signal: AbortSignal) => Promise<Record<string, unknown>>;
}

export class IpcServer {
  readonly #options: IpcServerOptions;
  readonly #unsubscribers = new Map<number, () => void>();
  /** Running requests, by window and by the page's request ID. */
  readonly #questions = new Map<number, Map<string, AbortController>>();

  constructor(options: IpcServerOptions) {
    this.#options = options;
  }

  /** Never rejects, because Electron would drop the error's code. `question`: request ID for `cancel`. */
  async request(sender: IpcSender, method: unknown, input: unknown, question?: unknown): Promise<IpcResponse> {
    const asking = new AbortController();
    let done = (): void => undefined;
    try {
      this.#requireOwnOrigin(sender);
      if (typeof method !== 'string') throw new AppError('bad_request', 'The request has no method.');
      done = this.#note(sender, String(question), asking);
      return { value: await this.#options.ask(method, input, asking.signal) };
    } catch (error) {
      return { error: toRpcFailure(error) };
    } finally {
      done();
    }
  }

  /** Cancels a request of a window. Throws AppError `not_allowed`. */
  cancel(sender: IpcSender, question: unknown): void {
    this.#requireOwnOrigin(sender);
    this.#questions.get(sender.id)?.get(String(question))?.abort();
  }

  /** Subscribes this window to the state; once per window, however often it loads. Throws AppError `not_allowed`. */
  watch(sender: IpcSender): void {
    this.#requireOwnOrigin(sender);
    this.#unsubscribers.get(sender.id)?.();
    const leave = this.#options.publisher.watch(({ change }) => {
      sender.send(stateChannel, change satisfies StateChange);
    });
    const end = (): void => {
      leave();
      if (this.#unsubscribers.get(sender.id) === end) this.#unsubscribers.delete(sender.id);
    };
    this.#unsubscribers.set(sender.id, end);
    sender.onGone(end);
  }

  close(): void {
    for (const leave of [...this.#unsubscribers.values()]) leave();
  }

  /**
   * Registers a request so that it can be cancelled until the returned function is called; closing its window cancels
   * all of them.
   */
  #note(sender: IpcSender, question: string, asking: AbortController): () => void {
    const questions = this.#questions.get(sender.id) ?? new Map<string, AbortController>();
    if (!this.#questions.has(sender.id)) {
      this.#questions.set(sender.id, questions);
      sender.onGone(() => {
        for (const one of questions.values()) one.abort();
        this.#questions.delete(sender.id);
      });
    }
    questions.set(question, asking);
    return () => {
      if (questions.get(question) === asking) questions.delete(question);
    };
  }

  #requireOwnOrigin({ url, isMainFrame }: IpcSender): void {
    const isOwn = url !== undefined && url.startsWith(this.#options.origin);
    if (!isOwn || !isMainFrame) throw new AppError('not_allowed', 'Only the dashboard can send requests.');
  }
}

// IPC channel names of the dashboard's window and the main process. Imports nothing, because the preload script uses it
// too.

/** A request and its response. */
export const requestChannel = 'tooltray:request';
/** Cancels a request. */
export const cancelChannel = 'tooltray:take-back';
/** Subscribes to the state. */
export const watchChannel = 'tooltray:watch';
/** Changes of the state. */
export const stateChannel = 'tooltray:state';

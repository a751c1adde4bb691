/**
 * The dashboard over Electron's IPC: the same questions and the same stream, for a window of Tooltray and no one
 * else's.
 */
import { AppError } from '../core/base/errors.ts';
import type { RpcFailure, StateChange } from './contract.ts';
import { toRpcFailure } from './dashboard-routes.ts';
import type { StatePublisher } from './state-publisher.ts';

/** The parts of a sender used here: Electron's `event.sender` with its frame. */
export interface IpcSender {
  readonly id: number;
  /** Address of the frame that asks; undefined if it is gone. */
  readonly url: string | undefined;
  /** It is the window's own page, not a frame in it. */
  readonly isMainFrame: boolean;
  send(channel: string, message: unknown): void;
  onGone(listener: () => void): void;
}

type IpcResponse = { readonly value: Record<string, unknown> } | { readonly error: RpcFailure };

interface IpcServerOptions {
  /** Origin of our page: `app://tooltray/`. */
  readonly origin: string;
  readonly publisher: StatePublisher;
  readonly ask: (method: string, input: unknown, signal: AbortSignal) => Promise<Record<string, unknown>>;
}

export class IpcServer {
  readonly #options: IpcServerOptions;
  readonly #unsubscribers = new Map<number, () => void>();
  /** Questions being answered, by window and by the name that the page gave them. */
  readonly #questions = new Map<number, Map<string, AbortController>>();

  constructor(options: IpcServerOptions) {
    this.#options = options;
  }

  /** Never rejects: an error of Tooltray would arrive without its code. `question`: the name for `takeBack`. */
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

  /** A window no longer wants to know: whatever works on the answer is told to stop. Throws AppError `not_allowed`. */
  cancel(sender: IpcSender, question: unknown): void {
    this.#requireOwnOrigin(sender);
    this.#questions.get(sender.id)?.get(String(question))?.abort();
  }

  /** Begins to tell this window; once per window, however often it loads. Throws AppError `not_allowed`. */
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

// The names that the dashboard's window and the main process call each other by. Imports nothing: the preload has it
// too.

/** A question and its answer. */
export const requestChannel = 'tooltray:request';
/** "I no longer want the answer." */
export const cancelChannel = 'tooltray:take-back';
/** "Tell me the state from now on." */
export const watchChannel = 'tooltray:watch';
/** Changes of the state go out on it. */
export const stateChannel = 'tooltray:state';

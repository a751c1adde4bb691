/**
 * Requests of a component: what is in progress, and the last error.
 *
 * const saving = new RequestState();
 * await saving.run(() => api.ask('saveServer', entry), 'saving');
 * {#if saving.failure}<ErrorState failure={saving.failure} title="It was not saved" />{/if}
 */
import type { RpcFailure } from '../../src-main/rpc/contract.ts';
import { toFailure } from './api.ts';

type Work = (signal: AbortSignal) => Promise<unknown>;

export class RequestState {
  failure = $state.raw<RpcFailure>();
  #named = $state.raw<{ readonly what: string }>();
  #controller = new AbortController();

  /** Name of the request in progress; undefined: none that has a name. */
  get busy(): string | undefined {
    return this.#named?.what;
  }

  /**
   * Runs a user's request; clears the previous error. `what` names it for the page. Never rejects; resolves to whether
   * it succeeded.
   */
  async run(work: Work, what?: string): Promise<boolean> {
    this.failure = undefined;
    const named = what === undefined ? undefined : { what };
    if (named !== undefined) this.#named = named;
    const isDone = await this.#ask(work);
    // A newer request keeps its name.
    if (named !== undefined && this.#named === named) this.#named = undefined;
    return isDone;
  }

  /** Like `run`, for background refreshes: an error stays visible until a refresh succeeds. */
  async refresh(work: Work): Promise<boolean> {
    const isDone = await this.#ask(work);
    if (isDone) this.failure = undefined;
    return isDone;
  }

  /** Like `refresh`, for an effect: returns a function that cancels it. */
  poll(work: Work): () => void {
    void this.refresh(work);
    const line = this.#controller;
    return () => line.abort();
  }

  /** Cancels the last request, if it uses its signal; this is not an error. */
  stop(): void {
    this.#controller.abort();
    this.#named = undefined;
  }

  async #ask(work: Work): Promise<boolean> {
    const { signal } = (this.#controller = new AbortController());
    try {
      await work(signal);
      return true;
    } catch (error) {
      if (!signal.aborted) this.failure = toFailure(error);
      return false;
    }
  }
}

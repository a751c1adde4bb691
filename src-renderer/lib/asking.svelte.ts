/**
 * What a part of a view asks the core: what of it is in progress, and why the last question was not answered.
 *
 *     const saving = new Asking();
 *     await saving.run(() => api.ask('saveServer', entry), 'saving');
 *     {#if saving.failure}<ErrorState failure={saving.failure} title="It was not saved" />{/if}
 */
import type { RpcFailure } from '../../src-main/rpc/contract.ts';
import { toFailure } from './api.ts';

type Work = (signal: AbortSignal) => Promise<unknown>;

export class RequestState {
  failure = $state.raw<RpcFailure>();
  #named = $state.raw<{ readonly what: string }>();
  #controller = new AbortController();

  /** What is in progress; undefined: nothing that has a name. */
  get busy(): string | undefined {
    return this.#named?.what;
  }

  /**
   * Does what a user asked for; what went wrong before is no longer shown. `what` names it where the page shows that it
   * is in progress. Never rejects, answers whether it was done.
   */
  async run(work: Work, what?: string): Promise<boolean> {
    this.failure = undefined;
    const named = what === undefined ? undefined : { what };
    if (named !== undefined) this.#named = named;
    const isDone = await this.#ask(work);
    // The name of a newer question stays.
    if (named !== undefined && this.#named === named) this.#named = undefined;
    return isDone;
  }

  /** As run, for what the page reads again by itself: a failure stays in sight until there is an answer. */
  async refresh(work: Work): Promise<boolean> {
    const isDone = await this.#ask(work);
    if (isDone) this.failure = undefined;
    return isDone;
  }

  /** As refresh, for an effect: returns how to take the question back. */
  poll(work: Work): () => void {
    void this.refresh(work);
    const line = this.#controller;
    return () => line.abort();
  }

  /** Takes the last question back, where it heeds its signal; that is no failure. */
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

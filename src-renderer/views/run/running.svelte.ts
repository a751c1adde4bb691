/** A run of a tool as the page follows it: asked for its news until it has ended. */
import type { RunState } from '../../../src-main/rpc/contract.ts';
import { api } from '../../lib/api.ts';

export class Running {
  state = $state.raw<RunState>();
  readonly #line = new AbortController();

  /** Resolves when it has ended. Rejects with AskError. */
  async follow(id: string): Promise<void> {
    const { signal } = this.#line;
    let after = 0;
    while (!signal.aborted && this.state?.end === undefined) {
      this.state = await api.ask('run', { id, after }, signal);
      after = this.state.revision;
    }
  }

  /** The page looks elsewhere; the run goes on. */
  leave(): void {
    this.#line.abort();
  }
}

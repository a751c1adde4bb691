/** Client-side state of a tool run; long-polls the core until the run ends. */
import type { RunState } from '../../../src-main/rpc/contract.ts';
import { api } from '../../lib/api.ts';

export class Running {
  state = $state.raw<RunState>();
  readonly #abort = new AbortController();

  /** Polls until the run ends or `leave` is called. Rejects with ApiError. */
  async follow(id: string): Promise<void> {
    const { signal } = this.#abort;
    let after = 0;
    while (!signal.aborted && this.state?.end === undefined) {
      this.state = await api.ask('run', { id, after }, signal);
      after = this.state.revision;
    }
  }

  /** Stops polling; the run itself continues. */
  leave(): void {
    this.#abort.abort();
  }
}

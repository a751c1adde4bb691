/**
 * Resource usage of servers on this computer, polled while the page is visible. Create it during component
 * initialization.
 */
import type { ServerUsage } from '../../../src-main/rpc/contract.ts';
import { api } from '../../lib/api.ts';
import { RequestState } from '../../lib/asking.svelte.ts';
import { byServer } from './server-words.ts';

const everyMs = 2_500;

export class UsageFeed {
  #servers = $state.raw(byServer<ServerUsage>([]));
  #unmeasured = $state<string>();

  constructor() {
    $effect(() => {
      const reading = new RequestState();
      let timer: ReturnType<typeof setTimeout> | undefined;
      let isLooking = true;
      const again = async (): Promise<void> => {
        if (!document.hidden) await reading.refresh((signal) => this.#read(signal));
        if (isLooking) timer = setTimeout(() => void again(), everyMs);
      };
      void again();
      return () => {
        isLooking = false;
        reading.stop();
        clearTimeout(timer);
      };
    });
  }

  /** Servers that run as local processes, by name. */
  get servers(): ReadonlyMap<string, ServerUsage> {
    return this.#servers;
  }

  /** Why nothing is measured; undefined if it is. */
  get unmeasured(): string | undefined {
    return this.#unmeasured;
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { servers, unmeasured } = await api.ask('serverUsage', {}, signal);
    if (signal.aborted) return;
    this.#servers = byServer(servers);
    this.#unmeasured = unmeasured;
  }
}

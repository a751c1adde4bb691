/** Finds servers with tools that match the filter while the user types. Create it during component initialization. */
import type { ToolMatches } from '../../../src-main/rpc/contract.ts';
import { api } from '../../lib/api.ts';
import { RequestState } from '../../lib/asking.svelte.ts';
import { byServer } from './server-words.ts';

/** Debounce interval in ms. */
const typingPauseMs = 150;

export class ToolFinder {
  #matches = $state.raw(byServer<ToolMatches>([]));

  /** `revision`: changes when servers may have other tools. */
  constructor(text: () => string, revision: () => unknown) {
    const asking = new RequestState();
    $effect(() => {
      const wanted = text().trim();
      revision();
      if (wanted === '') {
        this.#matches = byServer([]);
        return;
      }
      const timer = setTimeout(() => {
        void asking.refresh(async (signal) => {
          const { servers } = await api.ask('toolMatches', { text: wanted.slice(0, 200) }, signal);
          if (!signal.aborted) this.#matches = byServer(servers);
        });
      }, typingPauseMs);
      return () => {
        clearTimeout(timer);
        asking.stop();
      };
    });
  }

  /** By server; empty without a filter. */
  get matches(): ReadonlyMap<string, ToolMatches> {
    return this.#matches;
  }
}

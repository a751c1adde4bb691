/** Which servers have tools that the filter fits, asked for while a user types. To be made while a component is. */
import type { ToolMatches } from '../../../src-main/rpc/contract.ts';
import { api } from '../../lib/api.ts';
import { RequestState } from '../../lib/asking.svelte.ts';
import { byServer } from './server-words.ts';

/** A filter is typed letter by letter. */
const typingPauseMs = 150;

export class ToolFinder {
  #matches = $state.raw(byServer<ToolMatches>([]));

  /** `revision`: changes when servers may offer other tools. */
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

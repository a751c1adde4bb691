/** Requests of the command palette: tools, sessions, and spills by a few words. */
import type { SpillRow } from './spills.ts';
import type { TimelineSession } from './timeline.ts';

/** Its words are the server's: show them as text, never as HTML. */
export interface FoundTool {
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** The beginning of it. */
  readonly description: string;
}

export interface FindContract {
  /**
   * Tools by the product's own search, then those whose names have every word; sessions and kept answers whose app,
   * mode, server or tool has every word, the newest first. A few of each; nothing for a text without words.
   */
  find: {
    input: { readonly text: string };
    output: {
      readonly tools: readonly FoundTool[];
      readonly sessions: readonly TimelineSession[];
      readonly kept: readonly SpillRow[];
      /** Sessions were looked for among so many of the newest, and none that are older; undefined: all were. */
      readonly sessionsLookedThrough?: number;
    };
  };
}

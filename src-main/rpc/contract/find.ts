/** Requests of the command palette: tools, sessions, and spills by a few words. */
import { z } from 'zod';
import type { SpillRow } from './spills.ts';
import type { TimelineSession } from './timeline.ts';
import { text, type Methods } from './fields.ts';

/** Its words are the server's: show them as text, never as HTML. */
export interface FoundTool {
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** The beginning of it. */
  readonly description: string;
}

/** Schemas of the inputs. */
export const findInputs = {
  find: z.object({ text: text.max(200) }),
};

interface FindOutputs {
  /**
   * Tools by the product's own search, then those whose names have every word; sessions and kept answers whose app,
   * mode, server or tool has every word, the newest first. A few of each; nothing for a text without words.
   */
  find: {
    readonly tools: readonly FoundTool[];
    readonly sessions: readonly TimelineSession[];
    readonly spills: readonly SpillRow[];
    /** Sessions were looked for among so many of the newest, and none that are older; undefined: all were. */
    readonly sessionsLookedThrough?: number;
  };
}

export type FindMethods = Methods<typeof findInputs, FindOutputs>;

/** Requests of the command palette: search for tools, sessions, calls, and spills. */
import { z } from 'zod';
import type { CallSummary } from './activity.ts';
import type { SpillRow } from './spills.ts';
import type { TimelineSession } from './timeline.ts';
import { text, type Methods } from './fields.ts';

/** Contains server text: show it as text, never as HTML. */
export interface FoundTool {
  readonly server: string;
  /** The server's name for the tool. */
  readonly tool: string;
  /** Beginning of the description. */
  readonly description: string;
}

/** Schemas of the inputs. */
export const findInputs = {
  find: z.object({ text: text.max(200) }),
};

interface FindOutputs {
  /**
   * Tools ranked by the product's search, then those whose names contain every word; sessions and spills whose app,
   * mode, server, tool, or identifying argument contains every word, newest first; calls by their names and payloads.
   * A spill whose call is found by its payloads is found, too. A few of each; empty for a query without words.
   */
  find: {
    readonly tools: readonly FoundTool[];
    readonly sessions: readonly TimelineSession[];
    readonly calls: readonly CallSummary[];
    readonly spills: readonly SpillRow[];
    /** Number of the newest sessions searched, if older ones were not; undefined: all were searched. */
    readonly sessionsLookedThrough?: number;
  };
}

export type FindMethods = Methods<typeof findInputs, FindOutputs>;

/** Requests about tools that the user runs by hand, as a client app called "You". */
import { z } from 'zod';
import type { ModePreview } from '../../core/calls/preview-by-mode.ts';
import type { CallSummary } from './activity.ts';
import type { RpcFailure } from './core.ts';
import { count, entry, flag, id, maybe, name, type Methods, type Nothing } from './fields.ts';

export type { ModePreview } from '../../core/calls/preview-by-mode.ts';

/** Something the server asks meanwhile; its words are the server's. */
export interface RunQuestion {
  readonly id: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** How a run stands. The end is told once it has one. */
export interface RunState {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  /** Grows with whatever is new. */
  readonly revision: number;
  readonly startedAt: number;
  /** The server's progress: `progress`, `total`, `message`. */
  readonly progress: Readonly<Record<string, unknown>> | undefined;
  readonly log: readonly string[];
  readonly questions: readonly RunQuestion[];
  readonly end:
    | {
        readonly endedAt: number;
        readonly outcome: CallSummary['outcome'];
        /** Verbatim, where it failed. */
        readonly error: RpcFailure | undefined;
        /** The beginning (64 Ki characters) of what the server sent; empty if it sent nothing. */
        readonly sent: string;
        readonly bytes: number;
        readonly cut: boolean;
      }
    | undefined;
}

/** Schemas of the inputs. */
export const runInputs = {
  startRun: z.object({ server: name, tool: name, arguments: entry, agreed: maybe(flag) }),
  run: z.object({ id, after: count }),
  respondToRun: z.object({
    id,
    question: id,
    answer: z.object({
      action: z.enum(['accept', 'decline', 'cancel']),
      content: maybe(entry),
      /** The response in place of a model. */
      text: maybe(z.string().max(100_000)),
    }),
  }),
  cancelRun: z.object({ id }),
  runResult: z.object({ id }),
  runPreviews: z.object({ id, app: maybe(name) }),
};

interface RunOutputs {
  /**
   * Starts it; where the tool does not say that it only reads, only with `agreed`: without, the answer says what it
   * would be asked.
   */
  startRun: { readonly id: string } | { readonly asks: 'writes' | 'destroys' };
  /** Answers when there is something newer than `after`, after 20 seconds at the latest. */
  run: RunState;
  respondToRun: Nothing;
  cancelRun: Nothing;
  /** All that the server sent, up to 8 Mi characters. */
  runResult: { readonly result: Readonly<Record<string, unknown>> };
  /** The result as each mode would return it to a model; `app`: for an app that supports only that one. */
  runPreviews: { readonly rows: readonly ModePreview[] };
}

export type RunMethods = Methods<typeof runInputs, RunOutputs>;

/** Requests about tools that the user runs manually, as a client app called "You". */
import { z } from 'zod';
import type { ModePreview } from '../../core/calls/preview-by-mode.ts';
import type { CallSummary } from './activity.ts';
import type { RpcFailure } from './core.ts';
import { count, entry, flag, id, maybe, name, type Methods, type Nothing } from './fields.ts';

export type { ModePreview } from '../../core/calls/preview-by-mode.ts';

/** A question from the server during a run; the text is the server's. */
export interface RunQuestion {
  readonly id: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** State of a run. Its end is reported once. */
export interface RunState {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  /** Increases with each change. */
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
        /** Verbatim error of a failed run. */
        readonly error: RpcFailure | undefined;
        /** First 64 Ki characters of the server's response; empty if there is none. */
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
      /** Response used in place of a model's. */
      text: maybe(z.string().max(100_000)),
    }),
  }),
  cancelRun: z.object({ id }),
  runResult: z.object({ id }),
  runPreviews: z.object({ id, app: maybe(name) }),
};

interface RunOutputs {
  /**
   * Starts a run; requires `agreed` unless the tool declares itself read-only. Without it, the response says what to
   * confirm.
   */
  startRun: { readonly id: string } | { readonly asks: 'writes' | 'destroys' };
  /** Returns when there is something newer than `after`, at most 20 seconds later. */
  run: RunState;
  respondToRun: Nothing;
  cancelRun: Nothing;
  /** The full server response, up to 8 Mi characters. */
  runResult: { readonly result: Readonly<Record<string, unknown>> };
  /** The result as each mode would return it to a model; `app`: restricted to the mode that this app supports. */
  runPreviews: { readonly rows: readonly ModePreview[] };
}

export type RunMethods = Methods<typeof runInputs, RunOutputs>;

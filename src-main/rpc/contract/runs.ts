/** Requests about tools that the user runs by hand, as a client app called "You". */
import type { ModePreview } from '../../core/calls/preview-by-mode.ts';
import type { CallSummary } from './activity.ts';
import type { RpcFailure } from './core.ts';
import type { Nothing } from './nothing.ts';

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
        /** The beginning (64 Ki characters) of what the server sent; empty where it sent nothing. */
        readonly sent: string;
        readonly bytes: number;
        readonly cut: boolean;
      }
    | undefined;
}

export interface RunsContract {
  /**
   * Starts it; where the tool does not say that it only reads, only with `agreed`: without, the answer says what it
   * would be asked.
   */
  startRun: {
    input: {
      readonly server: string;
      readonly tool: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly agreed?: boolean;
    };
    output: { readonly id: string } | { readonly asks: 'writes' | 'destroys' };
  };
  /** Answers when there is something newer than `after`, after 20 seconds at the latest. */
  run: { input: { readonly id: string; readonly after: number }; output: RunState };
  answerRun: {
    input: {
      readonly id: string;
      readonly question: string;
      readonly answer: {
        readonly action: 'accept' | 'decline' | 'cancel';
        readonly content?: Readonly<Record<string, unknown>>;
        /** In a model's place. */
        readonly text?: string;
      };
    };
    output: Nothing;
  };
  cancelRun: { input: { readonly id: string }; output: Nothing };
  /** All that the server sent, up to 8 Mi characters. */
  runResult: { input: { readonly id: string }; output: { readonly result: Readonly<Record<string, unknown>> } };
  /** The result as each mode would return it to a model; `app`: for an app that supports only that one. */
  runGiven: {
    input: { readonly id: string; readonly app?: string };
    output: { readonly rows: readonly ModePreview[] };
  };
}

/** What the core and the thread or process that runs the code say to each other. Values cross as JSON text. */
import type { SandboxError, SandboxHelpers, SandboxLanguage, SandboxLimits, SandboxStyle } from './sandbox-request.ts';

/** Asks whether code is Python, without running it. */
export interface CheckMessage {
  readonly kind: 'check';
  readonly code: string;
}

export interface RunMessage {
  readonly kind: 'run';
  readonly code: string;
  readonly language: SandboxLanguage | undefined;
  readonly input: string;
  readonly style: SandboxStyle;
  readonly limits: SandboxLimits;
  readonly helpers: SandboxHelpers;
}

/** The answer to a question; when it is not ok, `text` is a Refusal. */
export interface AnswerMessage {
  readonly kind: 'answer';
  readonly id: number;
  readonly ok: boolean;
  readonly text: string;
}

/** Why a question has no answer. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}

export type ToWorker = RunMessage | AnswerMessage;
/** To the process of Python, and the thread in it. */
export type ToPython = ToWorker | CheckMessage;

/** What a parser says of the code: why it is none of its language; undefined where it is. */
export interface CheckedMessage {
  readonly kind: 'checked';
  readonly error: SandboxError | undefined;
  /** It parses as Python, and uses what only JavaScript has. */
  readonly isForeign?: boolean;
  /** Whether it is JavaScript or TypeScript; told by the process, which asks that parser. */
  readonly isJavaScript?: boolean;
}

export type Question = 'call' | 'search' | 'schema';

export interface QuestionMessage {
  readonly kind: 'question';
  readonly id: number;
  readonly what: Question;
  readonly text: string;
}

/** How the code ended: its value as JSON, or the error. */
export type GuestOutcome = { readonly value: string } | { readonly error: SandboxError };

export interface DoneMessage {
  readonly kind: 'done';
  readonly outcome: GuestOutcome;
  /** The thread can take another run: its memory is small and nothing broke. */
  readonly reusable: boolean;
}

export type FromWorker =
  | { readonly kind: 'ready' }
  /** Instead of `ready`: the language is not there on this computer. */
  | { readonly kind: 'absent'; readonly reason: string }
  | { readonly kind: 'print'; readonly line: string }
  | CheckedMessage
  | QuestionMessage
  | DoneMessage;

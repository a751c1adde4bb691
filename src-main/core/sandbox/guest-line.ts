/** The core's line to where model-written code runs: a thread for JavaScript, a process for Python. */
import type { AnswerMessage, FromWorker, RunMessage } from './worker-messages.ts';

export interface GuestListener {
  message(message: FromWorker): void;
  /** The other end is gone, by itself or ended; `error` says why where it is known. */
  exit(error: Error | undefined): void;
}

export interface GuestLine {
  readonly isAlive: boolean;
  /** Resolves when the other end can run code, or has ended. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  /** One run at a time. */
  run(message: RunMessage, listener: GuestListener): void;
  answer(message: AnswerMessage): void;
  /** Nothing is told of the other end any more. */
  release(): void;
  /** Ends it whatever it is doing. */
  terminate(): Promise<void>;
}

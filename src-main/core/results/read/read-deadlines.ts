/** How long a question may take, and what is said when it takes longer. */
import { AppError } from '../../base/errors.ts';
import type { ReaderQuestion } from './reader-messages.ts';

export interface ReadDeadlines {
  /** For the whole question, in ms. */
  readonly wholeMs: number;
  /** For each step of it, where it goes in steps. */
  readonly stepMs: number | undefined;
}

export function tookTooLong(question: ReaderQuestion, { wholeMs, stepMs = wholeMs }: ReadDeadlines): AppError {
  if (question.op === 'grep') {
    const pattern = JSON.stringify(question.pattern.slice(0, 200));
    return new AppError('call_timeout', `The pattern ${pattern} takes too long: more than ${stepMs / 1000} s.`, {
      fix: 'Write it without repetitions inside of repetitions such as (a+)+, or search for a plain text.',
    });
  }
  const path = question.op === 'query' ? ` ${JSON.stringify(question.query.slice(0, 200))}` : '';
  return new AppError('call_timeout', `Op ${question.op}${path} was not done after ${wholeMs / 1000} s.`, {
    fix: "Ask for less: a path from the top such as $.items[0:10], or op='grep', 'head', 'slice'.",
  });
}

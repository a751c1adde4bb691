/** Answers a question in words that can be sent: what was thrown becomes a code and a sentence. */
import { errorText, toAppError } from '../../base/errors.ts';
import { answerQuestion } from './answer-question.ts';
import type { ReadReply, ReadRequest } from './reader-messages.ts';

export function replyTo(request: ReadRequest): ReadReply {
  try {
    return { ok: true, ...answerQuestion(request) };
  } catch (error) {
    // V8's own limits: a stack for what is nested without end, the length of a text.
    if (isTooMuch(error)) {
      const message = `The file is too big or nested too deep for op='${request.question.op}': ${errorText(error)}.`;
      return { ok: false, code: 'unsupported', message, fix: "Use op='grep', 'head', 'tail', 'slice' or 'read'." };
    }
    const { code, message, fix } = toAppError(error);
    return { ok: false, code, message, fix };
  }
}

/** Node's own RangeErrors have a code, and mean a mistake of ours. */
function isTooMuch(error: unknown): boolean {
  return error instanceof RangeError && (!('code' in error) || error.code === 'ERR_STRING_TOO_LONG');
}
